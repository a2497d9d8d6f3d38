// Package shell writes command lines that a message names, so that they can be
// pasted as they stand. It runs none.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is s as a word of a shell, and none that a program takes for an option.
func Word(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%", r)
	}
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	if end := len(strings.TrimRight(s, "\n")); strings.ContainsFunc(s[:end], hidden) {
		// What a shell reads from a command has no newlines at its end.
		return printed(s[:end]) + strings.TrimPrefix(single(s[end:]), "''")
	}
	return single(s)
}

func single(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// hidden tells whether a terminal does not show what it is, so that it cannot be
// pasted from there.
func hidden(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// printed has the shell's own printf make the word. A ! in double quotes would be
// taken for one of an earlier command by a shell that somebody types at.
func printed(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch piece := s[i : i+size]; {
		case hidden(r) || r == '!':
			for _, c := range []byte(piece) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '%' || r == '\\':
			b.WriteString(piece + piece)
		default:
			b.WriteString(piece)
		}
		i += size
	}
	return `"$(printf ` + single(b.String()) + `)"`
}
