package binding

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// folder is a pair of folders, with the entries in them that have no partner
// yet, by order of birth.
type folder struct{ a, b []int }

// pairing pairs the entries of two captures, folder by folder: equal names
// first, since their contents teach which id stands for which; then names with
// one possible partner; then by birth.
type pairing struct {
	c    *comparison
	open []folder
}

func (c *comparison) pairAll() {
	p := pairing{c: c}
	p.enter("", "")
	for p.unique() || p.byBirth() {
	}
	p.reportAlone()
}

// enter pairs the equal names of two folders, and of those below.
func (p *pairing) enter(dirA, dirB string) {
	c := p.c
	rest := folder{b: slices.Clone(c.b.children[dirB])}
	byName := map[string]int{}
	for _, j := range rest.b {
		byName[string(c.b.names[j].data)] = j
	}
	var equal [][2]int
	for _, i := range c.a.children[dirA] {
		name := &c.a.names[i]
		j, there := byName[string(name.data)]
		if !there || p.volatile(name) {
			rest.a = append(rest.a, i)
			continue
		}
		equal = append(equal, [2]int{i, j})
		rest.b = slices.DeleteFunc(rest.b, func(other int) bool { return other == j })
	}
	p.sortByBirth(rest)
	p.open = append(p.open, rest)
	for _, pair := range equal {
		p.take(pair[0], pair[1])
	}
}

// volatile tells whether two boxes may have given one name to two things.
func (p *pairing) volatile(name *text) bool {
	if len(name.rules) > 0 {
		return true
	}
	s := p.c.a.scanner(name)
	for t, more := s.next(); more; t, more = s.next() {
		if t.class == clockToken && t.clock.inside {
			return true
		}
	}
	return false
}

func (p *pairing) sortByBirth(f folder) {
	for _, x := range []struct {
		of   []int
		side *side
	}{{f.a, p.c.a}, {f.b, p.c.b}} {
		slices.SortFunc(x.of, func(i, j int) int {
			a, b := &x.side.run.Entries[i], &x.side.run.Entries[j]
			return cmp.Or(cmp.Compare(a.Born, b.Born), cmp.Compare(a.Path, b.Path))
		})
	}
}

// take compares a pair, and enters it if both are folders.
func (p *pairing) take(i, j int) {
	p.c.entries(i, j)
	a, b := p.c.a.run.Entries[i], p.c.b.run.Entries[j]
	if a.Type == tree.Dir && b.Type == tree.Dir {
		p.enter(a.Path, b.Path)
	}
}

// partners are the entries of the other folder whose name can belong to that
// of i, as far as is known by now, and no more than are asked for.
func (p *pairing) partners(f *folder, i, most int) []int {
	var fit []int
	for _, j := range f.b {
		if len(fit) == most {
			break
		}
		if p.c.fits(i, j) {
			fit = append(fit, j)
		}
	}
	return fit
}

func (c *comparison) fits(i, j int) bool {
	return c.a.run.Entries[i].Type == c.b.run.Entries[j].Type && c.matches(c.a.names[i], c.b.names[j])
}

// unique takes every name that has one partner, in every open folder.
func (p *pairing) unique() bool {
	progress := false
	for n := 0; n < len(p.open); n++ { // take opens more
		for _, i := range slices.Clone(p.open[n].a) {
			if fit := p.partners(&p.open[n], i, 2); len(fit) == 1 {
				p.remove(n, i, fit[0])
				p.take(i, fit[0])
				progress = true
			}
		}
	}
	return progress
}

func (p *pairing) remove(n, i, j int) {
	f := &p.open[n]
	f.a = slices.DeleteFunc(f.a, func(x int) bool { return x == i })
	f.b = slices.DeleteFunc(f.b, func(x int) bool { return x == j })
}

// reportAlone reports what has no partner. Where the only candidates of a
// folder failed each other, it says why.
func (p *pairing) reportAlone() {
	for _, f := range p.open {
		if len(f.a) == 1 && len(f.b) == 1 && p.c.a.run.Entries[f.a[0]].Type == p.c.b.run.Entries[f.b[0]].Type {
			p.c.texts(p.c.a.names[f.a[0]], p.c.b.names[f.b[0]])
			continue
		}
		for _, i := range f.a {
			e := p.c.a.run.Entries[i]
			p.c.report(Difference{Path: e.Path, Offset: -1, A: e.Path, Why: fmt.Sprintf("a %s in the first capture only%s", e.Type, p.below(p.c.a, e.Path))})
		}
		for _, j := range f.b {
			e := p.c.b.run.Entries[j]
			p.c.report(Difference{Path: e.Path, Offset: -1, B: e.Path, Why: fmt.Sprintf("a %s in the second capture only%s", e.Type, p.below(p.c.b, e.Path))})
		}
	}
}

func (p *pairing) below(s *side, dir string) string {
	if n := len(s.children[dir]); n > 0 {
		return fmt.Sprintf(", with %d entries in it", n)
	}
	return ""
}
