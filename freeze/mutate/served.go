package mutate

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/source/switches"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// servable reports whether the tests of a package can run again and again in
// one process: what a TestMain of its own does around them is done once.
func (g *generation) servable(s testbin.Suite) bool {
	return !g.Isolate && !g.Matrix && runtime.GOOS != "windows" && !s.Main && g.tree.Holds(s.Module)
}

// served judges mutants in one process, one after the other. It finds those
// that an assertion catches beyond doubt, and no other verdict.
type served struct {
	slot    *slot
	survey  *survey
	session *testbin.Session // nil as long as none runs
}

// leastServed is how long a test has in a process that others wait for. One
// that takes longer is judged alone, and has more.
const leastServed = 2 * time.Second

// mostDoubted is how many wait to be judged alone.
const mostDoubted = 16

// serves reports whether a mutant may be judged in one process with others. What
// is come to before any test has to be on from the start.
func (v *survey) serves(c *candidate) bool {
	return v.served && c.number > 0 && !v.initial.reached(c.number)
}

// repeats is how often all tests of the tree itself have to pass in one process.
const repeats = 3

// try asks tests until one fails, and is sure if the tree itself passes that
// test in the same process then, and the mutant fails it once more: so whatever
// mutants before it have left is not why. After anything else that is not as it
// was before, the process is ended.
func (p *served) try(ctx context.Context, c *candidate) (result MutantResult, sure bool, err error) {
	began := time.Now()
	defer func() { c.elapsed += time.Since(began) }()
	for _, b := range batches(p.survey.reaching(c.number)) {
		// As in a process of its own, where package testing says in which order.
		slices.SortFunc(b, func(a, b surveyed) int { return cmp.Compare(a.order, b.order) })
		for _, t := range b {
			result, clean, err := p.ask(ctx, c.number, t)
			if err != nil || !clean {
				return result, false, errors.Join(err, p.end())
			}
			if result.Verdict == "" {
				continue
			}
			control, passes, err := p.ask(ctx, 0, t)
			if err != nil || !passes || control.Verdict != "" {
				return result, false, errors.Join(err, p.end())
			}
			again, fails, err := p.ask(ctx, c.number, t)
			if err != nil || !fails || again.Test != result.Test {
				return result, false, errors.Join(err, p.end())
			}
			return result, true, nil
		}
	}
	return result, false, nil
}

// ask runs one test under a mutant, or none. It is clean if the test passed or
// was failed by an assertion, and the process looks as it did before.
func (p *served) ask(ctx context.Context, number int, t surveyed) (result MutantResult, clean bool, err error) {
	if p.session == nil {
		if p.session, err = p.slot.serve(ctx); p.session == nil {
			return result, false, err
		}
	}
	l := batch{t}.limits(leastServed)
	if err := p.slot.state(number, l.turns); err != nil {
		return result, false, err
	}
	answer, ok, err := p.session.Ask(ctx, testbin.Pattern([]string{t.name}), l.timeout)
	if err != nil || !ok {
		return result, false, err
	}
	result = kill(p.survey.pkg, answer.Result, nil)
	ended := answer.Status(t.name) != testbin.None
	return result, ended && !answer.Changed && (result.Verdict == "" || result.Verdict == Caught), nil
}

// end ends the process, if one runs, and removes what the tests left.
func (p *served) end() error {
	if p.session == nil {
		return nil
	}
	err := p.session.End()
	p.session = nil
	return errors.Join(err, p.slot.clean())
}

// repeatable reports whether all tests of the tree itself pass again and again
// in one process, and leave it as it is.
func (s *slot) repeatable(ctx context.Context) (ok bool, err error) {
	session, err := s.serve(ctx)
	if session == nil {
		return false, err
	}
	defer func() { err = errors.Join(err, session.End(), s.clean()) }()
	for range repeats {
		answer, ok, err := session.Ask(ctx, ".", firstTimeout)
		if err != nil || !ok || answer.Exit != 0 || answer.Changed {
			return false, err
		}
	}
	return true, nil
}

// serve starts a process that runs tests as often as it is told to, or returns
// none if it does not come so far.
func (s *slot) serve(ctx context.Context) (*testbin.Session, error) {
	env, err := s.ready(0, 0)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(s.dir, switches.Serving), nil, 0o644); err != nil {
		return nil, err
	}
	session, err := s.binary.Serve(env, switches.Served)
	if err != nil {
		return nil, err
	}
	// It reads the state at its start: that is not changed before.
	_, ok, err := session.Ask(ctx, "", firstTimeout)
	if err != nil || !ok {
		return nil, errors.Join(err, session.End(), s.clean())
	}
	return session, nil
}
