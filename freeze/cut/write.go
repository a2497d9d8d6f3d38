package cut

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// keep notes what a cut found, to be written when the whole release is there.
func (f *freezer) keep(j *job, r *scenario.Result, bindings []binding.Binding) {
	switch {
	case j.frozen != nil:
		j.outcome.Status = Replaced
	case j.t.isNew:
		j.outcome.Status = Frozen
	default:
		j.outcome.Status = Added
	}
	j.outcome.Entries, j.outcome.Bindings = len(r.Run.Entries), len(bindings)
	j.outcome.Notes = append(r.Notes, machineNotes(r, bindings)...)
	j.made = &fixture.Scenario{
		Name:         j.sc.Name,
		ScriptDigest: j.sc.Digest(j.version()),
		Faults:       r.Faults,
		Root:         r.Run.Root,
		From:         r.Run.From,
		To:           r.Run.To,
		Known:        r.Run.Known,
		Producers:    j.producers(r),
		Entries:      r.Run.Entries,
		Bindings:     bindings,
		Witnesses:    r.Witnesses,
		Views:        r.Views,
	}
}

// producers says what made one scenario's fixture where that is not said of
// the whole release: the other releases that its script uses, and the release
// itself when the scenario came later.
func (j *job) producers(r *scenario.Result) map[string]fixture.Producer {
	all := make(map[string]fixture.Producer)
	for version, b := range j.used {
		all[version] = producer(version, b, r.Run.Known)
	}
	if j.t.frozen[j.sc.Family] != nil {
		all[j.version()] = producer(j.version(), j.t.build, r.Run.Known)
	}
	return all
}

// producer says what made a fixture. known are the versions of the box's
// tools.
func producer(version string, b *provider.Build, known map[string]string) fixture.Producer {
	return fixture.Producer{
		Version: version, Commit: b.Commit, Package: b.Package, Integrity: b.Integrity, SHA256: b.Programs, Toolchain: b.Toolchain,
		GOOS: b.GOOS, GOARCH: b.GOARCH, Tmux: known["tmux"], Git: known["git"],
	}
}

// said reports what became of a release before any of it is written.
func (f *freezer) said(ctx context.Context, t *target) ReleaseReport {
	r := t.release
	report := ReleaseReport{Version: r.Version, Commit: r.Commit, Package: r.Package, Integrity: r.Integrity}
	if t.build != nil {
		report.Cached = t.build.Cached
	}
	for _, j := range t.jobs {
		if j.outcome.Status != "" { // it came to its turn
			report.Scenarios = append(report.Scenarios, j.outcome)
		}
	}
	report.Scenarios = append(report.Scenarios, t.dropped...)
	for _, err := range []error{t.err, t.versionErr} {
		if err != nil && !stopped(ctx, err) {
			report.fail(err)
		}
	}
	if report.Err() == nil && ctx.Err() != nil {
		report.fail(fmt.Errorf("release %s: nothing of it was written: %w", t.release.Version, context.Cause(ctx)))
	}
	return report
}

// finish writes what is new of a release, if all of it succeeded, and reports.
func (f *freezer) finish(ctx context.Context, t *target, targets []*target) ReleaseReport {
	report := f.said(ctx, t)
	if report.Err() != nil {
		return report
	}
	var err error
	if report.Notes, err = f.useless(t, targets); err != nil {
		report.fail(err)
		return report
	}
	if t.head() {
		return report
	}
	written, err := f.write(t, report.Scenarios)
	if err != nil {
		report.fail(err)
	}
	report.Written = written
	return report
}

// write puts a release's new fixtures in place, and its entry into the ledger.
func (f *freezer) write(t *target, outcomes []Outcome) (written bool, err error) {
	if err := f.usesFrozen(t); err != nil {
		return false, err
	}
	releases, err := t.releases()
	if err != nil {
		return false, err
	}
	if len(releases) == 0 && !t.isNew {
		return false, nil
	}
	st, err := fixture.Stage(f.Fixtures)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, st.Discard()) }()
	entries, err := f.current(t)
	if err != nil {
		return false, err
	}
	if err := record(entries, t, releases, outcomes, f.req.Why); err != nil {
		return false, err
	}
	encoded := entries.Encode()
	if _, err := ledger.Parse(encoded); err != nil {
		return false, fmt.Errorf("the ledger would no longer be one: %w", err)
	}
	for _, r := range releases {
		if err := st.Put(r); err != nil {
			return false, err
		}
	}
	if err := st.Commit(encoded); err != nil {
		return false, err
	}
	f.Ledger = entries
	return true, nil
}

// current reads the ledger again, now that the fixtures are locked: what
// another freeze has written since this one began must neither be lost nor
// taken for what was compared here.
func (f *freezer) current(t *target) (*ledger.Ledger, error) {
	version := t.release.Version
	now, err := ledger.LoadOrNew(os.DirFS(f.Fixtures))
	if err != nil {
		return nil, err
	}
	frozen, err := f.Load(version)
	if err != nil {
		return nil, err
	}
	was, _ := f.Ledger.Find(version)
	is, _ := now.Find(version)
	if !reflect.DeepEqual(was, is) || !reflect.DeepEqual(t.frozen, frozen) {
		return nil, fmt.Errorf("release %s: its fixtures or its ledger entry changed while it was frozen: another freeze wrote it meanwhile; freeze it again", version)
	}
	return now, nil
}

// releases are the families of a target that are to be written: those with
// something new, whole.
func (t *target) releases() ([]*fixture.Release, error) {
	changed := make(map[string]*fixture.Release)
	family := func(name string) *fixture.Release {
		if changed[name] == nil {
			r := &fixture.Release{Family: name, Version: t.release.Version, Scenarios: make(map[string]*fixture.Scenario)}
			if old := t.frozen[name]; old != nil {
				r.Producer = old.Producer
				maps.Copy(r.Scenarios, old.Scenarios)
			}
			changed[name] = r
		}
		return changed[name]
	}
	for _, j := range t.jobs {
		if j.made == nil {
			continue
		}
		r := family(j.sc.Family)
		r.Scenarios[j.sc.Name] = j.made
		if t.frozen[j.sc.Family] == nil {
			r.Producer = producer(j.version(), j.t.build, j.made.Known)
		}
	}
	for _, o := range t.dropped {
		delete(family(o.Family).Scenarios, o.Scenario)
	}
	for _, r := range changed {
		if len(r.Scenarios) == 0 {
			return nil, fmt.Errorf("family %s of release %s would be left without a scenario; waive it in the ledger instead", r.Family, r.Version)
		}
	}
	return slices.SortedFunc(maps.Values(changed), func(a, b *fixture.Release) int { return cmp.Compare(a.Family, b.Family) }), nil
}

// record enters what is written of a target into a ledger, and why its
// fixtures were replaced.
func record(l *ledger.Ledger, t *target, releases []*fixture.Release, outcomes []Outcome, why string) error {
	if t.isNew {
		if err := l.Add(t.release); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(l.Releases, func(r ledger.Release) bool { return r.Version == t.release.Version })
	if i < 0 {
		return fmt.Errorf("release %s is no longer in the ledger", t.release.Version)
	}
	entry := &l.Releases[i]
	for _, r := range releases {
		seal, err := r.Seal()
		if err != nil {
			return err
		}
		entry.Seal(r.Family, seal)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for _, o := range outcomes {
		if o.Status == Replaced || o.Status == Dropped {
			entry.Replaced = append(entry.Replaced, ledger.Replaced{Family: o.Family, Scenario: o.Scenario, Why: why, Date: today})
		}
	}
	return nil
}
