package cut

import (
	"fmt"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// useless names the declarations of freeze.toml that hold nowhere in a family
// of which something was made: neither in this release nor in any other.
func (f *freezer) useless(t *target, targets []*target) ([]string, error) {
	var notes []string
	for _, family := range t.madeFamilies() {
		for _, r := range f.rules(family) {
			used, err := f.holds(r, targets)
			if err != nil {
				return nil, err
			}
			if !used {
				notes = append(notes, fmt.Sprintf("freeze.toml declares %q of %q in family %q as %s, and no release leaves anything there", r.Pointer, r.File, family, r.Kind))
			}
		}
	}
	return notes, nil
}

// madeFamilies are the families of which a target has something new.
func (t *target) madeFamilies() []string {
	var families []string
	for _, j := range t.jobs {
		if j.made != nil {
			families = append(families, j.sc.Family)
		}
	}
	slices.Sort(families)
	return slices.Compact(families)
}

// holds looks for a rule in what is being frozen, and then in what was.
func (f *freezer) holds(r binding.Rule, targets []*target) (bool, error) {
	for _, t := range targets {
		for _, j := range t.jobs {
			if j.made != nil && j.sc.Family == r.Family && r.Matches(j.made.Entries) {
				return true, nil
			}
		}
	}
	for _, release := range f.Ledger.Releases {
		frozen, err := f.Load(release.Version)
		if err != nil {
			return false, err
		}
		if inRelease(r, frozen[r.Family]) {
			return true, nil
		}
	}
	return false, nil
}

func inRelease(r binding.Rule, frozen *fixture.Release) bool {
	if frozen == nil {
		return false
	}
	for _, s := range frozen.Scenarios {
		if r.Matches(s.Entries) {
			return true
		}
	}
	return false
}
