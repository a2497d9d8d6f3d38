package cut

import (
	"fmt"
	"maps"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// useless names the declarations of freeze.toml that hold nowhere in what a
// release now leaves in a family of which something was made.
func (f *freezer) useless(t *target) []string {
	made := make(map[string][]tree.Entry)
	for _, j := range t.jobs {
		if j.made != nil {
			made[j.sc.Family] = append(made[j.sc.Family], j.made.Entries...)
		}
	}
	var notes []string
	for _, family := range slices.Sorted(maps.Keys(made)) {
		entries := made[family]
		if r := t.frozen[family]; r != nil {
			for _, s := range r.Scenarios {
				entries = append(entries, s.Entries...)
			}
		}
		for _, r := range f.rules(family) {
			if !r.Matches(entries) {
				notes = append(notes, fmt.Sprintf("freeze.toml declares %q of %q in %q as %s, and there is nothing of the kind in what %s leaves", r.Pointer, r.File, family, r.Kind, t.release.Version))
			}
		}
	}
	return notes
}
