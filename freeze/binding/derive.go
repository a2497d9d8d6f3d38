package binding

import (
	"context"
	"fmt"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// deriveAll derives every derived value twice: for the old root, where it must
// be the recorded one, so that a broken derivation cannot agree with itself;
// and for the new one.
func (r *rebinder) deriveAll(ctx context.Context, bs []Binding, derive Derive) error {
	known := digests()
	for _, b := range bs {
		if b.Kind == Derived && known[b.Derive] != nil {
			now, err := r.digest(b, known[b.Derive])
			if err != nil {
				return err
			}
			r.digests[b.Value] = now
		}
	}
	// Declared ones come last: they may take rebound content that holds digests.
	for _, b := range bs {
		if b.Kind == Derived && known[b.Derive] == nil {
			now, err := r.declared(ctx, b, derive)
			if err != nil {
				return err
			}
			r.setDeclared(b, now)
		}
	}
	return nil
}

func (r *rebinder) digest(b Binding, of func(string) string) (string, error) {
	var old, now string
	for _, in := range b.Inputs {
		was, is, err := r.input(b, in)
		if err != nil {
			return "", err
		}
		old, now = old+was, now+is
	}
	cut := func(digest string) string {
		digest = digest[:min(len(digest), len(b.Value))]
		if strings.ToUpper(b.Value) == b.Value {
			digest = strings.ToUpper(digest)
		}
		return digest
	}
	if got := cut(of(old)); got != b.Value {
		return "", fmt.Errorf("binding %s: %s of %q is %q, recorded is %q", b.ID, b.Derive, old, got, b.Value)
	}
	return cut(of(now)), nil
}

func (r *rebinder) declared(ctx context.Context, b Binding, derive Derive) (string, error) {
	if derive == nil {
		return "", fmt.Errorf("binding %s: derivation %q is not supplied: name a command for it in freeze.toml, or register a function", b.ID, b.Derive)
	}
	old, now := map[string]string{}, map[string]string{}
	for _, in := range b.Inputs {
		var err error
		if old[in], now[in], err = r.input(b, in); err != nil {
			return "", err
		}
	}
	got, err := derive(ctx, b.Derive, old)
	if err != nil {
		return "", fmt.Errorf("binding %s: derivation %q: %w", b.ID, b.Derive, err)
	}
	if got != b.Value {
		return "", fmt.Errorf("binding %s: derivation %q gives %q for the recorded inputs, recorded is %q: the derivation is not the release's", b.ID, b.Derive, got, b.Value)
	}
	if got, err = derive(ctx, b.Derive, now); err != nil {
		return "", fmt.Errorf("binding %s: derivation %q at %q: %w", b.ID, b.Derive, r.to, err)
	}
	return got, nil
}

// input is what an input was in the old place, and what it is in the new one.
func (r *rebinder) input(b Binding, in string) (was, is string, err error) {
	for _, place := range startFolders() {
		if rest, ok := strings.CutPrefix(in, "{"+place+"}"); ok {
			in = rootInput + "/" + place + rest
		}
	}
	if rest, ok := strings.CutPrefix(in, rootInput); ok {
		if r.from == "" {
			return "", "", fmt.Errorf("binding %s: no root is recorded to derive it from", b.ID)
		}
		return r.from + rest, r.to + rest, nil
	}
	i, ok := r.at[in]
	if !ok {
		return "", "", fmt.Errorf("binding %s: its input %q is no entry, nor a path below {root}", b.ID, in)
	}
	e := &r.entries[i]
	if w := r.wanted[in]; w != nil && len(w.declared) > 0 {
		return "", "", fmt.Errorf("binding %s: its input %q holds a derived value itself", b.ID, in)
	}
	data, err := r.text(e, contentPart, e.Data)
	return string(e.Data), string(data), err
}

func (r *rebinder) setDeclared(b Binding, now string) {
	for _, o := range b.At {
		for i, d := range r.wanted[o.Path].declared {
			if d.value == b.Value && d.pointer == o.Pointer && d.part == partOf(o.Where) {
				r.wanted[o.Path].declared[i].now = now
			}
		}
	}
}

// digestEdits finds the recognised digests in a text.
func (r *rebinder) digestEdits(data []byte, roots []token) []edit {
	if len(r.digests) == 0 {
		return nil
	}
	var edits []edit
	s := scanner{text: data, fixed: roots}
	for t, more := s.next(); more; t, more = s.next() {
		if t.class != hexToken && t.class != decimalToken {
			continue
		}
		if now, is := r.digests[string(data[t.start:t.end])]; is {
			edits = append(edits, edit{t.start, t.end, now})
		}
	}
	return edits
}

// declaredEdits finds the declared derived values at their places.
func (r *rebinder) declaredEdits(e *tree.Entry, part int, data []byte, w *wanted) ([]edit, error) {
	var edits []edit
	for _, d := range w.declared {
		if d.part != part {
			continue
		}
		at, err := placeOf(e, part, data, d)
		if err != nil {
			return nil, fmt.Errorf("rebind %q at %s: %w", e.Path, d.pointer, err)
		}
		if d.count != 1 {
			return nil, fmt.Errorf("rebind %q at %s: %q is recorded %d times and found once", e.Path, d.pointer, d.value, d.count)
		}
		if !safe(d.now, ":+@=") {
			if why := r.form(e, part, data).refuses(d.now); why != "" {
				return nil, fmt.Errorf("rebind %q at %s: the derived value %q cannot stand here: %s", e.Path, d.pointer, d.now, why)
			}
		}
		edits = append(edits, edit{at, at + len(d.value), d.now})
	}
	return edits, nil
}

func placeOf(e *tree.Entry, part int, data []byte, d declaredAt) (int, error) {
	if part == contentPart && d.pointer != "" {
		at := -1
		layoutOf(e.Path, data)(data, func(l leaf) bool {
			if l.where != "key" && string(data[l.start:l.end]) == d.value && l.pointer() == d.pointer {
				at = l.start
			}
			return at < 0
		})
		if at < 0 {
			return 0, fmt.Errorf("the recorded value %q is not there", d.value)
		}
		return at, nil
	}
	start := 0
	if part == namePart {
		start = strings.LastIndexByte(string(data), '/') + 1
	}
	if string(data[start:]) != d.value {
		return 0, fmt.Errorf("the recorded value %q is not there", d.value)
	}
	return start, nil
}
