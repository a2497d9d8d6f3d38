package binding

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// finder finds a root in a text, in every spelling, and sees where the root's
// last word stands in a spelling that it does not know.
type finder struct {
	root  string
	word  string // the root's last word, which occurs nowhere else
	plain []spelled
	// needles are what the word looks like in clear and in encodings: each
	// tells which root it belongs to, or why that cannot be rebound.
	needles map[string]spell
	search  *search
}

type spelled struct {
	spelling
	text []byte
}

// minWord is the shortest last word of a root that is looked for, without its
// first letter: a shorter one stands elsewhere by chance.
const minWord = window4 + 1

func lastWord(root string) string {
	i := len(root)
	for i > 0 && kinds[root[i-1]] != 0 {
		i--
	}
	return root[i:]
}

// checkRoot says why a root cannot be told from other text.
func checkRoot(root string) string {
	switch {
	case !strings.HasPrefix(root, "/"):
		return fmt.Sprintf("the box's root %q is no absolute path", root)
	case len(lastWord(root)) < minWord:
		return fmt.Sprintf("the box's root %q does not end in a word of %d letters or more that occurs nowhere else", root, minWord)
	}
	return ""
}

func newFinder(root string) *finder {
	word := lastWord(root)
	f := &finder{root: root, word: word}
	for _, s := range spellings() {
		f.plain = append(f.plain, spelled{s, []byte(s.of(root))})
	}
	// Longest first: "-tmp-x" ends in "tmp-x".
	slices.SortStableFunc(f.plain, func(a, b spelled) int { return len(b.text) - len(a.text) })
	f.needles = f.makeNeedles()
	f.search = newSearch(maps.Keys(f.needles))
	return f
}

// base64Core is the part of a base64 text that depends on word alone, when
// phase bytes of its first group of three come before the word.
func base64Core(word string, phase int) string {
	text := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:phase] + word))
	from := (phase*8 + 5) / 6
	return text[from : (phase+len(word))*8/6]
}

// rootError is a root in a place or spelling that cannot be rebound.
type rootError struct {
	at  int
	why string
}

// find returns the roots in text, in order, as tokens.
func (f *finder) find(text []byte) ([]token, *rootError) {
	if f == nil {
		return nil, nil
	}
	var seen []spot
	f.search.in(text, func(word string, at int) { seen = append(seen, spot{word, at}) })
	if seen == nil {
		return nil, nil
	}
	slices.SortFunc(seen, func(a, b spot) int { return cmp.Or(a.offset-b.offset, strings.Compare(a.word, b.word)) })
	var found []token
	var bad *rootError
	past := map[string]int{} // where the last root ends that a needle belongs to
	for _, s := range seen {
		if s.offset < past[s.word] {
			continue
		}
		t, why := f.needles[s.word](text, s.offset)
		if why == "" {
			found, past[s.word] = append(found, t), t.end
		} else if bad == nil {
			bad = &rootError{s.offset, why}
		}
	}
	slices.SortFunc(found, func(a, b token) int { return a.start - b.start })
	// Two roots in one base64 run are found twice, and are one token.
	found = slices.CompactFunc(found, func(a, b token) bool { return a.start == b.start && a.end == b.end })
	return found, bad
}

type spell func(text []byte, at int) (t token, why string)

func (f *finder) makeNeedles() map[string]spell {
	refuse := func(why string) spell {
		return func([]byte, int) (token, string) { return token{}, why }
	}
	code, upper := hex.EncodeToString([]byte(f.word)), strings.ToUpper(f.word)
	ns := map[string]spell{
		f.word[1:]:            f.plainAt, // without its first letter, so that a capitalised word is seen too
		code:                  f.hexAt,
		strings.ToUpper(code): f.hexAt,
		strings.Join(strings.Split(f.word, ""), "\x00"): refuse("the box's path in UTF-16, which is not rebound"),
	}
	if upper[1:] != f.word[1:] {
		ns[upper[1:]] = refuse("the box's path in upper case, which is not rebound")
	}
	for phase := range 3 {
		ns[base64Core(f.word, phase)] = f.base64At
	}
	return ns
}

func indexFrom(text, needle []byte, from int) int {
	if from >= len(text) {
		return -1
	}
	at := bytes.Index(text[from:], needle)
	if at < 0 {
		return -1
	}
	return from + at
}

// plainAt looks at a word found in clear.
func (f *finder) plainAt(text []byte, at int) (token, string) {
	t, ok := f.endingAt(text, at+len(f.word)-1)
	switch {
	case !ok:
		return t, "the box's own name in a spelling that is not known, or apart from its path"
	case goesOn(text[t.end:], t.spelling == rawSpelling || strings.HasPrefix(t.spelling, "json")):
		return t, "a path beside the box, whose name begins with the box's"
	case t.spelling == rawSpelling && t.start > 0 && text[t.start-1] == '.':
		return t, "a relative path that leads out of the box and in again"
	}
	return t, ""
}

// goesOn tells whether a name that ends before rest is only the beginning of a
// longer one. Where the path has its slashes, that is so with a dash, too.
func goesOn(rest []byte, slashes bool) bool {
	if len(rest) == 0 {
		return false
	}
	return kinds[rest[0]] != 0 || slashes && len(rest) > 1 && strings.IndexByte("._-", rest[0]) >= 0 && kinds[rest[1]] != 0
}

func (f *finder) hexAt(text []byte, at int) (token, string) {
	t, ok := f.endingAt(text, at+2*len(f.word))
	if !ok {
		return t, "the box's own name in hex, apart from its path"
	}
	if next, err := hex.DecodeString(string(text[t.end:min(t.end+2, len(text))])); err == nil && len(next) == 1 && kinds[next[0]] != 0 {
		return t, "a path beside the box in hex, whose name begins with the box's"
	}
	return t, ""
}

// endingAt is the longest spelling of the root that ends there.
func (f *finder) endingAt(text []byte, end int) (token, bool) {
	for _, s := range f.plain {
		if bytes.HasSuffix(text[:end], s.text) {
			return token{class: rootToken, start: end - len(s.text), end: end, spelling: s.name, count: 1}, true
		}
	}
	return token{}, false
}
