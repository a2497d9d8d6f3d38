// Package ledger reads and writes fixtures/releases.toml, the list of the
// releases that are frozen, and holds it against the folders of the fixtures
// in both directions.
//
// It knows nothing of what a fixture contains, builds nothing and needs no
// network: every test that reads fixtures takes its releases from here.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

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
	Version   string `toml:"version"`   // canonical semver with its v
	Commit    string `toml:"commit"`    // 40 hex digits, or 64 of sha256; or
	Package   string `toml:"package"`   // the name of a package, and
	Integrity string `toml:"integrity"` // its hash, as its registry or its maintainer states it; may be empty

	// Dependencies is a sha256, in hex, over the packages that were installed
	// for the release, and Before the moment up to which their versions count,
	// RFC 3339 in UTC. Both are empty where nobody noted them.
	Dependencies string `toml:"dependencies"`
	Before       string `toml:"before"`

	Date     string     `toml:"date"` // 2026-11-30, UTC
	Fixtures []Fixture  `toml:"fixture"`
	Waivers  []Waiver   `toml:"waiver"`
	Replaced []Replaced `toml:"replaced"`
}

// Fixture seals the fixtures of a release in one family: the manifest names
// every byte of them, and this the manifest.
type Fixture struct {
	Family string `toml:"family"`
	SHA256 string `toml:"sha256"` // of the manifest, in hex
}

// Seal notes the manifest of a family's fixtures, in place of an earlier one.
func (r *Release) Seal(family, sha256 string) {
	r.Fixtures = slices.DeleteFunc(slices.Clone(r.Fixtures), func(f Fixture) bool { return f.Family == family })
	r.Fixtures = append(r.Fixtures, Fixture{Family: family, SHA256: sha256})
	slices.SortFunc(r.Fixtures, func(a, b Fixture) int { return strings.Compare(a.Family, b.Family) })
}

// Waiver says why a release has no fixtures for a family or for one scenario.
type Waiver struct {
	Family   string `toml:"family"`
	Scenario string `toml:"scenario"` // its name within the family; empty means the whole family
	Reason   string `toml:"reason"`
	Date     string `toml:"date"`
}

// Waiver returns the waiver that covers a scenario, and whether there is one.
func (r Release) Waiver(family, scenario string) (Waiver, bool) {
	i := slices.IndexFunc(r.Waivers, func(w Waiver) bool {
		return w.Family == family && (w.Scenario == "" || w.Scenario == scenario)
	})
	if i < 0 {
		return Waiver{}, false
	}
	return r.Waivers[i], true
}

// Replaced records that fixtures were frozen anew, and why.
type Replaced struct {
	Family   string `toml:"family"`   // empty means every family
	Scenario string `toml:"scenario"` // empty means the whole family
	Why      string `toml:"why"`
	Date     string `toml:"date"`
}

// Load reads the ledger of a fixtures folder. A missing one is an error that
// is fs.ErrNotExist; LoadOrNew takes it for an empty one.
func Load(fsys fs.FS) (*Ledger, error) {
	data, err := tree.ReadFile(fsys, Name, tomldoc.Largest)
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w", Name, err)
	}
	return Parse(data)
}

// LoadOrNew is Load, but a missing ledger is an empty one: for the first
// release of all.
func LoadOrNew(fsys fs.FS) (*Ledger, error) {
	l, err := Load(fsys)
	if errors.Is(err, fs.ErrNotExist) {
		return &Ledger{Format: Format}, nil
	}
	return l, err
}

// Find returns the release of that version.
func (l *Ledger) Find(version string) (Release, bool) {
	for _, r := range l.Releases {
		if r.Version == version {
			return r, true
		}
	}
	return Release{}, false
}

// Get is Find with an error that names the nearest versions.
func (l *Ledger) Get(version string) (Release, error) {
	if r, ok := l.Find(version); ok {
		return r, nil
	}
	if len(l.Releases) == 0 {
		return Release{}, fmt.Errorf("release %q: the ledger has no releases yet", version)
	}
	return Release{}, fmt.Errorf("release %q: not in the ledger, nearest to it: %s", version, strings.Join(l.Nearest(version), ", "))
}

// Newest returns the newest release, pre-releases included.
func (l *Ledger) Newest() (Release, bool) {
	if len(l.Releases) == 0 {
		return Release{}, false
	}
	return l.Releases[len(l.Releases)-1], true
}

// Add puts a release in its place. It is refused where Parse would refuse it,
// and then the ledger stays as it was.
func (l *Ledger) Add(r Release) error {
	grown := Ledger{Format: Format, Releases: append(slices.Clone(l.Releases), r)}
	parsed, err := Parse(grown.Encode())
	if err != nil {
		return fmt.Errorf("release %q cannot be added: %w", r.Version, err)
	}
	*l = *parsed
	return nil
}

func (l *Ledger) sort() {
	slices.SortFunc(l.Releases, func(a, b Release) int { return semver.Compare(a.Version, b.Version) })
}
