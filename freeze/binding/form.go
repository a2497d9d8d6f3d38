package binding

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// form is what a text makes of a path in it.
type form int

const (
	textForm form = iota // of no known format
	jsonForm
	tomlForm
	urlForm
	lineForm   // a path up to the end of its line, or between tabs and quotes that mean nothing
	configForm // git's configuration
	viewForm   // what a release printed for people to read
	linkForm   // a symlink's target
)

// form tells the form of one part of an entry.
func (r *rebinder) form(e *tree.Entry, part int, data []byte) form {
	if part == targetPart {
		return linkForm
	}
	f := formOf(e.Path, data)
	switch {
	case part != contentPart || f != textForm:
		return f
	case strings.HasPrefix(e.Path, "view/"):
		return viewForm
	}
	return r.git.form(e.Path)
}

// formOf tells the form of a text by its name and what it holds.
func formOf(name string, data []byte) form {
	trimmed := strings.TrimLeft(string(data[:min(len(data), 64)]), " \t\r\n")
	switch {
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		if values, ok := countJSON(data); ok && values > 0 {
			return jsonForm
		}
	case strings.HasSuffix(name, ".toml"):
		return tomlForm
	case strings.HasPrefix(strings.TrimPrefix(trimmed, "gitdir: "), "/") && lineEnd(data) >= len(data)-1:
		return lineForm
	}
	return textForm
}

// refuses says why a path cannot stand raw in a text of this form.
func (f form) refuses(p string) string {
	switch f {
	case linkForm:
		return ""
	case lineForm:
		return contains(p, "\r\n")
	case viewForm:
		return holdsControl(p)
	case configForm:
		// Between quotes some of these would do, but not all; and git drops a
		// space at the end of a line.
		if strings.HasSuffix(p, " ") {
			return "it ends in a space"
		}
		return cmp.Or(contains(p, `"\#;*?[`), holdsControl(p))
	case jsonForm, tomlForm:
		if !utf8.ValidString(p) {
			return "it is not valid UTF-8"
		}
		if why := holdsControl(p); why != "" {
			return why
		}
		if f == tomlForm {
			return contains(p, `"'\`)
		}
		return contains(p, `"\`)
	}
	if !safe(p, "+@=") {
		return "it holds more than letters, digits and . _ / - + @ =, and the file's format does not say how to quote it"
	}
	return ""
}

func holdsControl(p string) string {
	if strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "it holds a control character"
	}
	return ""
}

func contains(p, chars string) string {
	if i := strings.IndexAny(p, chars); i >= 0 {
		return fmt.Sprintf("it holds %q", p[i:i+1])
	}
	return ""
}

func safe(p, more string) bool {
	for i := range len(p) {
		if kinds[p[i]] == 0 && strings.IndexByte("._/-"+more, p[i]) < 0 {
			return false
		}
	}
	return true
}
