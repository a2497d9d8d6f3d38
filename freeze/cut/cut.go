package cut

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/shard"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// Request says what to freeze.
type Request struct {
	Versions []string
	// Commit is the revision of the one version that the ledger lacks; empty
	// means the tag of that name.
	Commit string
	// Add permits a version that the ledger lacks and that has no commit.
	Add bool
	// Integrity is the hash of the package that is added, if there is one.
	Integrity string
	// DryRun freezes this revision as HEAD, newer than every release, and
	// writes nothing.
	DryRun string
	// Replace writes the fixtures that differ anew, and Why into the ledger.
	Replace bool
	Why     string
	// Jobs is how many boxes run at once. 0 means the number of cores.
	Jobs int `json:"-"`
	// Log takes the output of builds; nil throws it away.
	Log io.Writer `json:"-"`
	// Shard is which part of the scenarios FreezePart takes.
	Shard shard.Shard `json:"-"`
}

// Freeze freezes what is asked for and says what became of it. The error is
// for a request that cannot be begun; what went wrong later is in the report.
func (p *Project) Freeze(ctx context.Context, req Request, show func(Event)) (*Report, error) {
	f, targets, err := p.begin(ctx, req, show)
	if err != nil {
		return nil, err
	}
	return f.run(ctx, targets), nil
}

// begin makes ready for a request, and finds what it names.
func (p *Project) begin(ctx context.Context, req Request, show func(Event)) (*freezer, []*target, error) {
	if note, err := fixture.Recover(p.Fixtures); err != nil {
		return nil, nil, err
	} else if note != "" {
		show(Event{Kind: Said, Text: note})
	}
	if err := ClearSpent(ctx); err != nil {
		return nil, nil, err
	}
	log := req.Log
	if log == nil {
		log = io.Discard
	}
	prov, err := provider.New(p.Config, p.env, p.cache, log)
	if err != nil {
		return nil, nil, err
	}
	if req.Jobs <= 0 {
		req.Jobs = runtime.NumCPU()
	}
	f := &freezer{
		Project: p, req: req, show: show, prov: prov,
		slots:  semaphore.NewWeighted(int64(req.Jobs)),
		builds: make(map[string]*provider.Build),
	}
	targets, err := f.targets(ctx)
	return f, targets, err
}

// ClearSpent removes the boxes that a killed freeze left and in which nothing
// can run any more. What may hold something is for freeze reap.
func ClearSpent(ctx context.Context) error {
	boxes, err := sandbox.Boxes()
	if err != nil {
		return err
	}
	for _, b := range boxes {
		if !b.Spent {
			continue
		}
		if err := sandbox.Reap(ctx, b); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// freezer is one Freeze under way.
type freezer struct {
	*Project
	req    Request
	show   func(Event)
	prov   *provider.Provider
	slots  *semaphore.Weighted        // boxes that may run at once
	builds map[string]*provider.Build // by version
}

// run freezes every target: all builds first, then all scenarios side by side,
// then each release is written that is whole.
func (f *freezer) run(ctx context.Context, targets []*target) *Report {
	f.work(ctx, targets)
	report := new(Report)
	for _, t := range targets {
		report.Releases = append(report.Releases, f.finish(ctx, t, targets))
	}
	return report
}

// work runs the scenarios that are the request's, and returns the names of all
// that were planned.
func (f *freezer) work(ctx context.Context, targets []*target) (plan []string) {
	for _, t := range targets {
		t.err = f.plan(t)
	}
	plan = f.split(targets)
	for _, t := range targets {
		if t.err == nil && len(t.jobs) > 0 {
			t.err = f.prepare(ctx, t, targets)
		}
	}
	var wg sync.WaitGroup
	for _, t := range targets {
		if t.err != nil || len(t.jobs) == 0 {
			continue
		}
		if t.unverified {
			wg.Go(func() { t.versionErr = f.verify(ctx, t) })
		}
		for _, j := range t.jobs {
			wg.Go(func() { f.do(ctx, j) })
		}
	}
	wg.Wait()
	return plan
}

// prepare obtains a target's programs and those of every release that its
// scenarios use.
func (f *freezer) prepare(ctx context.Context, t *target, targets []*target) error {
	var err error
	if t.build, err = f.obtain(ctx, t.release); err != nil {
		return err
	}
	if err := f.runnable(t); err != nil {
		return err
	}
	for _, j := range t.jobs {
		if err := f.obtainUsed(ctx, j, targets); err != nil {
			return err
		}
	}
	f.show(Event{Kind: Planned, Version: t.release.Version, Count: len(t.jobs)})
	return f.sameProducer(t)
}

// runnable requires that the program which runs the subject's, if that is a
// script which asks for it by name, is in the box.
func (f *freezer) runnable(t *target) error {
	name, box := f.Config.Subject.Name, f.Config.Box
	runner := sandbox.Runner(filepath.Join(t.build.Dir, name))
	_, standIn := f.Config.StandIn[runner]
	if _, own := t.build.Programs[runner]; runner == "" || standIn || own || slices.Contains(box.Tools, runner) {
		return nil
	}
	return fmt.Errorf("release %s: %s is a script that %s runs, which is not in the box: name it in tools, as in tools = [%q]", t.release.Version, name, runner, runner)
}

// verify asks the release's own program which version it is.
func (f *freezer) verify(ctx context.Context, t *target) error {
	if err := f.slots.Acquire(ctx, 1); err != nil {
		return context.Cause(ctx)
	}
	defer f.slots.Release(1)
	s := f.Config.Subject
	return verifyVersion(ctx, f.box(t.release.Version, t.build.Dir, turn{}), s.Name, s.VersionArgs, t.release.Version)
}

// do freezes one scenario, and says how it went.
func (f *freezer) do(ctx context.Context, j *job) {
	name := j.sc.Family + "/" + j.sc.Name
	began := time.Now()
	if j.outcome.Status == "" {
		f.freezeScenario(ctx, j, name)
	}
	elapsed := time.Since(began)
	j.outcome.ElapsedMS = elapsed.Milliseconds()
	f.show(Event{Kind: Ended, Version: j.version(), Name: name, Status: j.outcome.Status, Elapsed: elapsed})
}

func (f *freezer) freezeScenario(ctx context.Context, j *job, name string) {
	f.show(Event{Kind: Began, Version: j.version(), Name: name})
	var err error
	if j.frozen != nil {
		err = f.freezeAgain(ctx, j)
	}
	if j.frozen == nil || f.req.Replace && canReplace(err) {
		err = f.cutScenario(ctx, j)
	}
	switch {
	case err == nil:
		return
	case stopped(ctx, err):
		j.outcome.Status = Stopped
		return
	}
	j.outcome.Status, j.outcome.err, j.outcome.Error = Failed, err, err.Error()
	var different *DifferentError
	if errors.As(err, &different) {
		j.outcome.Status, j.outcome.Differences = Differs, different.Differences
	}
}

// stopped reports whether err says no more than that ctx has ended. A box that
// could not be proved empty does.
func stopped(ctx context.Context, err error) bool {
	var held *sandbox.HeldError
	return ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err())) && !errors.As(err, &held)
}

// canReplace reports whether err says that a fixture is no longer what its
// release writes, rather than that it could not be found out.
func canReplace(err error) bool {
	var different *DifferentError
	var changed *scriptChangedError
	return errors.As(err, &different) || errors.As(err, &changed)
}

// head reports whether t is not a release but today's code.
func (t *target) head() bool { return t.release.Version == scenario.Head }

// fail notes what is wrong with a release as a whole.
func (r *ReleaseReport) fail(err error) {
	r.err = errors.Join(r.err, err)
	r.Error = r.err.Error()
}

// scriptChangedError says that a fixture was made by other commands than the
// script has now for that release.
type scriptChangedError struct{ file, version string }

func (e *scriptChangedError) Error() string {
	return fmt.Sprintf("%s: the commands in effect for %s are not those its fixture was made by; put new ones under [release>...], or use --replace --why TEXT", e.file, e.version)
}
