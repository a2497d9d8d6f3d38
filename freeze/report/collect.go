package report

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/read"
)

// Collect reads what is kept of a project.
func Collect(p *cut.Project) (*Report, error) {
	r := &Report{Subject: p.Config.Subject.Name}
	scenarios := newIndex(p)
	var before []*fixture.Release
	for _, release := range p.Ledger.Releases {
		frozen, err := p.Load(release.Version)
		if err != nil {
			return nil, err
		}
		r.Releases = append(r.Releases, scenarios.add(p, release, frozen))
		if len(frozen) == 0 {
			continue
		}
		after := byFamily(frozen)
		if before != nil {
			r.Changes = append(r.Changes, *diff.Releases(before, after))
		}
		before = after
	}
	r.Scenarios = scenarios.sorted()
	return r, r.readMatrix(p)
}

func byFamily(frozen map[string]*fixture.Release) []*fixture.Release {
	var all []*fixture.Release
	for _, family := range slices.Sorted(maps.Keys(frozen)) {
		all = append(all, frozen[family])
	}
	return all
}

// index has the scenarios by FAMILY/NAME: those that have a script, and those
// of which only fixtures are left.
type index map[string]*Scenario

func newIndex(p *cut.Project) index {
	all := make(index)
	for _, s := range p.Scenarios {
		all.get(s.Family, s.Name).What = firstComment(s.Archive.Comment)
	}
	return all
}

func (x index) get(family, name string) *Scenario {
	key := family + "/" + name
	if x[key] == nil {
		x[key] = &Scenario{Family: family, Name: name}
	}
	return x[key]
}

func (x index) sorted() []Scenario {
	var all []Scenario
	for _, s := range x {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Scenario) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), strings.Compare(a.Name, b.Name))
	})
	return all
}

// add notes what a release has of every scenario, and counts it.
func (x index) add(p *cut.Project, release ledger.Release, frozen map[string]*fixture.Release) Release {
	r := Release{Version: release.Version, Date: release.Date, Commit: release.Commit, Package: release.Package}
	for _, f := range frozen {
		for name, s := range f.Scenarios {
			r.Frozen++
			r.Files += len(s.Entries)
			for _, e := range s.Entries {
				r.Bytes += int64(len(e.Data))
			}
			in := x.get(f.Family, name)
			in.Fixtures = append(in.Fixtures, Fixture{Release: r.Version, State: Frozen, RanMS: s.To.Sub(s.From).Milliseconds()})
		}
	}
	for family, names := range p.Want(r.Version) {
		for _, name := range names {
			if f := frozen[family]; f != nil && f.Scenarios[name] != nil {
				continue
			}
			without := Fixture{Release: r.Version, State: Missing}
			if w, ok := release.Waiver(family, name); ok {
				without.State, without.Reason = Waived, w.Reason
				r.Waived++
			} else {
				r.Missing++
			}
			in := x.get(family, name)
			in.Fixtures = append(in.Fixtures, without)
		}
	}
	return r
}

// firstComment is what the script begins with, without its headers.
func firstComment(script []byte) string {
	var words []string
	for line := range bytes.Lines(script) {
		text, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "#")
		if !ok {
			break
		}
		text = strings.TrimSpace(text)
		if key, _, _ := strings.Cut(text, ":"); key == "since" || key == "until" {
			continue
		}
		words = append(words, strings.Fields(text)...)
	}
	return strings.Join(words, " ")
}

// readMatrix reads the recorded matrix. One that is not there is no error.
func (r *Report) readMatrix(p *cut.Project) error {
	dir, err := read.Scripts(p)
	if err != nil {
		r.Matrix.Missing = "freeze.toml has no [read] table, so no reader scripts are played."
		return nil
	}
	m, err := read.Recorded(dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.Matrix.Missing = "freeze read --matrix --record has not recorded one."
		return nil
	}
	if err != nil {
		return err
	}
	if len(m.Steps) == 0 {
		r.Matrix.Missing = "the one that is recorded has no answer in it."
		return nil
	}
	r.addMatrix(m)
	return nil
}
