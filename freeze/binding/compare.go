package binding

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// comparison is one capture against another, and what it has come to so far.
type comparison struct {
	a, b         *side
	fromA, fromB map[string]string // each bound id's first partner, both ways
	ids          []Difference      // where each pair of ids stands
	clocks       []clockPair
	waiting      []func() // words declared as prefixes, until all ids are known
	record       record
	differences  []Difference
}

// clockPair is one bound time in both boxes.
type clockPair struct {
	a, b  clock
	where Difference // to report it with
}

func compare(a, b *Run, rules []*rule) *comparison {
	c := &comparison{a: newSide(a, rules), b: newSide(b, rules), fromA: map[string]string{}, fromB: map[string]string{}}
	c.record.found = map[string]*bound{}
	c.record.addRoot(a.Root)
	c.pairAll()
	for _, settle := range c.waiting {
		settle()
	}
	c.checkPartners()
	c.checkOrder()
	c.checkForeignIDs()
	c.checkContentDigests()
	return c
}

func (c *comparison) report(d Difference) { c.differences = append(c.differences, d) }

// entries compares a pair of entries whose names belong together.
func (c *comparison) entries(i, j int) {
	a, b := &c.a.run.Entries[i], &c.b.run.Entries[j]
	c.texts(c.a.names[i], c.b.names[j])
	if a.Type != b.Type {
		c.report(Difference{Path: a.Path, Offset: -1, A: string(a.Type), B: string(b.Type), Why: "another type of file"})
		return
	}
	if a.Mode != b.Mode {
		c.report(Difference{Path: a.Path, Offset: -1, A: a.Mode.String(), B: b.Mode.String(), Why: "another mode"})
	}
	switch a.Type {
	case tree.File:
		c.texts(c.a.content(i), c.b.content(j))
	case tree.Symlink:
		c.texts(c.a.target(i), c.b.target(j))
	}
}

// hit is a pair of tokens that came to a binding or a difference.
type hit struct {
	x, y token
	v    verdict
}

// texts compares two texts and keeps what comes of it.
func (c *comparison) texts(a, b text) {
	if a.bad != nil || b.bad != nil {
		c.reportRoot(a, b)
		return
	}
	var hits []hit
	parted := c.walk(&a, &b, func(x, y token, v verdict) bool {
		if v.kind == ID {
			c.learn(string(a.data[x.start:x.end]), string(b.data[y.start:y.end]))
		}
		hits = append(hits, hit{x, y, v})
		return true
	})
	c.keep(&a, &b, hits)
	if parted != nil {
		c.reportParted(&a, &b, parted)
	}
}

// learn keeps which id stands for which, for the names that are paired later.
func (c *comparison) learn(x, y string) {
	if _, known := c.fromA[x]; !known {
		c.fromA[x] = y
	}
	if _, known := c.fromB[y]; !known {
		c.fromB[y] = x
	}
}

// strangers tells whether two ids cannot stand for each other, by what is
// known so far.
func (c *comparison) strangers(x, y string) bool {
	other, known := c.fromA[x]
	back, knownBack := c.fromB[y]
	return known && other != y || knownBack && back != x
}

// parting is where the literal text of two captures is not the same any more.
type parting struct{ a, b int }

// walk judges all pairs of tokens of two texts, and hands over those that are
// not literal, until each says no. It returns where the texts part, if they do.
func (c *comparison) walk(a, b *text, each func(x, y token, v verdict) bool) *parting {
	if equalText(a, b) {
		c.walkEqual(a, each)
		return nil
	}
	sa, sb := c.a.scanner(a), c.b.scanner(b)
	pa, pb := 0, 0
	for {
		x, more := sa.next()
		y, moreB := sb.next()
		if !more {
			x.start, x.end = len(a.data), len(a.data)
		}
		if !moreB {
			y.start, y.end = len(b.data), len(b.data)
		}
		if ga, gb := a.data[pa:x.start], b.data[pb:y.start]; more != moreB || !bytes.Equal(ga, gb) {
			n := firstDifference(ga, gb)
			return &parting{pa + n, pb + n}
		}
		if !more {
			return nil
		}
		if v := c.judge(a, x, b, y); (v.kind != "" || v.why != "") && !each(x, y, v) {
			return nil
		}
		pa, pb = x.end, y.end
	}
}

// walkEqual looks for times only: an id or a number that is the same in both
// boxes is a constant.
func (c *comparison) walkEqual(t *text, each func(x, y token, v verdict) bool) {
	sa := c.a.scanner(t)
	for x, more := sa.next(); more; x, more = sa.next() {
		if x.class != clockToken || !x.clock.inside {
			continue
		}
		y := x
		y.clock.inside = c.b.window.clock(x.clock.at, x.clock.unit).inside
		if y.clock.inside && !each(x, y, verdict{kind: Time, a: x.clock, b: y.clock}) {
			return
		}
	}
}

// keep records bindings and reports differences, with the places they are at.
func (c *comparison) keep(a, b *text, hits []hit) {
	places := c.places(a, hits)
	for n, h := range hits {
		x, y := string(a.data[h.x.start:h.x.end]), string(b.data[h.y.start:h.y.end])
		d := Difference{Path: a.entry.Path, Pointer: places[n].pointer, Offset: h.x.start, A: x, B: y, Why: h.v.why, Chance: h.v.chance}
		bind := func(v verdict) { c.record.add(a.entry, places[n], c.value(v, x), h.x, v) }
		switch {
		case h.v.kind == Prefix:
			c.waiting = append(c.waiting, func() {
				switch v := c.judgePrefix(x, y); {
				case v.why != "":
					d.Why = v.why
					c.report(d)
				case v.kind != "":
					bind(v)
				}
			})
		case h.v.why != "":
			c.report(d)
		default:
			switch h.v.kind {
			case Time, Date:
				c.clocks = append(c.clocks, clockPair{h.v.a, h.v.b, d})
			case ID:
				c.ids = append(c.ids, d)
			}
			bind(h.v)
		}
	}
}

// value is what a binding records: the root itself, whatever its spelling.
func (c *comparison) value(v verdict, text string) string {
	if v.kind == Path {
		return c.a.run.Root
	}
	return text
}

func (c *comparison) places(t *text, hits []hit) []place {
	if t.where != "" {
		return slices.Repeat([]place{{where: t.where}}, len(hits))
	}
	if len(hits) == 0 {
		return nil
	}
	offsets := make([]int, len(hits))
	for i, h := range hits {
		offsets[i] = h.x.start
	}
	places := locate(layoutOf(t.entry.Path, t.data), t.data, offsets)
	for i, h := range hits {
		if h.x.class == ruleToken && h.x.rule.Pointer == "" {
			places[i] = place{where: "text"}
		}
	}
	return places
}

// reportRoot reports roots that cannot be rebound.
func (c *comparison) reportRoot(a, b text) {
	t, which := a, "the first capture"
	if a.bad == nil {
		t, which = b, "the second capture"
	}
	p := c.places(&t, []hit{{x: token{start: t.bad.at}}})
	d := Difference{Path: t.entry.Path, Pointer: p[0].pointer, Offset: t.bad.at, Why: fmt.Sprintf("in %s: %s", which, t.bad.why)}
	if a.bad != nil {
		d.A = excerpt(t.data, t.bad.at)
	} else {
		d.B = excerpt(t.data, t.bad.at)
	}
	c.report(d)
}

func (c *comparison) reportParted(a, b *text, at *parting) {
	p := c.places(a, []hit{{x: token{start: at.a}}})
	why := "the text differs, and nothing declares it; if it is random by design, declare it with this file and pointer as kind opaque, with a pattern"
	if _, index, _ := tree.SettleIndex(a.data); index {
		why = "git's index differs: the names, modes or contents of tracked files are not the same in both boxes; an id or a time in such a name cannot be bound, since git sorts the index and sums it: keep the file untracked"
	} else if isBinary(a.data) {
		why = "binary content differs"
	}
	for _, name := range slices.Sorted(maps.Keys(c.a.run.Known)) {
		v, other := c.a.run.Known[name], c.b.run.Known[name]
		if other != v && v != "" && bytes.Contains([]byte(excerpt(a.data, at.a)), []byte(v)) {
			why += fmt.Sprintf("; if this is the box's %s, declare it", name)
		}
	}
	c.report(Difference{Path: a.entry.Path, Pointer: p[0].pointer, Offset: at.a,
		A: excerpt(a.data, at.a), B: excerpt(b.data, at.b), Why: why})
}
