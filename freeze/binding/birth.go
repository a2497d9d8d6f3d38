package binding

import (
	"fmt"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// byBirth takes the first pair that only the order of birth decides.
func (p *pairing) byBirth() bool {
	for n := range p.open {
		for _, i := range p.open[n].a {
			fit := p.partners(&p.open[n], i, len(p.open[n].b))
			if len(fit) == 0 {
				continue
			}
			j, why := p.born(&p.open[n], i, fit)
			p.remove(n, i, j)
			if why == "" {
				p.take(i, j)
				return true
			}
			a, b := p.c.a.run.Entries[i], p.c.b.run.Entries[j] // reported once, with what is below
			p.c.report(Difference{Path: a.Path, Offset: -1, A: a.Path, B: b.Path, Why: why})
			return true
		}
	}
	return false
}

// born is the partner of i, the first born of those left in its folder, or why
// none can be told. Clocks of file systems are coarse: of those born at one
// moment, content decides.
func (p *pairing) born(f *folder, i int, fit []int) (partner int, why string) {
	var rivals []int
	for _, other := range f.a {
		if p.c.fits(other, fit[0]) {
			rivals = append(rivals, other)
		}
	}
	if len(rivals) != len(fit) {
		return fit[0], fmt.Sprintf("%d names of this form in the first capture against %d in the second", len(rivals), len(fit))
	}
	tied := max(sameBirth(p.c.a.run.Entries, rivals), sameBirth(p.c.b.run.Entries, fit))
	if tied == 1 {
		return fit[0], ""
	}
	var like []int
	for _, j := range fit[:tied] {
		if p.c.like(i, j) {
			like = append(like, j)
		}
	}
	if len(like) != 1 {
		return fit[0], "one of several names that nothing tells apart: not their form, not the ids known from elsewhere, not the order of their birth, not what they hold"
	}
	return like[0], ""
}

// sameBirth counts the entries that were born with the first.
func sameBirth(entries []tree.Entry, those []int) int {
	n := 1
	for n < len(those) && entries[those[n]].Born == entries[those[0]].Born {
		n++
	}
	return n
}

// like tells whether two entries, and what is below them under equal names,
// can belong together by what they hold. Nothing is learned from it.
func (c *comparison) like(i, j int) bool {
	a, b := &c.a.run.Entries[i], &c.b.run.Entries[j]
	if a.Type != b.Type || a.Mode != b.Mode {
		return false
	}
	switch a.Type {
	case tree.File:
		return c.matches(c.a.content(i), c.b.content(j))
	case tree.Symlink:
		return c.matches(c.a.target(i), c.b.target(j))
	}
	if len(c.a.children[a.Path]) != len(c.b.children[b.Path]) {
		return false
	}
	for _, child := range c.a.children[a.Path] {
		twin, there := c.b.at[b.Path+c.a.run.Entries[child].Path[len(a.Path):]]
		if there && !c.like(child, twin) {
			return false
		}
	}
	return true
}

// matches tells whether two texts differ in nothing but what can be bound.
func (c *comparison) matches(a, b text) bool {
	ok := a.bad == nil && b.bad == nil
	parted := ok && c.walk(&a, &b, func(x, y token, v verdict) bool {
		ok = v.why == "" && (v.kind != ID || !c.strangers(string(a.data[x.start:x.end]), string(b.data[y.start:y.end])))
		return ok
	}) != nil
	return ok && !parted
}
