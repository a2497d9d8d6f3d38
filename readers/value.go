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

// Name reports whether s is what tmux keeps as a name as it is, and never
// takes for a target of another kind.
func Name(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// Fingerprint reports whether s is a fingerprint in whatever version,
// VERSION:HEX.
func Fingerprint(s string) bool {
	version, sum, _ := strings.Cut(s, ":")
	return Name(version) && sum != "" && Hex(sum, len(sum))
}

// Instance reports whether s can name an instance: 1 to 64 letters, digits,
// dots, hyphens and underscores, with a letter or digit at both ends. The name
// of a host is one.
func Instance(s string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return s != "" && len(s) <= 64 && strings.Trim(s, alphanumeric+"._-") == "" &&
		strings.Trim(s[:1], alphanumeric) == "" && strings.Trim(s[len(s)-1:], alphanumeric) == ""
}
