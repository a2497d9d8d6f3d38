package binding

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// side is one of the captures that are compared, made ready.
type side struct {
	run      *Run
	window   window
	finder   *finder
	rules    []*rule
	roots    [][]token // in each entry's content
	bad      []*rootError
	at       map[string]int // entry by path
	children map[string][]int
	names    []text
	recipes  recipes // learned when the first digest is looked at
	git      gitDirs
}

func newSide(r *Run, rules []*rule) *side {
	s := &side{run: r, window: newWindow(r), finder: newFinder(r.Root), rules: rules,
		at: map[string]int{}, children: map[string][]int{},
		roots: make([][]token, len(r.Entries)), bad: make([]*rootError, len(r.Entries))}
	for i := range r.Entries {
		e := &r.Entries[i]
		s.at[e.Path] = i
		s.roots[i], s.bad[i] = s.finder.find(e.Data)
	}
	for i := range r.Entries {
		parent := s.parent(r.Entries[i].Path)
		s.children[parent] = append(s.children[parent], i)
		s.names = append(s.names, s.name(i))
	}
	s.git = findGitDirs(s.at)
	return s
}

// parent is the nearest folder above that is an entry, or "".
func (s *side) parent(name string) string {
	for {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return ""
		}
		name = name[:i]
		if _, ok := s.at[name]; ok {
			return name
		}
	}
}

// recipe looks up the digest of a path of this side.
func (s *side) recipe(text string) (recipe, bool) {
	if s.recipes == nil {
		s.recipes = learn(s.run.Root, s.run.Entries, s.roots)
	}
	return s.recipes.of(text)
}

// text is what is compared: a file's content, a symlink's target, or a name
// below the nearest folder that is an entry.
type text struct {
	entry *tree.Entry
	where string // name, target, or "" for content
	data  []byte
	fixed []token
	rules []ruled
	bad   *rootError
}

func (s *side) content(i int) text {
	e := &s.run.Entries[i]
	t := text{entry: e, data: e.Data, bad: s.bad[i]}
	t.rules = contentRanges(s.rules, e)
	if len(s.roots[i]) > 0 && t.bad == nil && isBinary(e.Data) {
		t.bad = &rootError{s.roots[i][0].start, "the box's path inside of a binary file, where its length may be counted or its bytes checksummed"}
	}
	s.fix(&t, s.roots[i])
	return t
}

func (s *side) target(i int) text {
	e := &s.run.Entries[i]
	t := text{entry: e, where: "target", data: []byte(e.Target)}
	if rs := rulesFor(s.rules, e, func(p string) bool { return p == targetPointer }); len(rs) > 0 {
		t.rules = []ruled{{rs[0], 0, len(t.data)}}
	}
	roots, bad := s.finder.find(t.data)
	t.bad = bad
	s.fix(&t, roots)
	return t
}

func (s *side) name(i int) text {
	e := &s.run.Entries[i]
	rest := e.Path
	if p := s.parent(e.Path); p != "" {
		rest = e.Path[len(p)+1:]
	}
	t := text{entry: e, where: "name", data: []byte(rest)}
	if rs := rulesFor(s.rules, e, func(p string) bool { return p == namePointer }); len(rs) > 0 {
		t.rules = []ruled{{rs[0], len(rest) - len(path.Base(rest)), len(rest)}}
	}
	roots, bad := s.finder.find(t.data)
	t.bad = bad
	for _, r := range roots {
		if !s.finder.named(r.spelling) && t.bad == nil {
			t.bad = &rootError{r.start, "the box's path as a chain of folders in a name: another root has another number of them"}
		}
	}
	s.fix(&t, roots)
	return t
}

func (f *finder) named(spelling string) bool {
	i := slices.IndexFunc(f.plain, func(s spelled) bool { return s.name == spelling })
	return i >= 0 && f.plain[i].inNames || spelling == base64URL
}

// fix merges the roots with what rules cover as a whole.
func (s *side) fix(t *text, roots []token) {
	t.fixed = slices.Clone(roots)
	for _, r := range t.rules {
		whole := s.covered(t, r)
		for _, x := range whole {
			if i := slices.IndexFunc(roots, func(root token) bool { return root.start < x.end && x.start < root.end }); i >= 0 && t.bad == nil {
				t.bad = &rootError{roots[i].start, fmt.Sprintf("the box's path inside of what is declared %s", r.rule.Kind)}
			}
		}
		t.fixed = append(t.fixed, whole...)
	}
	slices.SortFunc(t.fixed, func(a, b token) int { return a.start - b.start })
}

// covered is what a rule makes one token of.
func (s *side) covered(t *text, r ruled) []token {
	data := t.data[r.start:r.end]
	whole := []token{{class: ruleToken, start: r.start, end: r.end, count: 1, rule: r.rule}}
	switch r.rule.Kind {
	case Opaque, Derived, Date:
		return whole
	case Decimal:
		if isNumber(data) {
			return whole
		}
	case Host, User, UID, Version:
		return s.known(t, r)
	}
	return nil
}

// known finds the values that the box knows in a declared range.
func (s *side) known(t *text, r ruled) []token {
	var found []token
	for _, value := range s.values(r.rule.Kind) {
		for at := indexFrom(t.data, []byte(value), r.start); at >= 0 && at+len(value) <= r.end; at = indexFrom(t.data, []byte(value), at+len(value)) {
			taken := slices.ContainsFunc(found, func(x token) bool { return x.start <= at && at < x.end })
			if aWord(t.data, at, at+len(value)) && !taken {
				found = append(found, token{class: ruleToken, start: at, end: at + len(value), count: 1, rule: r.rule})
			}
		}
	}
	if len(found) == 0 && t.bad == nil {
		t.bad = &rootError{r.start, fmt.Sprintf("declared %s, but %q holds none of %q", r.rule.Kind, excerpt(t.data[r.start:r.end], 0), s.values(r.rule.Kind))}
	}
	return found
}

// values are what the box knows of a kind.
func (s *side) values(k Kind) []string {
	var vs []string
	for name, v := range s.run.Known {
		kind := Kind(name)
		if kind != Host && kind != User && kind != UID {
			kind = Version
		}
		if kind == k && v != "" {
			vs = append(vs, v)
		}
	}
	slices.SortFunc(vs, func(a, b string) int { return len(b) - len(a) })
	return vs
}

func aWord(data []byte, start, end int) bool {
	return (start == 0 || kinds[data[start-1]] == 0) && (end == len(data) || kinds[data[end]] == 0)
}

func (s *side) scanner(t *text) scanner {
	var partial []ruled
	for _, r := range t.rules {
		if r.rule.Kind == Decimal || r.rule.Kind == Prefix {
			partial = append(partial, r)
		}
	}
	return scanner{text: t.data, window: s.window, fixed: t.fixed, ranges: partial}
}

// equalText tells whether two contents need no more than a look at their times.
func equalText(a, b *text) bool {
	return len(a.fixed) == 0 && len(b.fixed) == 0 && len(a.rules) == 0 && len(b.rules) == 0 &&
		a.bad == nil && b.bad == nil && bytes.Equal(a.data, b.data)
}
