// Package diff says what changed in the persisted contract between two
// releases: documents, fields, types, formats, values, modes and links, with
// all that belongs to the box they were written in set aside.
//
// It compares fixtures, and knows nothing of the program that wrote them. In
// two scenarios of one name it reports every document, field and value that
// one of them lacks. Left aside are the layout of JSON, TOML, YAML and INI, the order of
// array elements, and the content of git's objects and indexes, which follow
// from the rest. Of an SQLite database its schema counts, and how many rows its
// tables have.
package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// What is a kind of change.
type What string

const (
	DocumentAdded   What = "document added"
	DocumentRemoved What = "document removed"
	Count           What = "count" // of documents whose paths differ in bound values only
	DocumentKind    What = "kind"  // what it is: json, toml, a symlink, a folder
	Mode            What = "mode"
	Target          What = "target" // of a symlink
	FieldAdded      What = "field added"
	FieldRemoved    What = "field removed"
	FieldType       What = "type"
	FieldFormat     What = "format" // of a bound value: the unit of a time, the kind of an id
	Value           What = "value"
	Lines           What = "lines"
	Bytes           What = "bytes"
)

// Change is one difference, found in one or more scenarios.
type Change struct {
	Family    string   `json:"family"`
	Scenarios []string `json:"scenarios"`
	Document  string   `json:"document"` // its path in the box; bound values stand as {what they are}
	Kind      string   `json:"kind"`     // in the newer release, if it is there
	Pointer   string   `json:"pointer,omitzero"`
	What      What     `json:"what"`
	Old       string   `json:"old,omitzero"`
	New       string   `json:"new,omitzero"`
}

// Report is what differs between two releases.
type Report struct {
	A        string   `json:"a"`
	B        string   `json:"b"`
	Compared []string `json:"compared"` // FAMILY/SCENARIO, in both releases
	OnlyA    []string `json:"only_a"`   // not compared
	OnlyB    []string `json:"only_b"`
	Changes  []Change `json:"changes"`
	Unread   []Unread `json:"unread"`
}

// Unread is a document that is not what its name or its beginning says.
type Unread struct {
	Version   string   `json:"version"`
	Family    string   `json:"family"`
	Scenarios []string `json:"scenarios"`
	Document  string   `json:"document"`
	Why       string   `json:"why"`
}

func (u Unread) String() string {
	return fmt.Sprintf("%s, %s: %s %s  (%s)", u.Version, u.Family, u.Document, u.Why, strings.Join(u.Scenarios, ", "))
}

// Empty reports whether nothing differs. Two releases without a scenario in
// common are not the same: nothing is known about them.
func (r *Report) Empty() bool { return len(r.Changes) == 0 && len(r.Compared) > 0 }

// Releases compares the families of release a with those of release b.
func Releases(a, b []*fixture.Release) *Report {
	left, right := scenarios(a), scenarios(b)
	r := &Report{A: version(a), B: version(b), Compared: []string{}, OnlyA: []string{}, OnlyB: []string{}, Changes: []Change{}, Unread: []Unread{}}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if right[name] == nil {
			r.OnlyA = append(r.OnlyA, name)
			continue
		}
		r.Compared = append(r.Compared, name)
		family, _, _ := strings.Cut(name, "/")
		before, after := documents(left[name]), documents(right[name])
		r.unread(r.A, name, before)
		r.unread(r.B, name, after)
		for _, c := range compare(before, after) {
			c.Family, c.Scenarios = family, []string{left[name].Name}
			r.Changes = append(r.Changes, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(right)) {
		if left[name] == nil {
			r.OnlyB = append(r.OnlyB, name)
		}
	}
	r.Changes = merge(r.Changes)
	return r
}

// unread notes the documents of a scenario that could not be taken apart.
func (r *Report) unread(version, scenario string, docs map[string]*document) {
	family, name, _ := strings.Cut(scenario, "/")
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		for _, why := range slices.Sorted(maps.Keys(docs[path].unread)) {
			i := slices.IndexFunc(r.Unread, func(u Unread) bool {
				return u.Version == version && u.Family == family && u.Document == path && u.Why == why
			})
			if i >= 0 {
				r.Unread[i].Scenarios = append(r.Unread[i].Scenarios, name)
				continue
			}
			r.Unread = append(r.Unread, Unread{version, family, []string{name}, path, why})
		}
	}
}

func version(releases []*fixture.Release) string {
	if len(releases) == 0 {
		return ""
	}
	return releases[0].Version
}

func scenarios(releases []*fixture.Release) map[string]*fixture.Scenario {
	all := make(map[string]*fixture.Scenario)
	for _, r := range releases {
		for name, s := range r.Scenarios {
			all[r.Family+"/"+name] = s
		}
	}
	return all
}

// merge makes one change of those that several scenarios of a family show.
func merge(changes []Change) []Change {
	slices.SortStableFunc(changes, compareChanges)
	merged := []Change{}
	for _, c := range changes {
		if n := len(merged); n > 0 && compareChanges(merged[n-1], c) == 0 {
			merged[n-1].Scenarios = append(merged[n-1].Scenarios, c.Scenarios...)
			continue
		}
		merged = append(merged, c)
	}
	return merged
}

func compareChanges(a, b Change) int {
	return cmp.Or(
		strings.Compare(a.Family, b.Family), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Document, b.Document),
		strings.Compare(a.Pointer, b.Pointer), strings.Compare(string(a.What), string(b.What)),
		strings.Compare(a.Old, b.Old), strings.Compare(a.New, b.New))
}
