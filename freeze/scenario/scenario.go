// Package scenario reads the scripts of fixtures/scenarios and runs one of
// them, with one release of the subject, in one box.
//
// It says what a run left behind, not whether that is the same as another
// run's: bindings and fixtures are built on it.
package scenario

import (
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/rogpeppe/go-internal/txtar"
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
}

// Load reads FAMILY/NAME.txtar for every family under dir, sorted by family
// and name. What no release could run is refused with file and line.
func Load(dir string) ([]*Scenario, error) { panic("unbuilt") }

// For reports whether the scenario is one for that version.
func (s *Scenario) For(version string) bool { panic("unbuilt") }

// Digest is the sha256, in hex, of the commands and archive files that are in
// effect for version: a line added for a later release leaves it alone.
func (s *Scenario) Digest(version string) string { panic("unbuilt") }

// Uses lists the versions that the script names with use, sorted, whatever
// condition stands before them.
func (s *Scenario) Uses() []string { panic("unbuilt") }

// UsesFor lists the versions that the script uses when version is frozen.
func (s *Scenario) UsesFor(version string) []string { panic("unbuilt") }

// Role is the runner of scenarios, see sandbox.Main.
func Role() sandbox.Role { panic("unbuilt") }
