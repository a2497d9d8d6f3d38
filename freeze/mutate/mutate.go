// Package mutate injects faults into a tree that passes its tests, and requires
// that the tests fail for the intended reason: a regression written by hand by
// the one assertion that is meant for it.
//
// Nothing is written into the tree. Edits are rendered for the go command's
// -overlay, as switches where they can be, so that one build of a package's
// tests serves all of them. Each run is a process of its own; made-up mutants
// that an assertion catches beyond doubt share one. What is not Go is edited in
// a copy of the tree, in which a command runs. A regression that is caught
// passes, and nothing else does.
package mutate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// times is in how many processes a regression is judged.
const times = 3

// DefaultTimeout is after what time a test under a mutant is taken to have no
// end, where the tree itself does not need a good part of it.
const DefaultTimeout = 30 * time.Second

// Request says what is to be judged.
type Request struct {
	Dir         string // the folder from which files and packages are meant
	Env         []string
	Regressions []*regression.Regression
	Jobs        int           // how many tests run at once; 0 is the number of cores
	Timeout     time.Duration // after which a mutant runs away, if the tree itself is not slow; 0 is DefaultTimeout
	Show        func(Result)  // is told each result when it is there, one at a time; may be nil
}

// Result is what came of one regression.
type Result struct {
	Regression *regression.Regression
	Verdict    Verdict
	Why        string
	Output     string // of the first run under it, or of the compiler
	Elapsed    time.Duration
	Fixtures   map[string]bool // that the test named in the first run, and whether it failed there
}

// Run judges regressions, and returns the results in their order.
func Run(ctx context.Context, req Request) ([]Result, error) {
	s, err := newScratch()
	if err != nil {
		return nil, err
	}
	j := &judging{Request: req, site: site{dir: req.Dir, env: req.Env, timeout: req.Timeout, scratch: s},
		turns: make(chan struct{}, jobs(req.Jobs)), results: make([]Result, len(req.Regressions))}
	err = j.run(ctx)
	// The test that a signal has ended is gone by now.
	return j.results, errors.Join(err, s.remove())
}

// judging is one run.
type judging struct {
	Request
	site
	turns chan struct{} // that commands take, as many as may run at once

	mu      sync.Mutex
	results []Result
}

// mutant is one regression with its place in the tree.
type mutant struct {
	index  int
	change *source.Change
	number int // of its switch, 0 if it is built alone
}

func (j *judging) run(ctx context.Context) error {
	if err := j.tests(ctx); err != nil {
		return err
	}
	return j.commands(ctx)
}

// tests judges the regressions of Go.
func (j *judging) tests(ctx context.Context) error {
	mutants, err := j.place(ctx)
	if err != nil || len(mutants) == 0 {
		return err
	}
	switched := &testbin.Builder{Dir: j.Dir, Env: j.Env}
	if err := j.render(switched, mutants); err != nil {
		return err
	}
	byPackage := make(map[string][]*mutant)
	var packages []string
	for _, m := range mutants {
		pkg := j.Regressions[m.index].Test.Package
		if byPackage[pkg] == nil {
			packages = append(packages, pkg)
		}
		byPackage[pkg] = append(byPackage[pkg], m)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(jobs(j.Jobs))
	for i, pkg := range packages {
		g.Go(func() error { return j.pack(ctx, fmt.Sprint("p", i), switched, pkg, byPackage[pkg]) })
	}
	return g.Wait()
}

// place finds what the regressions change, and judges those that have no place
// or do not compile.
func (j *judging) place(ctx context.Context) ([]*mutant, error) {
	var folders []string
	for _, r := range j.Regressions {
		if dir := "./" + filepath.ToSlash(filepath.Dir(r.File)); r.Run == "" && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	var err error
	if j.tree, err = source.Load(ctx, j.Dir, j.Env, folders...); err != nil {
		return nil, err
	}
	var mutants []*mutant
	for i, r := range j.Regressions {
		if r.Run != "" {
			continue
		}
		c, err := j.tree.Locate(source.Edit{File: r.File, Decl: r.Func, Find: r.Find, Replace: r.Replace})
		if err == nil {
			err = c.Check()
		}
		if err == nil {
			mutants = append(mutants, &mutant{index: i, change: c})
		} else if err := j.refuse(i, err); err != nil {
			return nil, err
		}
	}
	return mutants, nil
}

// refuse gives a regression that cannot be run its verdict, or returns the
// error if it is no fault of the regression.
func (j *judging) refuse(i int, err error) error {
	var stale *source.StaleError
	var compile *source.CompileError
	switch {
	case errors.As(err, &stale):
		j.done(i, finding{judged: judged{verdict: Stale, why: stale.Why}})
	case errors.As(err, &compile):
		j.done(i, finding{judged: judged{verdict: NotViable, why: compile.Message}})
	default:
		return err
	}
	return nil
}

func (j *judging) done(i int, f finding) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.results[i] = Result{Regression: j.Regressions[i], Verdict: f.verdict, Why: f.why, Output: f.output, Elapsed: f.elapsed, Fixtures: f.fixtures}
	if j.Show != nil {
		j.Show(j.results[i])
	}
}

// render writes the overlay with all switches.
func (j *judging) render(b *testbin.Builder, mutants []*mutant) error {
	changes := make([]*source.Change, len(mutants))
	for i, m := range mutants {
		changes[i] = m.change
	}
	overlay, errs := j.tree.Switches(changes)
	for i, err := range errs {
		if err == nil {
			mutants[i].number = i + 1
		}
	}
	dir, err := j.scratch.sub("overlay")
	if err != nil {
		return err
	}
	b.Overlay, err = overlay.Write(dir)
	return err
}

// pack judges the regressions whose test is in one package.
func (j *judging) pack(ctx context.Context, name string, b *testbin.Builder, pkg string, mutants []*mutant) error {
	s, err := j.slot(ctx, name, *b, pkg)
	var none *testbin.NoTestsError
	if errors.As(err, &none) {
		for _, m := range mutants {
			j.done(m.index, finding{judged: judged{verdict: Stale, why: err.Error()}})
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, group := range byTest(mutants, j.Regressions) {
		if err := j.test(ctx, name, s, *b, group); err != nil {
			return err
		}
	}
	return nil
}

// byTest gathers the mutants of one test.
func byTest(mutants []*mutant, of []*regression.Regression) [][]*mutant {
	var groups [][]*mutant
	at := make(map[string]int)
	for _, m := range mutants {
		test := of[m.index].Test.Name
		i, ok := at[test]
		if !ok {
			i = len(groups)
			at[test], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], m)
	}
	return groups
}
