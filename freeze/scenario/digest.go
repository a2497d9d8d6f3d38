package scenario

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/sandbox/script"
)

// Digest is the sha256, in hex, of the commands and archive files that are in
// effect for version: a line added for a later release leaves it alone, and so
// do comments, blanks and the conditions themselves.
func (s *Scenario) Digest(version string) string {
	h := sha256.New()
	for _, l := range s.inEffect(version) {
		part(h, "command", commandText(l))
	}
	for _, f := range s.Archive.Files {
		part(h, "file", f.Name)
		part(h, "data", string(f.Data))
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// part is written with its length, so that no two lists of parts are alike.
func part(w io.Writer, kind, text string) {
	fmt.Fprintf(w, "%s %d\n%s\n", kind, len(text), text)
}

func commandText(l script.Line) string {
	var raw []string
	// Of the conditions only tmux is left: it is not decided by the release.
	for _, c := range l.Conds {
		if c.Name == "tmux" {
			raw = append(raw, c.String())
		}
	}
	if l.Neg {
		raw = append(raw, "!")
	}
	for _, w := range l.Words {
		raw = append(raw, w.Raw)
	}
	return strings.Join(raw, " ")
}

// Uses lists the releases that the script names with use, sorted, whatever
// condition stands before them.
func (s *Scenario) Uses() []string { return uses(s.lines) }

// UsesFor lists the releases that the script uses when version is frozen.
func (s *Scenario) UsesFor(version string) []string { return uses(s.inEffect(version)) }

// otherRelease is the version that the line switches to, where it does.
func otherRelease(l script.Line) (string, bool) {
	if l.Command() != "use" {
		return "", false
	}
	v, err := used(l)
	return v, err == nil && v != this
}

func uses(lines []script.Line) []string {
	var versions []string
	for _, l := range lines {
		if v, ok := otherRelease(l); ok {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, Compare)
	return slices.Compact(versions)
}
