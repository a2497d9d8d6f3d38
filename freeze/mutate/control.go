package mutate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// test judges the mutants of one test: the tree itself has to pass it before
// and after all of them.
func (j *judging) test(ctx context.Context, name string, s *slot, b testbin.Builder, mutants []*mutant) error {
	test := j.Regressions[mutants[0].index].Test.Name
	before, err := s.control(ctx, test)
	if err != nil {
		return err
	}
	if before.verdict != "" {
		for _, m := range mutants {
			j.done(m.index, before)
		}
		return nil
	}
	found := make([]finding, len(mutants))
	for i, m := range mutants {
		if found[i], err = j.judge(ctx, fmt.Sprintf("%s-%d", name, m.index), s, b, m); err != nil {
			return err
		}
	}
	after, err := s.control(ctx, test)
	if err != nil {
		return err
	}
	for i, m := range mutants {
		if after.verdict != "" {
			found[i] = finding{judged: judged{verdict: Unstable, why: after.why + ", after it had passed"}, output: after.output, elapsed: found[i].elapsed}
		}
		j.done(m.index, found[i])
	}
	return nil
}

// finding is what several runs under one mutant came to.
type finding struct {
	judged
	output   string
	elapsed  time.Duration
	fixtures map[string]bool // that the first run named, and whether it failed there
}

// control runs the test with no mutant on. It has no verdict if it passes.
func (s *slot) control(ctx context.Context, test string) (f finding, err error) {
	run, _, err := s.run(ctx, test, 0)
	if err != nil {
		return f, err
	}
	f.output, f.elapsed = string(run.Output), run.Elapsed
	switch status := run.Status(test); {
	case status == testbin.Passed:
	case status == testbin.Skipped:
		f.judged = judged{verdict: Unstable, why: "the tree itself: the test is skipped"}
	case status == testbin.None && run.Exit == 0:
		f.judged = judged{verdict: Stale, why: fmt.Sprintf("%s has no test %s", s.binary.Package, test)}
	case run.TimedOut:
		f.judged = judged{verdict: Unstable, why: fmt.Sprintf("the tree itself: the test does not end in %s", firstTimeout)}
	default:
		f.judged = judged{verdict: Unstable, why: "the tree itself does not pass the test"}
	}
	return f, nil
}

// judge runs the test under one mutant, in a process of its own each time.
func (j *judging) judge(ctx context.Context, name string, s *slot, b testbin.Builder, m *mutant) (f finding, err error) {
	began := time.Now()
	r := j.Regressions[m.index]
	number, marked := m.number, true
	if number == 0 {
		number = 1
		control := s
		s, marked, err = j.alone(ctx, name, b, r.Test.Package, m.change)
		if build, ok := errors.AsType[*testbin.BuildError](err); ok {
			return finding{judged: judged{verdict: NotViable, why: build.First()}, output: build.Output}, nil
		}
		if err != nil {
			return f, err
		}
		s.turns, s.elapsed = control.turns, control.elapsed
	}
	var runs []judged
	for range times {
		run, marks, err := s.run(ctx, r.Test.Name, number)
		if err != nil {
			return f, err
		}
		if f.output == "" {
			f.output, f.fixtures = string(run.Output), run.Fixtures()
		}
		runs = append(runs, judge(r, run, marks.runaway(), !marked || marks.reached(number)))
		// It is no catch anyway, and takes long.
		if runs[len(runs)-1].verdict == Runaway {
			break
		}
	}
	f.judged, f.elapsed = agree(runs), time.Since(began)
	return f, nil
}
