package cut

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// target is one release that is being frozen.
type target struct {
	release    ledger.Release
	isNew      bool // the ledger lacks it
	unverified bool // its program is still to be asked for its version
	build      *provider.Build
	frozen     map[string]*fixture.Release // what is there, by family
	jobs       []*job
	dropped    []Outcome // fixtures whose script is gone, when replacing

	err, versionErr error
}

// job is one scenario of a target.
type job struct {
	t       *target
	sc      *scenario.Scenario
	used    map[string]*provider.Build // the releases that the script uses, by version
	frozen  *fixture.Scenario          // nil where there is none yet
	made    *fixture.Scenario          // nil where nothing new is to be written
	outcome Outcome
}

func (j *job) version() string { return j.t.release.Version }

// targets finds what the request names.
func (f *freezer) targets(ctx context.Context) ([]*target, error) {
	if f.req.DryRun != "" {
		commit, err := f.prov.Resolve(ctx, f.req.DryRun)
		if err != nil {
			return nil, err
		}
		if f.req.DryRun == scenario.Head {
			if err := f.SayUncommitted(ctx, f.show); err != nil {
				return nil, err
			}
		}
		return []*target{{release: ledger.Release{Version: scenario.Head, Commit: commit}, isNew: true}}, nil
	}
	var targets []*target
	for _, version := range slices.Compact(slices.Sorted(slices.Values(f.req.Versions))) {
		t, err := f.target(ctx, version)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	// The older first: the scripts of a newer one may use it.
	slices.SortStableFunc(targets, func(a, b *target) int { return semver.Compare(a.release.Version, b.release.Version) })
	return targets, nil
}

func (f *freezer) target(ctx context.Context, version string) (*target, error) {
	unverified := len(f.Config.Subject.VersionArgs) > 0
	if r, ok := f.Ledger.Find(version); ok {
		return f.again(ctx, r, unverified)
	}
	r := ledger.Release{Version: version, Date: time.Now().UTC().Format(time.DateOnly)}
	if semver.Canonical(version) != version {
		return nil, f.noVersion(version)
	}
	switch {
	case f.req.Commit != "":
		commit, err := f.prov.Resolve(ctx, f.req.Commit)
		if err != nil {
			return nil, err
		}
		r.Commit = commit
	case f.req.Add:
		var err error
		r.Integrity = f.req.Integrity
		if r, err = f.prov.Pin(ctx, r); err != nil {
			return nil, err
		}
	default:
		commit, ok, err := f.prov.Tag(ctx, version)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("release %s is neither in the ledger nor a tag; the ledger has %s; to cut it, %s", version, f.near(version), f.toCut())
		}
		r.Commit = commit
	}
	return &target{release: r, isNew: true, unverified: unverified}, nil
}

// again is the target of a release that the ledger has.
func (f *freezer) again(ctx context.Context, r ledger.Release, unverified bool) (*target, error) {
	if f.req.Commit != "" {
		commit, err := f.prov.Resolve(ctx, f.req.Commit)
		if err != nil {
			return nil, err
		}
		if commit != r.Commit {
			return nil, fmt.Errorf("release %s is commit %s in the ledger, not %s: a release that is out keeps its commit", r.Version, r.Commit, commit)
		}
	}
	return &target{release: r, unverified: unverified}, nil
}

// near names the ledger's versions that version may have been meant to be.
func (f *freezer) near(version string) string {
	near := f.Ledger.Nearest(version)
	if len(near) == 0 {
		return "no release yet"
	}
	return strings.Join(near, ", ")
}

// toCut is how a version is cut that is no tag.
func (f *freezer) toCut() string {
	if f.Config.Provider.Kind == config.Git {
		return "tag its commit or say --commit REV"
	}
	return "say --add"
}

// noVersion says what is wrong with a version and, where it can be guessed,
// what was meant.
func (f *freezer) noVersion(version string) error {
	if v := semver.Canonical("v" + version); v != "" {
		return fmt.Errorf("%q is not a version like v1.2.0; if it is a tag, say %s --commit %s", version, v, version)
	}
	return fmt.Errorf("%q is neither a command of freeze nor a version like v1.2.0; the ledger has %s (see freeze --help)", version, f.near(version))
}

// plan gives a target its scenarios.
func (f *freezer) plan(t *target) error {
	version := t.release.Version
	if !t.head() {
		frozen, err := f.Load(version)
		if err != nil {
			return err
		}
		t.frozen = frozen
	}
	if t.isNew && len(t.frozen) > 0 {
		return fmt.Errorf("fixtures/%s/%s is there, but the ledger has no release %s; move it away first", slices.Sorted(maps.Keys(t.frozen))[0], version, version)
	}
	for _, sc := range f.Scenarios {
		if sc.For(version) {
			t.jobs = append(t.jobs, f.job(t, sc))
		}
	}
	if len(t.jobs) == 0 {
		return fmt.Errorf("release %s has no scenario; write one under fixtures/scenarios/FAMILY/NAME.txtar", version)
	}
	return f.gone(t)
}

func (f *freezer) job(t *target, sc *scenario.Scenario) *job {
	j := &job{t: t, sc: sc}
	j.outcome = Outcome{Family: sc.Family, Scenario: sc.Name}
	if r := t.frozen[sc.Family]; r != nil {
		j.frozen = r.Scenarios[sc.Name]
	}
	if _, waived := t.release.Waiver(sc.Family, sc.Name); waived && j.frozen == nil {
		j.outcome.Status = Waived
	}
	return j
}

// gone looks for fixtures that no script makes any more.
func (f *freezer) gone(t *target) error {
	want := f.Want(t.release.Version)
	for _, family := range slices.Sorted(maps.Keys(t.frozen)) {
		for _, name := range slices.Sorted(maps.Keys(t.frozen[family].Scenarios)) {
			if slices.Contains(want[family], name) {
				continue
			}
			if !f.req.Replace {
				return fmt.Errorf("fixtures/%s/%s holds scenario %s, but fixtures/scenarios has no script of it for this release; bring it back, or use --replace --why TEXT", family, t.release.Version, name)
			}
			t.dropped = append(t.dropped, Outcome{Family: family, Scenario: name, Status: Dropped})
		}
	}
	return nil
}

// obtain gets the programs of a release once.
func (f *freezer) obtain(ctx context.Context, r ledger.Release) (*provider.Build, error) {
	if b := f.builds[r.Version]; b != nil {
		return b, nil
	}
	f.show(Event{Kind: Said, Version: r.Version, Text: "obtaining its programs"})
	b, err := f.prov.Obtain(ctx, r)
	if err != nil {
		return nil, err
	}
	f.builds[r.Version] = b
	return b, nil
}

// obtainUsed gets the programs of the releases that a job's script uses.
func (f *freezer) obtainUsed(ctx context.Context, j *job, targets []*target) error {
	j.used = make(map[string]*provider.Build)
	for _, version := range j.sc.UsesFor(j.version()) {
		if version == j.version() {
			continue
		}
		r, err := f.known(version, targets)
		if err == nil {
			j.used[version], err = f.obtain(ctx, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.sc.File, err)
		}
	}
	return nil
}

// known finds a release in the ledger or among those that are being cut with
// this one.
func (f *freezer) known(version string, targets []*target) (ledger.Release, error) {
	for _, t := range targets {
		if t.release.Version == version {
			return t.release, nil
		}
	}
	return f.Ledger.Get(version)
}

// usesFrozen requires that every release which a target's scripts use is in
// the ledger by the time the target is written.
func (f *freezer) usesFrozen(t *target) error {
	for _, j := range t.jobs {
		for version := range j.used {
			if _, err := f.Ledger.Get(version); err != nil {
				return fmt.Errorf("%s uses a release that was not frozen: %w", j.sc.File, err)
			}
		}
	}
	return nil
}

// sameProducer requires that the same toolchain built the same programs that
// the fixtures were made by.
func (f *freezer) sameProducer(t *target) error {
	for _, j := range t.jobs {
		if j.frozen == nil || f.req.Replace {
			continue
		}
		p, ok := j.frozen.Producers[j.version()]
		if !ok {
			p = t.frozen[j.sc.Family].Producer
		}
		b := t.build
		same := p.Toolchain == b.Toolchain && p.GOOS == b.GOOS && p.GOARCH == b.GOARCH
		if same && !maps.Equal(p.SHA256, b.Programs) {
			return fmt.Errorf("release %s: the same toolchain now builds other programs than those that the fixture of %s/%s was made by; is the build reproducible?", j.version(), j.sc.Family, j.sc.Name)
		}
	}
	return nil
}
