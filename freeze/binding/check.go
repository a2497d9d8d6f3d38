package binding

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// checkPartners holds that every id has one partner over all contents and
// names. Of two partners the one that was seen less often is the odd one.
func (c *comparison) checkPartners() {
	seen := map[[2]string]int{}
	for _, d := range c.ids {
		seen[[2]string{d.A, d.B}]++
	}
	bestB, bestA := map[string]string{}, map[string]string{}
	for _, d := range c.ids {
		n := seen[[2]string{d.A, d.B}]
		if b, known := bestB[d.A]; !known || n > seen[[2]string{d.A, b}] {
			bestB[d.A] = d.B
		}
		if a, known := bestA[d.B]; !known || n > seen[[2]string{a, d.B}] {
			bestA[d.B] = d.A
		}
	}
	for _, d := range c.ids {
		switch {
		case bestB[d.A] != d.B:
			d.Why = fmt.Sprintf("an id that is %q elsewhere in the second capture", bestB[d.A])
		case bestA[d.B] != d.A:
			d.Why = fmt.Sprintf("an id that stands for %q elsewhere in the first capture", bestA[d.B])
		default:
			continue
		}
		c.report(d)
	}
}

// checkOrder holds that what happened before something else in one box did not
// happen after it in the other. Times that may coincide, as far as their unit
// tells, are in either order.
func (c *comparison) checkOrder() {
	byStart := slices.Clone(c.clocks)
	slices.SortStableFunc(byStart, func(x, y clockPair) int { return cmp.Compare(x.a.at, y.a.at) })
	byEnd := slices.Clone(c.clocks)
	slices.SortStableFunc(byEnd, func(x, y clockPair) int { return cmp.Compare(x.a.at+x.a.unit, y.a.at+y.a.unit) })
	latest, next := clockPair{b: clock{at: math.MinInt64}}, 0
	for _, p := range byStart {
		for next < len(byEnd) && byEnd[next].a.at+byEnd[next].a.unit <= p.a.at {
			if byEnd[next].b.at > latest.b.at {
				latest = byEnd[next]
			}
			next++
		}
		if next > 0 && p.b.at+p.b.unit <= latest.b.at {
			d := p.where
			d.Why = fmt.Sprintf("a time that comes after %s in the first capture, and before it in the second", at(latest.where))
			c.report(d)
		}
	}
}

func at(d Difference) string {
	return fmt.Sprintf("%q (%q%s)", d.A, d.Path, strings.TrimSuffix(" at "+d.Pointer, " at "))
}

// checkForeignIDs holds that no id of one box is also in the other.
func (c *comparison) checkForeignIDs() {
	c.searchIDs(c.b.run, c.fromA, func(d Difference, id string) {
		d.A, d.B, d.Why = id, id, "an id of the first capture that is in the second too: no id of its own box"
		c.report(d)
	})
	c.searchIDs(c.a.run, c.fromB, func(d Difference, id string) {
		d.A, d.B, d.Why = id, id, "an id of the second capture that is in the first too: no id of its own box"
		c.report(d)
	})
}

// checkRepeats holds that no id of the first capture comes again in a later
// one at the same root: it would be a constant, or a digest of the path in a
// way that is not known.
func (c *comparison) checkRepeats(third *Run) {
	c.searchIDs(third, c.fromA, func(d Difference, id string) {
		d.A, d.B = id, id
		d.Why = "differs between the roots, but is the same again at the same root: derived from the path in a way that is not known. Declare it with this file and pointer as kind derived"
		c.report(d)
	})
	c.checkOpaqueRepeats(third)
}

func (c *comparison) checkOpaqueRepeats(third *Run) {
	at := map[string]*tree.Entry{}
	for i := range third.Entries {
		at[third.Entries[i].Path] = &third.Entries[i]
	}
	const tooShort = 4 // bytes that may come again by chance
	for _, b := range c.record.bindings() {
		if b.Kind != Opaque || len(b.Value) < tooShort {
			continue
		}
		for _, o := range b.At {
			if e := at[o.Path]; e != nil && strings.Contains(string(e.Data)+e.Target, b.Value) {
				c.report(Difference{Path: o.Path, Pointer: o.Pointer, Offset: -1, A: b.Value, B: b.Value,
					Why: "declared opaque, which is random by design, but the same again at the same root"})
			}
		}
	}
}

// checkContentDigests holds that no id is the digest of a file whose bytes
// change with the root: a thaw would leave the old digest beside new bytes.
func (c *comparison) checkContentDigests() {
	changing := map[string]bool{}
	for _, b := range c.record.bindings() {
		for _, o := range b.At {
			if (b.Kind == Path || b.Kind == Derived) && partOf(o.Where) == contentPart {
				changing[o.Path] = true
			}
		}
	}
	hexes := slices.Clone(c.ids)
	hexes = slices.DeleteFunc(hexes, func(d Difference) bool { return runOf([]byte(d.A), hexDigit) < len(d.A) })
	if len(hexes) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(changing)) {
		data := string(c.a.run.Entries[c.a.at[name]].Data)
		for algorithm, of := range digests() {
			digest := of(data)
			for _, d := range hexes {
				if strings.HasPrefix(digest, strings.ToLower(d.A)) {
					d.Why = fmt.Sprintf("the %s of %q, whose bytes change with the root; declare it with this file and pointer as kind derived", algorithm, name)
					c.report(d)
				}
			}
		}
	}
}
