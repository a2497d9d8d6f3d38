// Package text is how sessions, runs and what was done with them are written
// for people, by commands and on the screen alike. Text from outside is quoted
// where a terminal would take it for more than text.
package text

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/readers"
)

// Plain is s, quoted if a terminal would take it for more than text.
func Plain(s string) string {
	if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// tab is the distance of tab stops, in columns.
const tab = 8

// Line is one line of a file or an answer as a terminal can show it: tabs are
// blanks up to the next stop, and what is no text is written as Go would.
func Line(s string) string {
	var b strings.Builder
	for column := 0; s != ""; {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\t':
			blanks := tab - column%tab
			b.WriteString("        "[:blanks])
			column += blanks
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
			column += len(`\x00`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
			column++
		default:
			quoted := strings.Trim(strconv.QuoteRune(r), "'")
			b.WriteString(quoted)
			column += len(quoted)
		}
		s = s[size:]
	}
	return b.String()
}

// Error is an error on one line.
func Error(err error) string { return OneLine(err.Error()) }

// OneLine joins the lines of s.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// Count is n of what.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Clock is a moment in UTC, and - for none.
func Clock(t readers.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// Since is a moment, and nothing where it has not come.
func Since(t readers.Time) string {
	if t.IsZero() {
		return ""
	}
	return Clock(t)
}

// fields writes a line for each that has a value.
func fields(w io.Writer, all [][2]string) {
	for _, line := range all {
		if line[1] != "" {
			fmt.Fprintf(w, "%-12s %s\n", line[0], line[1])
		}
	}
}
