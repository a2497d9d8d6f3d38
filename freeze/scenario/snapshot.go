package scenario

import (
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// places are the folders of a box that a program may be expected to write to.
var places = []string{"home", "project", "run", "tmp"}

// snapshot tells states of a box apart: what stands at each path.
type snapshot map[string]string

func look(root string) (snapshot, error) { return tree.States(root, places) }

// changed lists, sorted, the paths at which s and later differ.
func (s snapshot) changed(later snapshot) []string {
	var paths []string
	for p, is := range later {
		if was, ok := s[p]; !ok || was != is {
			paths = append(paths, p)
		}
	}
	for p := range s {
		if _, ok := later[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// within reports whether p is one of roots or below one.
func within(p string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return p == root || strings.HasPrefix(p, root+"/")
	})
}

// leadsTo reports whether one of roots is below p: a folder on the way there.
func leadsTo(p string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(root, p+"/") })
}

// outermost cleans roots and drops those that are below another one.
func outermost(roots []string) []string {
	var clean []string
	for _, r := range roots {
		clean = append(clean, path.Clean(r))
	}
	slices.Sort(clean)
	var out []string
	for _, r := range clean {
		if !within(r, out) {
			out = append(out, r)
		}
	}
	return out
}
