package cut

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// Part is what one shard of a Freeze has done: all that is needed to write it
// together with the others, and nothing in the fixtures so far.
type Part struct {
	Request  Request       `json:"request"`
	Plan     []string      `json:"plan"` // VERSION FAMILY/SCENARIO of all shards
	Releases []PartRelease `json:"releases"`
}

// PartRelease is what a part says of one release.
type PartRelease struct {
	Version   string `json:"version"`
	Commit    string `json:"commit,omitzero"`
	Package   string `json:"package,omitzero"`
	Integrity string `json:"integrity,omitzero"`

	Dependencies string `json:"dependencies,omitzero"`
	Before       string `json:"before,omitzero"`

	Date string `json:"date,omitzero"`
	New  bool   `json:"new,omitzero"` // the ledger lacks it

	Producer  *fixture.Producer `json:"producer,omitzero"` // nil where no scenario was the shard's
	Cached    bool              `json:"cached,omitzero"`
	Scenarios []PartScenario    `json:"scenarios"`
	Error     string            `json:"error,omitzero"` // of the release as a whole
}

// PartScenario is what became of one scenario.
type PartScenario struct {
	Outcome Outcome `json:"outcome"`
	Made    made    `json:"made,omitzero"` // none where nothing is to be written
}

// name is how a plan calls a job.
func (j *job) name() string { return j.version() + " " + j.sc.Family + "/" + j.sc.Name }

// split leaves each target the jobs of the request's shard, and returns the
// names of all.
func (f *freezer) split(targets []*target) []string {
	var plan []string
	for _, t := range targets {
		for _, j := range t.jobs {
			plan = append(plan, j.name())
		}
	}
	mine := make(map[string]bool)
	for _, name := range f.req.Shard.Take(plan) {
		mine[name] = true
	}
	for _, t := range targets {
		t.jobs = slices.DeleteFunc(t.jobs, func(j *job) bool { return !mine[j.name()] })
	}
	return plan
}

// FreezePart does the shard of the request, and returns what it did and, for
// whoever shows it, the report. Nothing is written. A shard that was stopped,
// or whose boxes could not be proved empty, is no part: it is nil then, and the
// report says why.
func (p *Project) FreezePart(ctx context.Context, req Request, show func(Event)) (*Part, *Report, error) {
	f, targets, err := p.begin(ctx, req, show)
	if err != nil {
		return nil, nil, err
	}
	plan := f.work(ctx, targets)
	part, report := &Part{Request: f.req, Plan: plan}, new(Report)
	for _, t := range targets {
		said := f.said(ctx, t)
		report.Releases = append(report.Releases, said)
		part.Releases = append(part.Releases, t.part(said))
	}
	if ctx.Err() != nil || anyHeld(report) {
		return nil, report, nil
	}
	return part, report, nil
}

// part is what a part says of a target.
func (t *target) part(said ReleaseReport) PartRelease {
	r := t.release
	part := PartRelease{Version: r.Version, Commit: r.Commit, Package: r.Package, Integrity: r.Integrity, Dependencies: r.Dependencies, Before: r.Before, Date: r.Date, New: t.isNew, Error: said.Error}
	if t.build != nil {
		by := producer(r.Version, t.build, nil)
		part.Producer, part.Cached = &by, t.build.Cached
	}
	for _, j := range t.jobs {
		if j.outcome.Status != "" {
			part.Scenarios = append(part.Scenarios, PartScenario{j.outcome, made{j.made}})
		}
	}
	return part
}

// Tools are what has to be the same in all parts, by what it is.
func (p *Part) Tools() map[string]string {
	tools := make(map[string]string)
	for _, r := range p.Releases {
		if r.New {
			// What names the release must not depend on when a shard began.
			tools["source of "+r.Version] = strings.TrimSpace(r.Commit + " " + r.Package + " " + r.Integrity + " " + r.Dependencies)
		}
		if r.Producer != nil {
			tools["toolchain of "+r.Version], tools["programs of "+r.Version] = Digests(r.Producer.Toolchain, r.Producer.GOOS, r.Producer.GOARCH, r.Producer.SHA256)
		}
		for _, sc := range r.Scenarios {
			if sc.Made.Scenario == nil {
				continue
			}
			for version, by := range sc.Made.Producers {
				tools["toolchain of "+version], tools["programs of "+version] = Digests(by.Toolchain, by.GOOS, by.GOARCH, by.SHA256)
			}
			for _, name := range []string{"tmux", "git"} {
				if known := sc.Made.Known[name]; known != "" {
					tools[name] = known
				}
			}
		}
	}
	return tools
}

// Digests tells a toolchain, with the system it builds for, and what it built.
func Digests(toolchain, goos, goarch string, sha256 map[string]string) (tool, programs string) {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(sha256)) {
		all = append(all, name+" "+sha256[name])
	}
	return strings.TrimSpace(toolchain + " " + goos + "/" + goarch), strings.Join(all, ", ")
}

// Merge does with the parts of a run, in the order of their shards, what the
// whole run would have done: it writes the fixtures of every release that
// succeeded, and says what became of each scenario. That the parts belong
// together is for the caller to know.
func (p *Project) Merge(ctx context.Context, parts []*Part, show func(Event)) (*Report, error) {
	if note, err := fixture.Recover(p.Fixtures); err != nil {
		return nil, err
	} else if note != "" {
		show(Event{Kind: Said, Text: note})
	}
	f := &freezer{Project: p, req: parts[0].Request, show: show}
	var targets []*target
	for i := range parts[0].Releases {
		t, err := f.joined(parts, i)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	report := new(Report)
	for _, t := range targets {
		report.Releases = append(report.Releases, f.finish(ctx, t, targets))
	}
	return report, nil
}

// joined is the i-th target of a run, with what its parts say of it.
func (f *freezer) joined(parts []*Part, i int) (*target, error) {
	t := f.begun(parts[0].Releases[i])
	t.err = f.plan(t)
	done := make(map[string]PartScenario)
	var errs []string
	for _, p := range parts {
		if i >= len(p.Releases) || p.Releases[i].Version != t.release.Version || p.Releases[i].New != t.isNew {
			return nil, fmt.Errorf("the parts disagree about which releases there are: %s", t.release.Version)
		}
		r := p.Releases[i]
		if r.New {
			// When the run began.
			t.release.Date, t.release.Before = min(r.Date, t.release.Date), min(r.Before, t.release.Before)
		}
		if t.build == nil && r.Producer != nil {
			by := r.Producer
			t.build = &provider.Build{Commit: by.Commit, Package: by.Package, Integrity: by.Integrity, Programs: by.SHA256, Toolchain: by.Toolchain, GOOS: by.GOOS, GOARCH: by.GOARCH, Cached: r.Cached}
		}
		if r.Error != "" && !slices.Contains(errs, r.Error) {
			errs = append(errs, r.Error)
		}
		for _, sc := range r.Scenarios {
			done[sc.Outcome.Family+"/"+sc.Outcome.Scenario] = sc
		}
	}
	if len(errs) > 0 {
		t.err = errors.New(strings.Join(errs, "\n"))
	}
	if t.err != nil {
		return t, nil
	}
	return t, t.take(done)
}

// begun is the target that a part speaks of.
func (f *freezer) begun(r PartRelease) *target {
	t := &target{isNew: r.New, release: ledger.Release{Version: r.Version, Commit: r.Commit, Package: r.Package, Integrity: r.Integrity, Dependencies: r.Dependencies, Before: r.Before, Date: r.Date}}
	if known, ok := f.Ledger.Find(r.Version); ok && !r.New {
		t.release = known
	}
	return t
}

// take gives the jobs of a target what became of them.
func (t *target) take(done map[string]PartScenario) error {
	for _, j := range t.jobs {
		sc, ok := done[j.sc.Family+"/"+j.sc.Name]
		if !ok {
			return fmt.Errorf("no part has done %s", j.name())
		}
		if sc.Made.Scenario != nil && sc.Made.ScriptDigest != j.sc.Digest(j.version()) {
			return &scriptChangedError{file: j.sc.File, version: j.version()}
		}
		j.outcome, j.made = sc.Outcome, sc.Made.Scenario
		if sc.Outcome.Error != "" {
			j.outcome.err = errors.New(sc.Outcome.Error)
		}
		j.used = make(map[string]*provider.Build)
		for _, version := range j.sc.UsesFor(j.version()) {
			if version != j.version() {
				j.used[version] = nil // it is built no more
			}
		}
	}
	return nil
}

// anyHeld reports whether a box could not be proved empty.
func anyHeld(r *Report) bool {
	_, held := errors.AsType[*sandbox.HeldError](r.Err())
	return held
}
