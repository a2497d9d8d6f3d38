package binding

import (
	"encoding/hex"
	"net/url"
	"strings"
)

// spelling is one way in which programs write an absolute path.
type spelling struct {
	name string
	of   func(root string) string
	// inNames tells whether it can stand in a file's name: a raw path in a
	// name is a chain of folders, and another root has another number of them.
	inNames bool
	// anyRoot tells whether it expresses every byte without a doubt. Of the
	// others it is known for letters, digits and . _ / - only.
	anyRoot bool
}

// rawSpelling is the path as it is. What it can express depends on the file.
const rawSpelling = "raw"

// spellings is every spelling that is known, longest first where one ends in
// another. base64 is apart: it depends on what stands before and after.
func spellings() []spelling {
	return []spelling{
		{rawSpelling, func(r string) string { return r }, false, false},
		{"json", replaced("/", `\/`), false, false},
		{"json in json", replaced("/", `\\/`), false, false},
		{`\u002f`, replaced("/", `\u002f`), false, false},
		{`\u002F`, replaced("/", `\u002F`), false, false},
		{"url", escaped(false), true, true},
		{"url, lower case", escaped(true), true, true},
		{"dashes", replaced("/", "-"), true, false},
		{"dashes only", slug("-"), true, false},
		{"underscores", replaced("/", "_"), true, false},
		{"underscores only", slug("_"), true, false},
		{"dashes, none first", trimmedSlug(replaced("/", "-")), true, false},
		{"dashes only, none first", trimmedSlug(slug("-")), true, false},
		{"underscores, none first", trimmedSlug(replaced("/", "_")), true, false},
		{"underscores only, none first", trimmedSlug(slug("_")), true, false},
		{"hex", func(r string) string { return hex.EncodeToString([]byte(r)) }, true, true},
		{"HEX", func(r string) string { return strings.ToUpper(hex.EncodeToString([]byte(r))) }, true, true},
	}
}

// base64Std and base64URL name the spellings inside of a base64 run.
const base64Std, base64URL = "base64", "base64url"

func replaced(slash, by string) func(string) string {
	return func(r string) string { return strings.ReplaceAll(r, slash, by) }
}

// slug writes every byte but letters and digits as the separator, as Claude
// Code names its project folders.
func slug(sep string) func(string) string {
	return func(r string) string {
		out := []byte(strings.Repeat(sep, len(r)))
		for i := range len(r) {
			if kinds[r[i]] != 0 {
				out[i] = r[i]
			}
		}
		return string(out)
	}
}

func trimmedSlug(of func(string) string) func(string) string {
	return func(r string) string { return of(strings.TrimPrefix(r, "/")) }
}

// escaped percent-encodes everything but unreserved characters, as
// encodeURIComponent and Python's quote with safe="" do.
func escaped(lower bool) func(string) string {
	return func(r string) string {
		s := strings.ReplaceAll(url.QueryEscape(r), "+", "%20")
		if !lower {
			return s
		}
		out := []byte(s)
		for i := 0; i+2 < len(out); i++ {
			if out[i] == '%' {
				copy(out[i+1:], strings.ToLower(s[i+1:i+3]))
			}
		}
		return string(out)
	}
}
