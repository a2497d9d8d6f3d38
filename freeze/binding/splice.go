package binding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// edit replaces one piece of a text.
type edit struct {
	start, end int
	text       string
}

// text rebinds one part of an entry and counts what it replaces.
func (r *rebinder) text(e *tree.Entry, part int, data []byte) ([]byte, error) {
	w := r.wanted[e.Path]
	roots, bad := r.finder.find(data)
	if bad != nil {
		return nil, fmt.Errorf("rebind %q: byte %d: %s", e.Path, bad.at, bad.why)
	}
	edits, err := r.rootEdits(e, part, data, roots)
	if err != nil {
		return nil, err
	}
	digests := r.digestEdits(data, roots)
	if err := w.check(e.Path, part, data, roots, digests); err != nil {
		return nil, err
	}
	edits = append(edits, digests...)
	if w != nil && len(w.declared) > 0 {
		declared, err := r.declaredEdits(e, part, data, w)
		if err != nil {
			return nil, err
		}
		edits = append(edits, declared...)
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	for i := 1; i < len(edits); i++ {
		if edits[i].start < edits[i-1].end {
			return nil, fmt.Errorf("rebind %q: byte %d: two bindings for the same bytes", e.Path, edits[i].start)
		}
	}
	return splice(data, edits), nil
}

// splice applies edits, which are in order. Everything between them is copied.
func splice(data []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return data
	}
	size := len(data)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	out, pos := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[pos:e.start]...), e.text...)
		pos = e.end
	}
	return append(out, data[pos:]...)
}

// check holds what was found in one part against what is recorded for it.
func (w *wanted) check(name string, part int, data []byte, roots []token, digests []edit) error {
	var gotRoots, gotDigests map[string]int
	for _, t := range roots {
		count(&gotRoots, t.spelling, t.count)
	}
	for _, d := range digests {
		count(&gotDigests, string(data[d.start:d.end]), 1)
	}
	var wantRoots, wantDigests map[string]int
	if w != nil {
		wantRoots, wantDigests = w.roots[part], w.digests[part]
	}
	if err := sameCounts(name, "the box's path spelled", wantRoots, gotRoots); err != nil {
		return err
	}
	return sameCounts(name, "the digest", wantDigests, gotDigests)
}

func sameCounts(name, what string, want, got map[string]int) error {
	for _, counts := range []map[string]int{want, got} {
		for k := range counts {
			if want[k] != got[k] {
				return fmt.Errorf("rebind %q: %s %q is recorded %d times and found %d times: the file or its manifest was changed", name, what, k, want[k], got[k])
			}
		}
	}
	return nil
}

func (r *rebinder) rootEdits(e *tree.Entry, part int, data []byte, roots []token) ([]edit, error) {
	if len(roots) == 0 {
		return nil, nil
	}
	var form form // nobody asks for it where the new root is plain
	if !r.plain {
		form = r.form(e, part, data)
	}
	var edits []edit
	for _, t := range roots {
		now, why := r.respell(t, data, form)
		if why != "" {
			return nil, fmt.Errorf("rebind %q: byte %d: the new root %q cannot stand here, where the old one is spelled %s: %s", e.Path, t.start, r.to, t.spelling, why)
		}
		edits = append(edits, edit{t.start, t.end, now})
	}
	return edits, nil
}

// respell writes the new root the way a token writes the old one.
func (r *rebinder) respell(t token, data []byte, form form) (now, why string) {
	switch {
	case t.spelling == base64Std || t.spelling == base64URL:
		return r.respellBase64(t, data)
	case r.plain || r.anyRoot[t.spelling]:
		return r.spelled[t.spelling], ""
	case t.spelling != rawSpelling:
		return "", "it is known for letters, digits and . _ / - only"
	case strings.HasSuffix(string(data[:t.start]), "://"):
		form = urlForm
	}
	return r.to, form.refuses(r.to)
}

func (r *rebinder) respellBase64(t token, data []byte) (now, why string) {
	run := data[t.start:t.end]
	plain, _ := decodeBase64(run, t.spelling)
	if !r.plain {
		if why := formOf("", plain).refuses(r.to); why != "" {
			return "", why
		}
	}
	return encodeLike([]byte(strings.ReplaceAll(string(plain), r.from, r.to)), run, t.spelling)
}
