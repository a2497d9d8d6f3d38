package mutate

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// survey is what is known of the tests of a package before any mutant is on:
// that they are steady, how long each takes, and which mutants it comes to.
type survey struct {
	pkg   string
	tests []surveyed // the shortest first
	// Whether mutants may be judged in one process, and those that are come to
	// before any test is, which may not.
	served  bool
	initial marks
}

type surveyed struct {
	name    string
	order   int           // among the tests of the package
	elapsed time.Duration // with its process
	own     time.Duration // without
	turns   int64
	reaches marks
	reads   bool // a fixture
}

// UnsteadyError is a test of the tree itself that does not pass each time. No
// verdict means anything then.
type UnsteadyError struct {
	Package, Test string
	Run           int // of so many
	Of            int
	Shuffle       uint64
	Output        string
}

func (e *UnsteadyError) Error() string {
	return fmt.Sprintf("%s: the tree itself, with nothing changed, fails %s in run %d of %d (-shuffle %d): mend it first, nothing was judged\n%s",
		e.Package, e.Test, e.Run, e.Of, e.Shuffle, strings.ReplaceAll(e.Output, "\x16", ""))
}

// survey runs the tests of the tree itself, shuffled, so often, and then each
// alone.
func (g *generation) survey(ctx context.Context, s *slot, suite testbin.Suite) (*survey, error) {
	free, pkg := limits{timeout: firstTimeout}, suite.Package
	for i := range g.Steady {
		g.say("%s: the tree itself, %d of %d", pkg, i+1, g.Steady)
		// All tests, said so that a suite knows: what it does after all of them
		// is not asked here.
		shuffle := g.Seed%(1<<62) + uint64(i) + 1
		run, _, err := s.start(ctx, 0, free, "run=.", fmt.Sprintf("shuffle=%d", shuffle))
		if err != nil {
			return nil, err
		}
		if run.Exit != 0 || run.TimedOut {
			return nil, &UnsteadyError{pkg, cmp.Or(run.FirstFailed(), "as a whole"), i + 1, g.Steady, shuffle, string(run.Output)}
		}
	}
	listed, initial, err := s.start(ctx, recording, free, "list=.")
	if err != nil {
		return nil, err
	}
	v := &survey{pkg: pkg, initial: initial}
	if g.servable(suite) {
		if v.served, err = s.repeatable(ctx); err != nil {
			return nil, err
		}
	}
	names := testName.FindAllString(string(listed.Output), -1)
	for i, name := range names {
		g.say("%s: what each test reaches, %d of %d", pkg, i+1, len(names))
		run, made, err := s.start(ctx, recording, free, testbin.Together([]string{name}))
		if err != nil {
			return nil, err
		}
		switch {
		case run.Exit != 0 || run.TimedOut:
			return nil, &UnsteadyError{pkg, name, 1, 1, 0, string(run.Output)}
		case run.Status(name) == testbin.Passed:
			v.tests = append(v.tests, surveyed{name, i, run.Elapsed, run.Took(name), made.turns() * 2, made, g.known(run)})
		}
	}
	slices.SortStableFunc(v.tests, func(a, b surveyed) int { return cmp.Or(cmp.Compare(a.own, b.own), cmp.Compare(a.elapsed, b.elapsed)) })
	return v, nil
}

// recording is the state of switches that marks all that are come to.
const recording = -1

// testName is a line of -test.list that names what -test.run runs.
var testName = regexp.MustCompile(`(?m)^(?:Test|Fuzz|Example)\w*$`)

// reaching are the tests that come to the function of a switch.
func (v *survey) reaching(number int) []surveyed {
	return slices.DeleteFunc(slices.Clone(v.tests), func(t surveyed) bool { return !t.reaches.reached(number) })
}

// batch are tests that one process runs. Most mutants are caught by a test
// that takes no time, and a process takes some; so the batches grow.
type batch []surveyed

func batches(tests []surveyed) []batch {
	var all []batch
	room := 50 * time.Millisecond
	var b batch
	var sum time.Duration
	for _, t := range tests {
		if len(b) > 0 && sum+t.own > room {
			all, b, sum, room = append(all, b), nil, 0, room*2
		}
		b, sum = append(b, t), sum+t.own
	}
	if len(b) > 0 {
		all = append(all, b)
	}
	return all
}

func (b batch) names() []string {
	var all []string
	for _, t := range b {
		all = append(all, t.name)
	}
	return all
}

func (b batch) limits(timeout time.Duration) limits {
	var elapsed time.Duration
	var turns int64
	for _, t := range b {
		elapsed, turns = elapsed+t.elapsed, turns+t.turns
	}
	return limits{turns: max(leastTurns, moreTimes*turns), timeout: max(timeout, moreTimes*elapsed)}
}
