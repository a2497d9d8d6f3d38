package mutate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
	"github.com/freeze-contracts/permafrost/freeze/shard"
)

// Generation says which mutants are made up and judged.
type Generation struct {
	Dir      string // the folder from which packages are meant
	Env      []string
	Packages []string // what mutants are made of
	Suites   []string // the tests that have to catch them, asked in this order
	Known    []Known  // the ledger of those that survive for a reason

	IDs     []string        // these alone, or all
	Since   *Changes        // those of them that change what changed; nil for all
	Sample  int             // so many of them that are not known, or all if 0
	Seed    uint64          // by which they are drawn, and tests shuffled
	Stop    <-chan struct{} // once it is closed no more are begun; nil for all of them
	Steady  int             // how often the tree itself has to pass first
	Isolate bool            // whether each mutant has processes of its own
	Matrix  bool            // whether all tests are asked, and what each catches is told
	Shard   shard.Shard     // which part of those that are chosen is judged

	Jobs    int
	Timeout time.Duration
	Say     func(string)            // is told what is done, one at a time; may be nil
	Show    func(MutantResult, int) // is told each result, and how many there will be; may be nil
}

// MutantResult is what came of one mutant.
type MutantResult struct {
	Mutant  *source.Mutant
	Verdict Verdict
	Known   string // why it may survive
	Test    string // the package and the first test that failed
	Why     string
	Output  string
	Elapsed time.Duration
	Served  bool // in one process with others
	Row     Row  // of the matrix

	fixtures map[string]bool // that were read, and whether their tests failed
}

// Killed reports whether a test failed under it, in whatever way.
func (r MutantResult) Killed() bool {
	return r.Verdict == Caught || r.Verdict == Panicked || r.Verdict == Runaway
}

// Bad reports whether nothing caught it and no reason is known for that, or
// whether a reason is known that is none.
func (r MutantResult) Bad() bool { return r.Killed() == (r.Known != "") }

// Generated is what came of all.
type Generated struct {
	Results   []MutantResult // in the order of the source
	NotViable int            // were made up and do not compile
	Left      int            // were not begun
	Gone      []Known        // are in the ledger, and no mutant any more
	Chosen    []string       // ids of what all shards judge

	// With Generation.Matrix.
	Fixtures  []FixtureResult
	Untouched []Line // no mutant is of it
	Unreached []Line // no test that reads a fixture comes to it; none if no test does
}

// Generate makes up mutants and judges them by the suites, from the first to
// the last: what one catches is not asked of the next. Where ctx
// ends, its error comes with what was judged so far.
func Generate(ctx context.Context, g Generation) (*Generated, error) {
	s, err := newScratch()
	if err != nil {
		return nil, err
	}
	run := &generation{Generation: g, site: site{dir: g.Dir, env: g.Env, timeout: g.Timeout, scratch: s}}
	err = run.run(ctx)
	if ctx.Err() != nil {
		// What was judged is true all the same.
		run.Left = run.total - len(run.Results)
	}
	slices.SortFunc(run.Results, func(a, b MutantResult) int { return a.Mutant.Compare(b.Mutant) })
	return &run.Generated, errors.Join(err, s.remove())
}

// generation is one run.
type generation struct {
	Generation
	site
	Generated
	builder testbin.Builder

	mu       sync.Mutex
	total    int
	reached  map[*candidate]bool
	fixtures fixtures
	covered  covered
}

// candidate is a mutant that no test has caught so far.
type candidate struct {
	mutant  *source.Mutant
	number  int // of its switch, 0 if it is built alone
	elapsed time.Duration
	begun   bool // by some suite

	result MutantResult // once a test failed
	row    row
}

func (g *generation) run(ctx context.Context) error {
	var err error
	if g.tree, err = source.Load(ctx, g.Dir, g.Env, g.Packages...); err != nil {
		return err
	}
	for _, pattern := range g.Packages {
		if !g.tree.Matched(pattern) {
			return fmt.Errorf("mutate.packages: there is no package %q", pattern)
		}
	}
	suites, err := testbin.Builder{Dir: g.Dir, Env: g.Env}.Suites(ctx, g.Suites)
	if err != nil {
		return err
	}
	candidates, err := g.candidates(suites)
	if err != nil {
		return err
	}
	if len(suites) == 0 {
		return fmt.Errorf("none of the suites %q has a test", g.Suites)
	}
	g.total, g.reached = len(candidates), make(map[*candidate]bool)
	g.fixtures, g.covered = make(fixtures), make(covered)
	for i, suite := range suites {
		if candidates, err = g.suite(ctx, fmt.Sprint("s", i), suite, candidates); err != nil {
			return err
		}
	}
	g.rest(candidates)
	if g.Matrix {
		return g.matrix()
	}
	return nil
}

// candidates are the mutants that are asked for and compile.
func (g *generation) candidates(suites []testbin.Suite) ([]*candidate, error) {
	all := g.tree.Mutants()
	if len(all) == 0 {
		return nil, fmt.Errorf("mutate.packages: nothing in %q makes a mutant", g.Packages)
	}
	for _, k := range g.Known {
		if !slices.ContainsFunc(all, func(m *source.Mutant) bool { return m.ID == k.ID }) {
			g.Gone = append(g.Gone, k)
		}
	}
	var chosen []*source.Mutant
	for _, m := range all {
		if g.Sample > 0 && g.listed(m) != "" {
			continue
		}
		if (len(g.IDs) == 0 || slices.Contains(g.IDs, m.ID)) && (g.Since == nil || g.Since.Mutant(m)) {
			chosen = append(chosen, m)
		}
	}
	if g.Sample > 0 && g.Sample < len(chosen) {
		rand.New(rand.NewPCG(g.Seed, 0)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:g.Sample]
		slices.SortFunc(chosen, (*source.Mutant).Compare)
	}
	chosen = g.mine(chosen)
	changes := make([]*source.Change, len(chosen))
	for i, m := range chosen {
		changes[i] = m.Change
	}
	overlay, forms, err := g.tree.Forms(changes)
	if err != nil {
		return nil, err
	}
	for _, s := range suites {
		if g.servable(s) {
			overlay.Serve(s.Dir, s.Name)
		}
	}
	g.builder = testbin.Builder{Dir: g.Dir, Env: g.Env}
	dir, err := g.scratch.sub("overlay")
	if err != nil {
		return nil, err
	}
	if g.builder.Overlay, err = overlay.Write(dir); err != nil {
		return nil, err
	}
	var candidates []*candidate
	for i, m := range chosen {
		switch forms[i] {
		case source.None:
			g.NotViable++
		case source.Switch:
			candidates = append(candidates, &candidate{mutant: m, number: i + 1})
		case source.Alone:
			candidates = append(candidates, &candidate{mutant: m})
		}
	}
	return candidates, nil
}

// mine are those of the chosen mutants that are the shard's.
func (g *generation) mine(chosen []*source.Mutant) []*source.Mutant {
	for _, m := range chosen {
		g.Chosen = append(g.Chosen, m.ID)
	}
	ids := make(map[string]bool)
	for _, id := range g.Shard.Take(g.Chosen) {
		ids[id] = true
	}
	return slices.DeleteFunc(chosen, func(m *source.Mutant) bool { return !ids[m.ID] })
}

// stopped reports whether no more mutants are begun.
func (g *generation) stopped() bool {
	select {
	case <-g.Stop:
		return true
	default:
		return false
	}
}

// listed is the reason why a mutant may survive, or nothing.
func (g *generation) listed(m *source.Mutant) string {
	for _, k := range g.Known {
		if k.ID == m.ID {
			return k.Reason
		}
	}
	return ""
}

// rest are what no suite caught, or was asked about; in a matrix all, since what
// one catches is asked of the next.
func (g *generation) rest(candidates []*candidate) {
	for _, c := range candidates {
		switch {
		case !c.begun && g.stopped():
			g.Left++
		case c.result.Verdict != "":
			g.done(c, c.result)
		case g.reached[c] || c.number == 0:
			g.done(c, MutantResult{Verdict: Survived, Why: "no test fails"})
		default:
			g.done(c, MutantResult{Verdict: NotReached, Why: "no test comes to it"})
		}
	}
}

func (g *generation) done(c *candidate, r MutantResult) {
	r.Mutant, r.Elapsed, r.Known = c.mutant, c.elapsed, g.listed(c.mutant)
	r.Row, r.fixtures = c.row.Row(), c.row.fixtures
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Results = append(g.Results, r)
	if g.Show != nil {
		g.Show(r, g.total)
	}
}

func (g *generation) say(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.Say != nil {
		g.Say(fmt.Sprintf(format, args...))
	}
}

// suite asks the tests of one package of all candidates, and returns those of
// which the next is asked.
func (g *generation) suite(ctx context.Context, name string, suite testbin.Suite, candidates []*candidate) ([]*candidate, error) {
	var left, asked []*candidate
	stopped := g.stopped()
	for _, c := range candidates {
		if suite.Imports[c.mutant.Package()] && (c.begun || !stopped) {
			asked = append(asked, c)
		} else {
			left = append(left, c)
		}
	}
	if len(asked) == 0 {
		return left, nil
	}
	slots := make([]*slot, min(jobs(g.Jobs), len(asked)))
	s, err := g.prepare(ctx, name, suite, slots)
	if err != nil {
		return nil, err
	}
	if g.Matrix {
		if err := g.cover(ctx, name+"-cover", s); err != nil {
			return nil, err
		}
	}
	work := make(chan *candidate, len(asked))
	for _, c := range asked {
		work <- c
	}
	close(work)
	group, ctx := errgroup.WithContext(ctx)
	for i, slot := range slots {
		group.Go(func() error {
			missed, err := g.work(ctx, fmt.Sprintf("%s-%d-alone", name, i), slot, s, work, len(asked))
			g.mu.Lock()
			defer g.mu.Unlock()
			left = append(left, missed...)
			return err
		})
	}
	// In one statement left might be read before it is whole.
	err = group.Wait()
	return left, err
}

// work judges candidates in a slot, and returns those that are left to ask.
func (g *generation) work(ctx context.Context, name string, s *slot, v *survey, work <-chan *candidate, of int) (left []*candidate, err error) {
	p := &served{slot: s, survey: v}
	defer func() { err = errors.Join(err, p.end()) }()
	// What is in doubt in one process is judged alone, several after its end.
	var doubted []*candidate
	alone := func(all ...*candidate) error {
		if err := p.end(); err != nil {
			return err
		}
		for _, c := range all {
			done, err := g.try(ctx, name, s, v, c)
			if err != nil {
				return err
			}
			if !done {
				left = append(left, c)
			}
		}
		return nil
	}
	for c := range work {
		// What was begun is judged to the end: it may survive.
		c.begun = c.begun || !g.stopped()
		switch {
		case !c.begun:
			left = append(left, c)
		case v.serves(c):
			result, sure, err := p.try(ctx, c)
			if err != nil {
				return nil, err
			}
			if sure {
				result.Served = true
				g.done(c, result)
			} else {
				doubted = append(doubted, c)
			}
		default:
			if err := alone(c); err != nil {
				return nil, err
			}
		}
		if len(doubted) == mostDoubted {
			if err := alone(doubted...); err != nil {
				return nil, err
			}
			doubted = nil
		}
		if g.Matrix {
			g.say("%s: %d mutants of %d are left to ask", v.pkg, len(work), of)
		}
	}
	err = alone(doubted...)
	return left, err
}

// prepare builds the slots. What is compiled for the first is there for the
// others, which are linked while the tests of the tree itself run.
func (g *generation) prepare(ctx context.Context, name string, suite testbin.Suite, slots []*slot) (v *survey, err error) {
	pkg := suite.Package
	if slots[0], err = g.slot(ctx, name+"-0", g.builder, pkg); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { v, err = g.survey(ctx, slots[0], suite); return err })
	group.Go(func() (err error) {
		for i := 1; i < len(slots) && err == nil; i++ {
			slots[i], err = g.slot(ctx, fmt.Sprintf("%s-%d", name, i), g.builder, pkg)
		}
		return err
	})
	err = group.Wait()
	return v, err
}

// try asks a suite about one mutant. Done means that no other is asked.
func (g *generation) try(ctx context.Context, name string, s *slot, v *survey, c *candidate) (done bool, err error) {
	began := time.Now()
	number, tests := c.number, v.reaching(c.number)
	if number == 0 {
		number, tests = 1, v.tests
		s, _, err = g.alone(ctx, name, g.builder, v.pkg, c.mutant.Change)
		if build, ok := errors.AsType[*testbin.BuildError](err); ok {
			// What depends on a declaration may not compile without it.
			g.done(c, MutantResult{Verdict: NotViable, Why: build.First(), Output: build.Output})
			return true, nil
		}
		if err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, removeAll(s.dir)) }()
	}
	ask := g.first
	if g.Matrix {
		ask = g.all
	}
	result, err := ask(ctx, s, v.pkg, number, tests, c)
	c.elapsed += time.Since(began)
	switch {
	case err != nil || result.Verdict == "":
		return false, err
	case g.Matrix:
		if c.result.Verdict == "" {
			c.result = result
		}
		return false, nil
	}
	g.done(c, result)
	return true, nil
}

// first asks tests until one fails.
func (g *generation) first(ctx context.Context, s *slot, pkg string, number int, tests []surveyed, c *candidate) (MutantResult, error) {
	for _, batch := range batches(tests) {
		run, err := g.ask(ctx, s, number, batch, c, "failfast")
		if err != nil {
			return MutantResult{}, err
		}
		if result := kill(pkg, run.Result, run.made); result.Verdict != "" {
			return result, nil
		}
	}
	return MutantResult{}, nil
}

// asked is a run of tests and what was marked in it.
type asked struct {
	*testbin.Result
	made marks
}

// ask runs tests under a mutant.
func (g *generation) ask(ctx context.Context, s *slot, number int, b batch, c *candidate, args ...string) (asked, error) {
	run, made, err := s.start(ctx, number, b.limits(s.timeout), append([]string{testbin.Together(b.names())}, args...)...)
	if err == nil && made.reached(number) {
		g.mu.Lock()
		g.reached[c] = true
		g.mu.Unlock()
	}
	return asked{run, made}, err
}

// kill says by what a run failed, or nothing if it passed.
func kill(pkg string, run *testbin.Result, made marks) MutantResult {
	message, said := run.First()
	r := MutantResult{Test: pkg, Output: string(run.Output)}
	if test := run.FirstFailed(); test != "" {
		r.Test += " " + test
	}
	switch crash := run.Crash(); {
	case made.runaway():
		r.Verdict, r.Why = Runaway, "more turns of loops than any run without it"
	case run.TimedOut:
		r.Verdict, r.Why = Runaway, fmt.Sprintf("no end after %s", run.Elapsed.Round(1e9))
	case endless.MatchString(crash):
		r.Verdict, r.Why = Runaway, crash
	case crash != "":
		r.Verdict, r.Why = Panicked, crash
	case run.Exit == 0:
		return MutantResult{}
	case run.FirstFailed() == "":
		r.Verdict, r.Why = Panicked, fmt.Sprintf("the process ended with exit status %d, and no test failed", run.Exit)
	case said:
		r.Verdict, r.Why = Caught, name(message)
	default:
		r.Verdict, r.Why = Caught, "without a message"
	}
	return r
}
