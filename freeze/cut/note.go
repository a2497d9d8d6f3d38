package cut

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// machineNotes tells of values that belong to this machine and were frozen as
// they are: all boxes of a cut share them, so nothing else would show it before
// the release is frozen again elsewhere.
func machineNotes(r *scenario.Result, bindings []binding.Binding) []string {
	var notes []string
	for _, kind := range []binding.Kind{binding.Host, binding.User} {
		value := r.Run.Known[string(kind)]
		declared := slices.ContainsFunc(bindings, func(b binding.Binding) bool { return b.Kind == kind })
		if value == "" || declared {
			continue
		}
		at := slices.IndexFunc(r.Run.Entries, func(e tree.Entry) bool { return holds(e, value) })
		if at >= 0 {
			notes = append(notes, fmt.Sprintf("%s: holds %q, the %s of this machine, frozen as it is; if it is meant as that, declare it (kind %s)", r.Run.Entries[at].Path, value, kind, kind))
		}
	}
	return append(notes, dayNotes(r, bindings)...)
}

// dayNotes tells of the day of the run where it stands by itself: all boxes of
// a cut share it, too, most of the time.
func dayNotes(r *scenario.Result, bindings []binding.Binding) []string {
	var notes []string
	for _, layout := range []string{"2006-01-02", "20060102", "Mon Jan 02 2006", "Jan 2, 2006", "2 Jan 2006"} {
		day := r.Run.From.UTC().Format(layout)
		at := slices.IndexFunc(r.Run.Entries, func(e tree.Entry) bool { return standsIn(e, day, bindings) })
		if at >= 0 {
			notes = append(notes, fmt.Sprintf("%s: holds %q, the day of this run, frozen as it is; if it is meant as that, declare it (kind date, layout %q)", r.Run.Entries[at].Path, day, layout))
		}
	}
	return notes
}

// standsIn says whether text stands in a file besides what is bound there.
func standsIn(e tree.Entry, text string, bindings []binding.Binding) bool {
	if !bytes.Contains(e.Data, []byte(text)) {
		return false
	}
	left := string(e.Data)
	for _, b := range bindings {
		if slices.ContainsFunc(b.At, func(o binding.Occurrence) bool { return o.Path == e.Path }) {
			left = strings.ReplaceAll(left, b.Value, " ")
		}
	}
	return regexp.MustCompile(`(?:^|[^0-9A-Za-z])` + regexp.QuoteMeta(text) + `(?:$|[^0-9A-Za-z])`).MatchString(left)
}

// holds says whether value is one of a document's, or stands quoted in one or
// in any other text. The name of a member is the format's own, and may well be
// "root".
func holds(e tree.Entry, value string) bool {
	quoted := `"` + value + `"`
	if !bytes.Contains(e.Data, []byte(value)) {
		return false
	}
	switch doc := fixture.ParseDocument(e.Path, e.Data); doc.Kind {
	case fixture.Text, fixture.Binary:
		return bytes.Contains(e.Data, []byte(quoted))
	default:
		return anyString(doc.Root, func(s string) bool { return s == value || strings.Contains(s, quoted) })
	}
}

// anyString says whether ok holds for a string among the values of a document.
func anyString(v any, ok func(string) bool) bool {
	below := func(v any) bool { return anyString(v, ok) }
	switch v := v.(type) {
	case string:
		return ok(v)
	case []any:
		return slices.ContainsFunc(v, below)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), below)
	}
	return false
}
