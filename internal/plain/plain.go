// Package plain writes text that a program has left or printed, so that a
// terminal or Markdown shows all of it and obeys none, and numbers of things as
// people do.
package plain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count is a number of things: 1 change, 2 changes.
func Count(n int, thing string) string { return fmt.Sprintf("%d %s", n, Things(n, thing)) }

// Things is what n of a thing are called.
func Things(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

// Line is s on one line: what is no text is written as Go would.
func Line(s string) string { return escape(s, "\t") }

// Lines is s with its lines and tabs.
func Lines(s string) string { return escape(s, "\t\n") }

func escape(s, kept string) string {
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r) || strings.ContainsRune(kept, r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		s = s[size:]
	}
	return b.String()
}

// Code is s as inline code in a table of Markdown, where no character means
// anything.
func Code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}
