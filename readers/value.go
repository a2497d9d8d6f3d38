package readers

import (
	"path"
	"strings"
)

// ID reports whether s can be the id of a session, a run or a project: it
// names a folder, a branch and a tmux session, so it is 1 to 64 lower-case
// letters, digits and hyphens, with a letter or digit at both ends.
func ID(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Hex reports whether s is n lower-case hexadecimal digits.
func Hex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

// Commit reports whether s is the full name of a git object, in either of
// git's hashes.
func Commit(s string) bool { return Hex(s, 40) || Hex(s, 64) }

// Absolute reports whether s is an absolute path in its shortest form, with
// no "..", as every path in a document is.
func Absolute(s string) bool {
	return path.IsAbs(s) && path.Clean(s) == s && !strings.ContainsRune(s, 0)
}
