// Package shell writes command lines that a message names, so that they can be
// pasted as they stand. It runs none.
package shell

import "strings"

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
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
