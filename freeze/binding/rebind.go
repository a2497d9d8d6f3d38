package binding

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// Rebind carries a whole capture over to a new root, an absolute path with its
// symlinks resolved. Each root is replaced in the spelling it had, exactly as
// often as recorded in exactly the recorded files; a derived value is first
// derived again from its recorded inputs and must be the recorded one. Every
// other byte stays. The entries come in the order they were given; those
// without a binding share their Data with the input. derive may be nil where
// no binding names a derivation other than sha256, sha1 and md5.
func Rebind(ctx context.Context, entries []tree.Entry, bs []Binding, root string, derive Derive) ([]tree.Entry, error) {
	if !strings.HasPrefix(root, "/") || path.Clean(root) != root || root == "/" || strings.ContainsRune(root, 0) {
		return nil, fmt.Errorf("rebind to %q: not an absolute path in its shortest form", root)
	}
	r, err := newRebinder(entries, bs, root)
	if err != nil {
		return nil, err
	}
	if err := r.deriveAll(ctx, bs, derive); err != nil {
		return nil, err
	}
	out := make([]tree.Entry, len(entries))
	for i := range entries {
		if out[i], err = r.entry(&entries[i]); err != nil {
			return nil, err
		}
	}
	return out, r.checkAllThere()
}

// rebinder is a scenario's bindings made ready for one new root.
type rebinder struct {
	from, to string
	entries  []tree.Entry
	at       map[string]int
	finder   *finder
	spelled  map[string]string // the new root in each spelling
	anyRoot  map[string]bool
	plain    bool // the new root is of letters, digits and . _ / -
	wanted   map[string]*wanted
	digests  map[string]string // the new text of each recognised digest
	renamed  map[string]string // folders' new paths
	git      gitDirs
}

// wanted is what is recorded for one entry.
type wanted struct {
	roots    [3]map[string]int // how often in each spelling, by part
	digests  [3]map[string]int // how often each recognised digest, by part
	declared []declaredAt
}

// declaredAt is a declared derived value, known by its place.
type declaredAt struct {
	part       int
	pointer    string
	count      int
	value, now string
}

// The parts of an entry.
const (
	contentPart = iota
	namePart
	targetPart
)

func partOf(where string) int {
	switch where {
	case "name":
		return namePart
	case "target":
		return targetPart
	}
	return contentPart
}

func newRebinder(entries []tree.Entry, bs []Binding, root string) (*rebinder, error) {
	r := &rebinder{to: root, entries: entries, at: make(map[string]int, len(entries)), spelled: map[string]string{}, anyRoot: map[string]bool{},
		plain: safe(root, ""), wanted: map[string]*wanted{}, digests: map[string]string{}, renamed: make(map[string]string, len(entries))}
	for i := range entries {
		r.at[entries[i].Path] = i
	}
	r.git = findGitDirs(r.at)
	for _, s := range spellings() {
		r.spelled[s.name], r.anyRoot[s.name] = s.of(root), s.anyRoot
	}
	for _, b := range bs {
		if b.Kind == Path {
			if r.from != "" {
				return nil, errors.New("rebind: two recorded roots")
			}
			if why := checkRoot(b.Value); why != "" {
				return nil, fmt.Errorf("rebind: %s", why)
			}
			r.from, r.finder = b.Value, newFinder(b.Value)
		}
		r.want(b)
	}
	return r, nil
}

func (r *rebinder) want(b Binding) {
	builtIn := digests()[b.Derive] != nil
	for _, o := range b.At {
		w := r.wanted[o.Path]
		if w == nil {
			w = &wanted{}
			r.wanted[o.Path] = w
		}
		switch part := partOf(o.Where); {
		case b.Kind == Path:
			count(&w.roots[part], o.Spelling, o.Count)
		case b.Kind == Derived && builtIn:
			count(&w.digests[part], b.Value, o.Count)
		case b.Kind == Derived:
			w.declared = append(w.declared, declaredAt{part: part, pointer: o.Pointer, count: o.Count, value: b.Value})
		}
	}
}

// count adds to one of the counts, most of which stay empty.
func count(counts *map[string]int, of string, n int) {
	if *counts == nil {
		*counts = make(map[string]int)
	}
	(*counts)[of] += n
}

// entry rebinds one entry.
func (r *rebinder) entry(e *tree.Entry) (tree.Entry, error) {
	out := *e
	var err error
	if out.Path, err = r.path(e.Path); err != nil {
		return out, err
	}
	if e.Type == tree.Symlink {
		target, err := r.text(e, targetPart, []byte(e.Target))
		out.Target = string(target)
		return out, err
	}
	out.Data, err = r.text(e, contentPart, e.Data)
	return out, err
}

// path rebinds a name below its parent, which may have a new name itself.
func (r *rebinder) path(name string) (string, error) {
	if now, ok := r.renamed[name]; ok {
		return now, nil
	}
	parent := name
	for i := strings.LastIndexByte(parent, '/'); ; i = strings.LastIndexByte(parent, '/') {
		parent = parent[:max(i, 0)]
		if _, is := r.at[parent]; is || parent == "" {
			break
		}
	}
	rest, now := strings.TrimPrefix(name[len(parent):], "/"), ""
	if parent != "" {
		above, err := r.path(parent)
		if err != nil {
			return "", err
		}
		now = above + "/"
	}
	i, ok := r.at[name]
	if !ok {
		return "", fmt.Errorf("rebind %q: no such entry", name)
	}
	text, err := r.text(&r.entries[i], namePart, []byte(rest))
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), "/") != strings.Count(rest, "/") {
		return "", fmt.Errorf("rebind %q: its new name %q has another number of folders", name, text)
	}
	r.renamed[name] = now + string(text)
	return r.renamed[name], nil
}

// checkAllThere holds that every entry with a binding was there.
func (r *rebinder) checkAllThere() error {
	var missing []string
	for name := range r.wanted {
		if _, ok := r.at[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("rebind %q: bindings are recorded for it, and it is not there", slices.Min(missing))
}
