package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compare lists the changes from one scenario's documents to another's.
func compare(a, b map[string]*document) []Change {
	var changes []Change
	for _, name := range union(a, b) {
		old, now := a[name], b[name]
		switch {
		case old == nil:
			changes = append(changes, Change{Document: name, Kind: now.kind(), What: DocumentAdded})
		case now == nil:
			changes = append(changes, Change{Document: name, Kind: old.kind(), What: DocumentRemoved})
		default:
			changes = append(changes, old.compare(now)...)
		}
	}
	return changes
}

func union[V any](a, b map[string]V) []string {
	names := slices.Collect(maps.Keys(a))
	names = slices.AppendSeq(names, maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

func (d *document) compare(now *document) []Change {
	var changes []Change
	note := func(pointer string, what What, old, new string) {
		if old != new {
			changes = append(changes, Change{Document: d.path, Kind: now.kind(), Pointer: pointer, What: what, Old: old, New: new})
		}
	}
	if !strings.HasSuffix(d.path, "/objects/{object}") {
		note("", Count, fmt.Sprint(d.count), fmt.Sprint(now.count))
	}
	note("", Mode, d.modes.text(), now.modes.text())
	note("", DocumentKind, d.kind(), now.kind())
	if d.kind() != now.kind() {
		return changes
	}
	note("", Target, d.targets.text(), now.targets.text())
	note("", Bytes, d.bytes.text(), now.bytes.text())
	if old, new := lineDiff(d.lines, now.lines); old != new {
		note("", Lines, old, new)
	}
	for _, pointer := range union(d.fields, now.fields) {
		old, new := d.fields[pointer], now.fields[pointer]
		switch {
		case old == nil:
			note(pointer, FieldAdded, "", new.text())
		case new == nil:
			note(pointer, FieldRemoved, old.text(), "")
		default:
			note(pointer, FieldType, old.types.text(), new.types.text())
			note(pointer, FieldFormat, old.forms.text(), new.forms.text())
			note(pointer, Value, old.values.text(), new.values.text())
		}
	}
	return changes
}

// text is a field as a whole: its types and what it holds.
func (f *field) text() string {
	held := slices.Concat(slices.Sorted(maps.Keys(f.forms)), slices.Sorted(maps.Keys(f.values)))
	if len(held) == 0 {
		return f.types.text()
	}
	return f.types.text() + ": " + strings.Join(held, ", ")
}
