package binding

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// record gathers bindings as they are found.
type record struct {
	found map[string]*bound
}

// bound is a binding in the making. Born, path and offset are where it was
// seen first; a name counts before content, whose order is the writer's.
type bound struct {
	Binding
	at     map[Occurrence]int // by everything but the count
	named  bool
	born   int64
	path   string
	offset int
}

// addRoot records the root even where it stands nowhere: what is derived from
// it needs it.
func (r *record) addRoot(root string) {
	r.bound(verdict{kind: Path}, root)
}

func (r *record) add(e *tree.Entry, p place, value string, t token, v verdict) {
	b := r.bound(v, value)
	b.at[Occurrence{Path: e.Path, Where: p.where, Pointer: p.pointer, Spelling: t.spelling}] += t.count
	b.see(e, p.where == "name", t.start)
}

func (r *record) bound(v verdict, value string) *bound {
	key := strings.Join(append([]string{string(v.kind), value, v.derive}, v.inputs...), "\x00")
	if r.found[key] == nil {
		r.found[key] = &bound{Binding: Binding{Kind: v.kind, Value: value, Derive: v.derive, Inputs: v.inputs}, at: map[Occurrence]int{}}
	}
	return r.found[key]
}

func (b *bound) see(e *tree.Entry, named bool, offset int) {
	born := e.Born
	if born == 0 {
		born = math.MaxInt64 - 1 // not told: after all that are
	}
	if b.path == "" || named && !b.named || named == b.named && born < b.born {
		b.named, b.born, b.path, b.offset = named, born, e.Path, offset
	}
}

// bindings returns what was found: the root first, then by birth.
func (r *record) bindings() []Binding {
	sorted := make([]*bound, 0, len(r.found))
	for _, b := range r.found {
		sorted = append(sorted, b)
	}
	slices.SortFunc(sorted, func(x, y *bound) int {
		if (x.Kind == Path) != (y.Kind == Path) {
			return map[bool]int{true: -1, false: 1}[x.Kind == Path]
		}
		return cmp.Or(cmp.Compare(x.born, y.born), cmp.Compare(x.path, y.path), cmp.Compare(x.offset, y.offset),
			cmp.Compare(x.Value, y.Value), cmp.Compare(x.Kind, y.Kind), slices.Compare(x.Inputs, y.Inputs))
	})
	numbers := map[Kind]int{}
	out := make([]Binding, 0, len(sorted))
	for _, b := range sorted {
		numbers[b.Kind]++
		b.ID = fmt.Sprintf("%s-%d", b.Kind, numbers[b.Kind])
		if b.Kind == Path {
			b.ID = "root"
		}
		b.At = b.occurrences()
		out = append(out, b.Binding)
	}
	return out
}

func (b *bound) occurrences() []Occurrence {
	var at []Occurrence
	for o, n := range b.at {
		o.Count = n
		at = append(at, o)
	}
	slices.SortFunc(at, func(x, y Occurrence) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Where, y.Where),
			cmp.Compare(x.Pointer, y.Pointer), cmp.Compare(x.Spelling, y.Spelling))
	})
	return at
}
