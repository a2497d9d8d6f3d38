package binding

import (
	"cmp"
	"fmt"
	"slices"
)

// Find compares two captures of one scenario, taken in boxes with different
// roots, and returns the bindings of the first, or every difference that
// nothing explains. third is a later capture at the root of the first: an id
// that repeats there is a constant or an unknown digest of the path.
func Find(a, b, third *Run, rules []Rule) ([]Binding, []Difference) {
	ready, wrong := prepare(a, b, rules)
	if len(wrong) > 0 {
		return nil, wrong
	}
	c := compare(a, b, ready)
	if third != nil {
		c.checkRepeats(third)
	}
	if len(c.differences) > 0 {
		return nil, sorted(c.differences)
	}
	return c.record.bindings(), nil
}

// Again compares a frozen capture under its recorded bindings with a new one:
// the same structure, every recorded binding explained, and nothing else.
func Again(frozen *Run, recorded []Binding, fresh *Run, rules []Rule) []Difference {
	ready, wrong := prepare(frozen, fresh, rules)
	if len(wrong) > 0 {
		return wrong
	}
	c := compare(withBirths(frozen, recorded), fresh, ready)
	if len(c.differences) == 0 {
		c.checkRecorded(recorded)
	}
	return sorted(c.differences)
}

// prepare compiles the rules, and refuses roots that cannot be told apart.
func prepare(a, b *Run, rules []Rule) ([]*rule, []Difference) {
	ready, wrong := compile(rules)
	for _, r := range []*Run{a, b} {
		if why := checkRoot(r.Root); why != "" {
			wrong = append(wrong, Difference{Offset: -1, Why: why})
		}
	}
	if len(wrong) == 0 && lastWord(a.Root) == lastWord(b.Root) {
		wrong = append(wrong, Difference{Offset: -1, A: a.Root, B: b.Root, Why: "both boxes have the same root, or roots with the same last word: nothing tells what belongs to which"})
	}
	return ready, wrong
}

// withBirths gives the entries of a fixture, which keeps no times of birth,
// the order that the recorded bindings are in.
func withBirths(frozen *Run, recorded []Binding) *Run {
	births := map[string]int64{}
	for n, b := range recorded {
		for _, o := range b.At {
			if _, known := births[o.Path]; o.Where == "name" && !known {
				births[o.Path] = int64(n + 1)
			}
		}
	}
	run := *frozen
	run.Entries = slices.Clone(frozen.Entries)
	for i := range run.Entries {
		if e := &run.Entries[i]; e.Born == 0 {
			e.Born = births[e.Path]
		}
	}
	return &run
}

// claim is one recorded or found occurrence, without its count.
type claim struct {
	kind          Kind
	value, derive string
	inputs        string
	at            Occurrence
}

func claims(bs []Binding) map[claim]int {
	all := map[claim]int{}
	for _, b := range bs {
		for _, o := range b.At {
			n := o.Count
			o.Count = 0
			all[claim{b.Kind, b.Value, b.Derive, fmt.Sprintf("%q", b.Inputs), o}] += n
		}
	}
	return all
}

// checkRecorded holds what was found against what is recorded, both ways.
func (c *comparison) checkRecorded(recorded []Binding) {
	found, frozen := claims(c.record.bindings()), claims(recorded)
	for k, n := range frozen {
		if found[k] != n {
			c.report(Difference{Path: k.at.Path, Pointer: k.at.Pointer, Offset: -1, A: k.value,
				Why: fmt.Sprintf("recorded %d times as %s in this place, found %d times", n, k.kind, found[k])})
		}
	}
	for k, n := range found {
		if frozen[k] == 0 {
			c.report(Difference{Path: k.at.Path, Pointer: k.at.Pointer, Offset: -1, A: k.value,
				Why: fmt.Sprintf("found %d times as %s in this place, where nothing is recorded", n, k.kind)})
		}
	}
}

func sorted(ds []Difference) []Difference {
	slices.SortStableFunc(ds, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Offset, y.Offset), cmp.Compare(x.Pointer, y.Pointer))
	})
	return ds
}
