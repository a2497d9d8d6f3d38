// Package scenario reads the scripts of fixtures/scenarios and runs one of
// them, with one release of the subject, in one box.
//
// It says what a run left behind, not whether that is the same as another
// run's: bindings and fixtures are built on it. What it promises is that the
// box was proved empty before anything was captured.
package scenario

import (
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/mod/semver"
)

// Head is the version that stands for code not released yet. It is newer than
// every release.
const Head = "HEAD"

// Scenario is one script: what a user did with a release.
type Scenario struct {
	Family, Name string
	File         string // where it was read from
	Since, Until string // both inclusive; empty where there is no bound
	Archive      *txtar.Archive

	lines []script.Line
}

// For reports whether the scenario is one for that version.
func (s *Scenario) For(version string) bool {
	return Between(s.Since, s.Until, version)
}

// Compare is semver.Compare, with Head above all others.
func Compare(v, w string) int {
	switch {
	case v == w:
		return 0
	case v == Head:
		return 1
	case w == Head:
		return -1
	}
	return semver.Compare(v, w)
}

// IsRelease reports whether v is written as the ledger writes a release.
func IsRelease(v string) bool {
	return semver.IsValid(v) && semver.Canonical(v) == v
}
