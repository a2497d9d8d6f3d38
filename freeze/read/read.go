// Package read runs reader scripts: what a release left is thawed into a box,
// today's programs or another release's are run on it, and what they say is
// compared with what the release itself said, its views.
//
// It judges answers and nothing else: what a program should say beyond what
// the release said is the script's to require. What it promises is that an
// answer, a refusal, another answer and a refusal that wrote something are
// told apart, and that the box was proved empty before it is gone.
package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/shard"
)

// This is today's code as a reader: the commit that is checked out. Where
// there is no commit to build, since a command obtains the releases, it is the
// newest release.
const This = "this"

// Request says who reads.
type Request struct {
	// With is the reader: a release, a revision, or This.
	With string
	// Matrix has every release of the ledger read, and This.
	Matrix bool
	// Jobs is how many boxes run at once. 0 means the number of cores.
	Jobs int
	// Log takes the output of builds; nil throws it away.
	Log io.Writer
	// Shard is which part of the pairs is read.
	Shard shard.Shard
}

// Scripts is the folder of the project's reader scripts.
func Scripts(p *cut.Project) (string, error) {
	if p.Config.Read.Scripts == "" {
		return "", errors.New("freeze.toml has no [read] table: name the folder of the reader scripts there, scripts = \"contracts/read\"")
	}
	return filepath.Join(p.Config.Dir, filepath.FromSlash(p.Config.Read.Scripts)), nil
}

// Run runs every reader script that is for a fixture, for every fixture of
// every release and every reader. The error is for a request that cannot be
// begun; what went wrong later is in the report.
func Run(ctx context.Context, p *cut.Project, req Request, show func(cut.Event)) (*Report, error) {
	r, err := do(ctx, p, req, show)
	if err != nil {
		return nil, err
	}
	return r.report, nil
}

// do is Run, with all that is known at its end.
func do(ctx context.Context, p *cut.Project, req Request, show func(cut.Event)) (*run, error) {
	if err := cut.ClearSpent(ctx); err != nil {
		return nil, err
	}
	dir, err := Scripts(p)
	if err != nil {
		return nil, err
	}
	r := &run{Project: p, req: req, show: show, found: make(map[string]ledger.Release), builds: make(map[string]*provider.Build), report: new(Report)}
	if r.scripts, err = Load(dir); err != nil {
		return nil, err
	}
	if err := r.checkFamilies(); err != nil {
		return nil, err
	}
	if err := r.plan(ctx); err != nil {
		return nil, err
	}
	r.play(ctx)
	r.report.sort()
	if ctx.Err() != nil {
		return nil, errors.Join(fmt.Errorf("not all was read: %w", context.Cause(ctx)), r.report.held())
	}
	return r, nil
}

// run is one Run under way.
type run struct {
	*cut.Project
	req     Request
	show    func(cut.Event)
	scripts []*Script
	found   map[string]ledger.Release  // what is to be obtained, by version
	builds  map[string]*provider.Build // by version
	cells   []cell
	names   []string // of the cells of all shards

	mu     sync.Mutex
	report *Report
}

// cell is one script, by one reader, on one fixture.
type cell struct {
	script  *Script
	reader  string
	key     fixture.Key
	fixture *fixture.Scenario
}

func (c cell) name() string { return c.script.Name + " on " + c.key.String() + "/" + c.fixture.Name }

func (r *run) checkFamilies() error {
	var errs []error
	for _, s := range r.scripts {
		if _, ok := r.Config.Family[s.Family]; !ok {
			errs = append(errs, fmt.Errorf("%s: family %q is not in freeze.toml", s.File, s.Family))
		}
	}
	return errors.Join(errs...)
}

// plan lists the cells, and obtains the programs that they run.
func (r *run) plan(ctx context.Context) error {
	readers, err := r.readers(ctx)
	if err != nil {
		return err
	}
	for _, release := range r.Ledger.Releases {
		byFamily, err := r.Load(release.Version)
		if err != nil {
			return err
		}
		if len(byFamily) > 0 {
			r.report.Releases = append(r.report.Releases, release.Version)
		}
		for _, frozen := range byFamily {
			r.planRelease(readers, frozen)
		}
	}
	if len(r.cells) == 0 {
		return errors.New("no fixture to read: cut a release first, or see family, scenario, since and until of the reader scripts")
	}
	r.report.Readers = readers
	r.split()
	return r.obtainAll(ctx)
}

// split leaves the cells of the request's shard.
func (r *run) split() {
	for _, c := range r.cells {
		r.names = append(r.names, c.reader+" "+c.name())
	}
	slices.Sort(r.names)
	mine := make(map[string]bool)
	for _, name := range r.req.Shard.Take(r.names) {
		mine[name] = true
	}
	r.cells = slices.DeleteFunc(r.cells, func(c cell) bool { return !mine[c.reader+" "+c.name()] })
}

// readers are the versions that read, oldest first.
func (r *run) readers(ctx context.Context) ([]string, error) {
	wanted := []string{r.req.With}
	if r.req.Matrix {
		wanted = []string{This}
		for _, release := range r.Ledger.Releases {
			wanted = append(wanted, release.Version)
		}
	}
	var readers []string
	for _, name := range wanted {
		name = r.revision(name)
		release, err := r.find(ctx, name)
		if err == nil && name == scenario.Head {
			err = r.SayUncommitted(ctx, r.show)
		}
		if err != nil {
			return nil, err
		}
		readers = append(readers, release.Version)
	}
	slices.SortFunc(readers, scenario.Compare)
	return slices.Compact(readers), nil
}

// revision is what This stands for.
func (r *run) revision(name string) string {
	if name != This {
		return name
	}
	if newest, ok := r.Ledger.Newest(); ok && r.Config.Provider.Kind != config.Git {
		return newest.Version
	}
	return scenario.Head
}

// find is the release or revision of that name, which is known by its version
// from then on.
func (r *run) find(ctx context.Context, name string) (ledger.Release, error) {
	release, err := r.Find(ctx, name)
	if err == nil {
		r.found[release.Version] = release
	}
	return release, err
}

// obtain gets the programs of a version once.
func (r *run) obtain(ctx context.Context, version string) error {
	if r.builds[version] != nil {
		return nil
	}
	release, ok := r.found[version]
	if !ok {
		var err error
		if release, err = r.find(ctx, version); err != nil {
			return err
		}
	}
	log := r.req.Log
	if log == nil {
		log = io.Discard
	}
	build, err := r.Build(ctx, release, log)
	r.builds[version] = build
	return err
}

// planRelease adds the cells of one family of a release. Of a family that has
// scripts, every fixture must be read by one.
func (r *run) planRelease(readers []string, frozen *fixture.Release) {
	ours := slices.DeleteFunc(slices.Clone(r.scripts), func(s *Script) bool { return s.Family != frozen.Family })
	if len(ours) == 0 {
		return
	}
	key := fixture.Key{Family: frozen.Family, Version: frozen.Version}
	for name, f := range frozen.Scenarios {
		read := false
		for _, s := range ours {
			if !s.For(key.Version, name) {
				continue
			}
			read = true
			for _, reader := range readers {
				if s.ReadBy(reader, key.Version) {
					r.cells = append(r.cells, cell{s, reader, key, f})
				}
			}
		}
		if !read {
			r.report.Unread = append(r.report.Unread, key.String()+"/"+name)
		}
	}
}

// obtainAll gets the programs of the readers, and those that scripts switch to.
func (r *run) obtainAll(ctx context.Context) error {
	for _, c := range r.cells {
		if err := r.obtain(ctx, c.reader); err != nil {
			return err
		}
		for _, version := range c.script.uses(c.key.Version) {
			if err := r.obtain(ctx, version); err != nil {
				return fmt.Errorf("%s: %w", c.script.File, err)
			}
		}
	}
	return nil
}

// play runs the cells side by side.
func (r *run) play(ctx context.Context) {
	jobs := r.req.Jobs
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	slots := semaphore.NewWeighted(int64(jobs))
	r.show(cut.Event{Kind: cut.Planned, Count: len(r.cells)})
	var wg sync.WaitGroup
	for _, c := range r.cells {
		wg.Go(func() {
			if err := slots.Acquire(ctx, 1); err != nil {
				r.ended(c, nil, context.Cause(ctx), 0)
				return
			}
			defer slots.Release(1)
			r.show(cut.Event{Kind: cut.Began, Version: c.reader, Name: c.name()})
			began := time.Now()
			steps, err := r.playCell(ctx, c)
			r.ended(c, steps, err, time.Since(began))
		})
	}
	wg.Wait()
}

// ended notes what became of a cell.
func (r *run) ended(c cell, steps []Step, err error, elapsed time.Duration) {
	r.mu.Lock()
	for _, s := range steps {
		s.Script, s.Reader, s.Release, s.Family, s.Scenario = c.script.Name, c.reader, c.key.Version, c.key.Family, c.fixture.Name
		r.report.Steps = append(r.report.Steps, s)
	}
	if err != nil {
		r.report.Failed = append(r.report.Failed, Failure{
			Script: c.script.Name, Reader: c.reader, Release: c.key.Version, Family: c.key.Family, Scenario: c.fixture.Name,
			Error: err.Error(), err: err,
		})
	}
	r.mu.Unlock()
	r.show(cut.Event{Kind: cut.Ended, Version: c.reader, Name: c.name(), Status: status(steps, err), Elapsed: elapsed})
}

// status is the worst of a cell's outcomes.
func status(steps []Step, err error) cut.Status {
	if err != nil {
		return cut.Failed
	}
	worst := Reads
	for _, s := range steps {
		if slices.Index(outcomes, s.Outcome) > slices.Index(outcomes, worst) {
			worst = s.Outcome
		}
	}
	return cut.Status(worst)
}
