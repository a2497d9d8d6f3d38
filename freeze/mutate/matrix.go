package mutate

import (
	"cmp"
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/cover"

	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// Row is one mutant in the matrix. Tests are told as PACKAGE TEST.
type Row struct {
	Asked    []string // tests that were run under it
	Failed   []string // of those the innermost that failed, in full
	Fixtures []string // of tests that failed, as FAMILY/RELEASE/SCENARIO
}

// FixtureResult is what tests of one fixture made of all mutants.
type FixtureResult struct {
	Fixture string
	Asked   int // mutants under which a test read it
	Caught  int // those under which such a test failed
}

// Line is a line on which a statement begins.
type Line = source.Line

// row is a Row that is not finished, over several suites.
type row struct {
	asked, failed []string
	fixtures      map[string]bool // that were read, and whether they caught it
}

// add takes what a run under the mutant said.
func (r *row) add(pkg string, tests batch, run *testbin.Result) {
	for _, t := range tests {
		r.asked = append(r.asked, pkg+" "+t.name)
	}
	for _, name := range run.Failures() {
		r.failed = append(r.failed, pkg+" "+name)
	}
	if r.fixtures == nil {
		r.fixtures = make(map[string]bool)
	}
	for name, caught := range run.Fixtures() {
		r.fixtures[name] = r.fixtures[name] || caught
	}
}

// Row is what is told of it.
func (r *row) Row() Row {
	var caught []string
	for _, name := range slices.Sorted(maps.Keys(r.fixtures)) {
		if r.fixtures[name] {
			caught = append(caught, name)
		}
	}
	return Row{Asked: slices.Sorted(slices.Values(r.asked)), Failed: slices.Sorted(slices.Values(r.failed)), Fixtures: caught}
}

// all asks all tests, and returns by what the first failed. Where the process
// does not come to its end nobody knows what the others would have said: each
// is asked alone then.
func (g *generation) all(ctx context.Context, s *slot, pkg string, number int, tests []surveyed, c *candidate) (first MutantResult, err error) {
	if len(tests) == 0 {
		return first, nil
	}
	rounds := []batch{tests}
	for i := 0; i < len(rounds); i++ {
		b := rounds[i]
		run, err := g.ask(ctx, s, number, b, c)
		if err != nil {
			return first, err
		}
		result := kill(pkg, run.Result, run.made)
		if len(b) > 1 && (result.Verdict == Panicked || result.Verdict == Runaway) {
			for _, t := range b {
				rounds = append(rounds, batch{t})
			}
			continue
		}
		c.row.add(pkg, b, run.Result)
		if first.Verdict == "" {
			first = result
		}
	}
	return first, nil
}

// known takes note of the fixtures that a test of the tree itself reads, and
// reports whether there are any.
func (g *generation) known(run *testbin.Result) bool {
	for name := range run.Fixtures() {
		g.fixtures.at(name)
	}
	return len(run.Fixtures()) > 0
}

// fixtures are results by the names of fixtures.
type fixtures map[string]*FixtureResult

func (f fixtures) at(name string) *FixtureResult {
	if f[name] == nil {
		f[name] = &FixtureResult{Fixture: name}
	}
	return f[name]
}

// add counts one mutant, under which fixtures were read.
func (f fixtures) add(read map[string]bool) {
	for name, caught := range read {
		f.at(name).Asked++
		if caught {
			f.at(name).Caught++
		}
	}
}

func (f fixtures) sorted() []FixtureResult {
	var all []FixtureResult
	for _, name := range slices.Sorted(maps.Keys(f)) {
		all = append(all, *f[name])
	}
	return all
}

// Fixtures turns the results of regressions round: what the tests of each
// fixture caught. A fixture that no regression's test reads is not among them.
func Fixtures(results []Result) []FixtureResult {
	f := make(fixtures)
	for _, r := range results {
		f.add(r.Fixtures)
	}
	return f.sorted()
}

// matrix turns the rows round, and finds the lines that are in none.
func (g *generation) matrix() error {
	for _, r := range g.Results {
		g.fixtures.add(r.fixtures)
	}
	g.Fixtures = g.fixtures.sorted()
	return g.lines()
}

// covered are the lines that tests of fixtures come to, by import path and name
// of the file.
type covered map[string]map[int]bool

// cover runs the tests of the tree itself that read fixtures, and takes note of
// the lines that they come to. Nothing is edited in it: coverage is measured of
// files on disk.
func (g *generation) cover(ctx context.Context, name string, v *survey) error {
	var reading batch
	for _, t := range v.tests {
		if t.reads {
			reading = append(reading, t)
		}
	}
	if len(reading) == 0 {
		return nil
	}
	g.say("%s: which lines the tests of fixtures reach", v.pkg)
	b := testbin.Builder{Dir: g.Dir, Env: g.Env}
	for _, p := range g.tree.Packages() {
		b.Cover = append(b.Cover, p.Path)
	}
	s, err := g.slot(ctx, name, b, v.pkg)
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, "profile")
	run, _, err := s.start(ctx, 0, limits{timeout: firstTimeout}, testbin.Together(reading.names()), "coverprofile="+file)
	if err != nil {
		return err
	}
	if run.Exit != 0 || run.TimedOut {
		return &UnsteadyError{v.pkg, cmp.Or(run.FirstFailed(), "as a whole"), 1, 1, 0, string(run.Output)}
	}
	profiles, err := cover.ParseProfiles(file)
	if err != nil {
		return err
	}
	for _, p := range profiles {
		if g.covered[p.FileName] == nil {
			g.covered[p.FileName] = make(map[int]bool)
		}
		for _, block := range p.Blocks {
			for line := block.StartLine; block.Count > 0 && line <= block.EndLine; line++ {
				g.covered[p.FileName][line] = true
			}
		}
	}
	return nil
}

// lines finds the lines that no mutant is of, of all that there are and not of
// those that were asked for, and those that no test of a fixture comes to.
func (g *generation) lines() error {
	all := g.tree.Mutants()
	changes := make([]*source.Change, len(all))
	for i, m := range all {
		changes[i] = m.Change
	}
	_, forms, err := g.tree.Forms(changes)
	if err != nil {
		return err
	}
	for _, l := range g.tree.Lines() {
		touched := false
		for i, m := range all {
			touched = touched || forms[i] != source.None && m.Touches(l)
		}
		if !touched {
			g.Untouched = append(g.Untouched, l)
		}
		if len(g.covered) > 0 && !g.covered[path.Join(l.Package, path.Base(l.File))][l.Number] {
			g.Unreached = append(g.Unreached, l)
		}
	}
	return nil
}
