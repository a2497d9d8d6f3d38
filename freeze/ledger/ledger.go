// Package ledger reads and writes fixtures/releases.toml, the list of the
// releases that are frozen, and holds it against the folders of the fixtures
// in both directions.
//
// It knows nothing of what a fixture contains, builds nothing and needs no
// network: every test that reads fixtures takes its releases from here.
package ledger

import "io/fs"

// Name is the name of the ledger in the fixtures folder.
const Name = "releases.toml"

// Format is the newest format of the ledger that this build reads, and the one
// it writes.
const Format = 1

// Ledger is a whole releases.toml.
type Ledger struct {
	Format   int       `toml:"format"`
	Releases []Release `toml:"release"` // oldest first, by semver
}

// Release is one published version, pinned to a commit or to a package.
type Release struct {
	Version   string     `toml:"version"`   // canonical semver with its v
	Commit    string     `toml:"commit"`    // 40 hex digits; or
	Package   string     `toml:"package"`   // the name of a package, and
	Integrity string     `toml:"integrity"` // its hash, as its registry states it
	Date      string     `toml:"date"`      // 2026-11-30, UTC
	Waivers   []Waiver   `toml:"waiver"`
	Replaced  []Replaced `toml:"replaced"`
}

// Waiver says why a release has no fixtures for a family or for one scenario.
type Waiver struct {
	Family   string `toml:"family"`
	Scenario string `toml:"scenario"` // its name within the family; empty means the whole family
	Reason   string `toml:"reason"`
	Date     string `toml:"date"`
}

// Replaced records that fixtures were frozen anew, and why.
type Replaced struct {
	Family   string `toml:"family"`
	Scenario string `toml:"scenario"` // empty means the whole family
	Why      string `toml:"why"`
	Date     string `toml:"date"`
}

// Load reads the ledger of a fixtures folder. A missing one is an error that
// is fs.ErrNotExist; LoadOrNew takes it for an empty one.
func Load(fsys fs.FS) (*Ledger, error) { panic("unbuilt") }

// LoadOrNew is Load, but a missing ledger is an empty one: for the first
// release of all.
func LoadOrNew(fsys fs.FS) (*Ledger, error) { panic("unbuilt") }

// Parse reads a ledger. What is wrong with it is a *tomldoc.Error.
func Parse(data []byte) (*Ledger, error) { panic("unbuilt") }

// Encode writes the ledger, the same bytes for the same ledger.
func (l *Ledger) Encode() []byte { panic("unbuilt") }

// Find returns the release of that version.
func (l *Ledger) Find(version string) (Release, bool) { panic("unbuilt") }

// Get is Find with an error that names the nearest versions.
func (l *Ledger) Get(version string) (Release, error) { panic("unbuilt") }

// Nearest returns at most three versions that version may have been meant to
// be, nearest first.
func (l *Ledger) Nearest(version string) []string { panic("unbuilt") }

// Newest returns the newest release, pre-releases included.
func (l *Ledger) Newest() (Release, bool) { panic("unbuilt") }

// Add puts a release in its place. It is refused where Parse would refuse it.
func (l *Ledger) Add(r Release) error { panic("unbuilt") }

// Kind is a kind of disagreement between ledger and folders.
type Kind string

const (
	NoFixtures     Kind = "no-fixtures"     // a release has neither fixtures of a family nor a waiver
	NoRelease      Kind = "no-release"      // a folder has no release
	NeedlessWaiver Kind = "needless-waiver" // what is waived is there, or is nothing anybody expects
	Stray          Kind = "stray"           // a file or folder that is no release's
)

// Problem is one disagreement between ledger and folders.
type Problem struct {
	Kind    Kind   `json:"kind"`
	Path    string `json:"path"` // in the fixtures folder
	Version string `json:"version,omitempty"`
	Msg     string `json:"message"`
}

func (p Problem) String() string { panic("unbuilt") }

// Want is what a release is expected to have: for each family the names of
// its scenarios that are for that release.
type Want func(version string) map[string][]string

// Check holds the ledger against the folders of fsys, in both directions:
// every family and scenario that want names for a release is there or waived,
// every folder has a release, every waiver is needed, and nothing else lies
// beside them.
func (l *Ledger) Check(fsys fs.FS, want Want) ([]Problem, error) { panic("unbuilt") }
