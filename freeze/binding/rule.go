package binding

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// The pointers that name no content.
const namePointer, targetPointer = "#name", "#target"

// rule is a Rule made ready.
type rule struct {
	Rule
	file    []string
	steps   []string
	pattern *regexp.Regexp // nil for any value
}

// ruled is where a rule holds in one text.
type ruled struct {
	rule       *rule
	start, end int
}

func compile(rules []Rule) ([]*rule, []Difference) {
	var ready []*rule
	var wrong []Difference
	for _, r := range rules {
		c, err := compileRule(r)
		if err != nil {
			wrong = append(wrong, Difference{Path: r.File, Pointer: r.Pointer, Offset: -1, Why: "this declaration cannot be used: " + err.Error()})
			continue
		}
		ready = append(ready, c)
	}
	return ready, wrong
}

func compileRule(r Rule) (*rule, error) {
	c := &rule{Rule: r, file: strings.Split(r.File, "/")}
	for _, step := range c.file {
		if _, err := path.Match(step, ""); err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
	}
	switch {
	case strings.HasPrefix(r.Pointer, "/"):
		c.steps = strings.Split(r.Pointer[1:], "/")
	case r.Pointer != "" && r.Pointer != namePointer && r.Pointer != targetPointer:
		return nil, fmt.Errorf("pointer %q: neither empty, /STEP..., %s nor %s", r.Pointer, namePointer, targetPointer)
	}
	if !slices.Contains([]Kind{Decimal, Host, User, UID, Version, Prefix, Opaque, Date, Derived}, r.Kind) {
		return nil, fmt.Errorf("kind %q: recognised without a declaration, or unknown", r.Kind)
	}
	if r.Kind == Derived && r.Derive == "" {
		return nil, fmt.Errorf("kind derived without the name of its derivation")
	}
	if r.Kind == Date && r.Layout == "" {
		return nil, fmt.Errorf("kind date without its layout")
	}
	if r.Kind == Derived && len(r.Inputs) == 0 {
		c.Inputs = []string{"{project}"}
	}
	if r.Pattern == "" {
		return c, nil
	}
	var err error
	c.pattern, err = regexp.Compile(`\A(?:` + r.Pattern + `)\z`)
	return c, err
}

// matchFile matches a path against a glob, component by component.
func matchFile(glob, name []string) bool {
	if len(glob) == 0 {
		return len(name) == 0
	}
	if glob[0] == "**" {
		for i := range len(name) + 1 {
			if matchFile(glob[1:], name[i:]) {
				return true
			}
		}
		return false
	}
	if len(name) == 0 {
		return false
	}
	ok, err := path.Match(glob[0], name[0])
	return err == nil && ok && matchFile(glob[1:], name[1:])
}

func (r *rule) matchPointer(pointer string) bool {
	if !strings.HasPrefix(pointer, "/") {
		return false
	}
	return slices.EqualFunc(r.steps, strings.Split(pointer[1:], "/"), func(want, got string) bool {
		return want == "*" || want == got
	})
}

// rulesFor picks the rules about one text of an entry.
func rulesFor(rules []*rule, e *tree.Entry, pointers func(string) bool) []*rule {
	var those []*rule
	for _, r := range rules {
		if pointers(r.Pointer) && matchFile(r.file, strings.Split(e.Path, "/")) {
			those = append(those, r)
		}
	}
	return those
}

// Matches tells whether the rule holds anywhere in a capture. One that cannot
// be used at all is reported by Find.
func (r Rule) Matches(entries []tree.Entry) bool {
	c, err := compileRule(r)
	if err != nil {
		return true
	}
	rules := []*rule{c}
	this := func(pointer string) bool { return pointer == r.Pointer }
	return slices.ContainsFunc(entries, func(e tree.Entry) bool {
		switch {
		case inContent(r.Pointer):
			return e.Type == tree.File && slices.ContainsFunc(contentRanges(rules, &e), func(at ruled) bool {
				return c.Kind != Date || isDate(c.Layout, string(e.Data[at.start:at.end]))
			})
		case r.Pointer == targetPointer && e.Type != tree.Symlink:
			return false
		}
		return len(rulesFor(rules, &e, this)) > 0
	})
}

func inContent(pointer string) bool { return !strings.HasPrefix(pointer, "#") }

// contentRanges finds where rules hold in a file, in order. Of two rules about
// one place the first counts.
func contentRanges(rules []*rule, e *tree.Entry) []ruled {
	those := rulesFor(rules, e, inContent)
	if len(those) == 0 {
		return nil
	}
	if whole := slices.IndexFunc(those, func(r *rule) bool { return r.Pointer == "" }); whole >= 0 {
		return []ruled{{those[whole], 0, len(e.Data)}}
	}
	var found []ruled
	layoutOf(e.Path, e.Data)(e.Data, func(l leaf) bool {
		if l.where == "key" {
			return true
		}
		pointer := l.pointer()
		for _, r := range those {
			if r.matchPointer(pointer) {
				found = append(found, ruled{r, l.start, l.end})
				break
			}
		}
		return true
	})
	return found
}

// isNumber tells whether text is one whole number of JSON or TOML.
func isNumber(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("-"))
	n := runOf(text, digit)
	if n == 0 {
		return false
	}
	if text = text[n:]; len(text) > 1 && text[0] == '.' {
		text = text[1+runOf(text[1:], digit):]
	}
	if len(text) > 1 && (text[0] == 'e' || text[0] == 'E') {
		text = bytes.TrimLeft(text[1:], "+-")
		text = text[runOf(text, digit):]
	}
	return len(text) == 0
}
