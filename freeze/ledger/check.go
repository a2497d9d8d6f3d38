package ledger

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// Kind is a kind of disagreement between ledger and folders.
type Kind string

const (
	NoFixtures     Kind = "no-fixtures"     // a release has neither fixtures nor a waiver
	NoRelease      Kind = "no-release"      // a folder of fixtures has no release
	NeedlessWaiver Kind = "needless-waiver" // what is waived is there, or nothing that anybody expects
	Stray          Kind = "stray"           // a file or folder that is no release's
	Edited         Kind = "edited"          // a manifest is not the one that was frozen
)

// Problem is one disagreement between ledger and folders.
type Problem struct {
	Kind    Kind   `json:"kind"`
	Path    string `json:"path"` // in the fixtures folder
	Version string `json:"version,omitempty"`
	Msg     string `json:"message"`
}

func (p Problem) String() string { return fmt.Sprintf("%s: %s", p.Path, p.Msg) }

// Want returns what a release is expected to have: for each family the names
// of its scenarios that are for that release.
type Want func(version string) map[string][]string

// Check holds the ledger against the fixtures folder, in both directions:
// every scenario that want names for a release is there or waived, every
// folder has a release, every waiver is needed, and nothing else lies beside
// them. A release always needs fixtures or a waiver, and with a nil want it
// needs no more than fixtures of one family. The problems are in the order of
// their paths.
func (l *Ledger) Check(fsys fs.FS, want Want) ([]Problem, error) {
	c := check{fsys: fsys, have: map[string]map[string][]string{}}
	if err := c.families(l); err != nil {
		return nil, err
	}
	for _, r := range l.Releases {
		wanted := map[string][]string{}
		if want != nil {
			wanted = want(r.Version)
		}
		c.release(r, wanted, want == nil)
	}
	slices.SortFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Msg, b.Msg))
	})
	return c.problems, nil
}

type check struct {
	fsys     fs.FS
	have     map[string]map[string][]string // version, family, scenarios
	problems []Problem
}

func (c *check) add(kind Kind, file, version, format string, args ...any) {
	c.problems = append(c.problems, Problem{Kind: kind, Path: file, Version: version, Msg: fmt.Sprintf(format, args...)})
}

// families finds what is there. Names with a leading dot are not fixtures:
// git's attributes, and what is being staged.
func (c *check) families(l *Ledger) error {
	entries, err := fs.ReadDir(c.fsys, ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == Name || name == "scenarios" || strings.HasPrefix(name, "."):
		case !e.IsDir():
			c.add(Stray, name, "", "a file that is neither the ledger nor in a family")
		default:
			if err := c.family(l, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *check) family(l *Ledger, family string) error {
	entries, err := fs.ReadDir(c.fsys, family)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		c.add(Stray, family, "", "an empty folder is no family")
	}
	for _, e := range entries {
		dir := path.Join(family, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), "v") {
			c.add(Stray, dir, "", "not a folder named v*, so no release")
			continue
		}
		if err := c.folder(l, family, e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) folder(l *Ledger, family, version string) error {
	dir := path.Join(family, version)
	manifest, err := c.manifest(dir)
	if err != nil || len(manifest.scenarios) == 0 {
		return err
	}
	r, err := l.Get(version)
	if err != nil {
		c.add(NoRelease, dir, version, "fixtures of no release: %v", err)
		return nil
	}
	if !slices.Contains(r.Fixtures, Fixture{Family: family, SHA256: manifest.sha256}) {
		c.add(Edited, path.Join(dir, manifestName), version, "is not the manifest that was frozen: its sha256 %s is not the one in the ledger", manifest.sha256)
	}
	if c.have[version] == nil {
		c.have[version] = map[string][]string{}
	}
	c.have[version][family] = manifest.scenarios
	return nil
}

// manifestName is the manifest in a release's folder.
const manifestName = "bindings.json"

// largestManifest is in bytes.
const largestManifest = 256 << 20

// manifest is what is read here of one. The rest is freeze/fixture's.
type manifest struct {
	sha256    string
	scenarios []string // names; none where it is no manifest of a release
}

func (c *check) manifest(dir string) (manifest, error) {
	data, err := tree.ReadFile(c.fsys, path.Join(dir, manifestName), largestManifest)
	if errors.Is(err, fs.ErrNotExist) {
		c.add(Stray, dir, "", "holds no bindings.json, so no release")
		return manifest{}, nil
	}
	if err != nil {
		return manifest{}, fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	}
	var content struct {
		Scenarios map[string]jsontext.Value `json:"scenarios"`
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return manifest{}, fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	}
	if len(content.Scenarios) == 0 {
		c.add(Stray, dir, "", "its bindings.json names no scenario, so no release")
	}
	return manifest{
		sha256:    fmt.Sprintf("%x", sha256.Sum256(data)),
		scenarios: slices.Collect(maps.Keys(content.Scenarios)),
	}, nil
}

func (c *check) release(r Release, wanted map[string][]string, anything bool) {
	if len(wanted) == 0 && len(c.have[r.Version]) == 0 {
		if len(r.Waivers) == 0 {
			c.add(NoFixtures, Name, r.Version, "release %s has neither fixtures nor a waiver", r.Version)
		}
		return
	}
	for family, scenarios := range wanted {
		for _, s := range scenarios {
			if _, waived := r.Waiver(family, s); !waived && !c.has(r.Version, family, s) {
				c.add(NoFixtures, path.Join(family, r.Version, s), r.Version,
					"release %s has neither fixtures of %s nor a waiver", r.Version, thing(family, s))
			}
		}
	}
	for _, f := range r.Fixtures {
		if c.have[r.Version][f.Family] == nil && wanted[f.Family] == nil {
			c.add(NoFixtures, path.Join(f.Family, r.Version), r.Version, "release %s had fixtures of %s, and they are gone", r.Version, f.Family)
		}
	}
	for _, w := range r.Waivers {
		if why := c.needless(r.Version, w, wanted[w.Family], anything); why != "" {
			c.add(NeedlessWaiver, Name, r.Version, "release %s waives %s, which is not needed: %s",
				r.Version, thing(w.Family, w.Scenario), why)
		}
	}
}

// needless returns why a waiver is not needed, or nothing.
func (c *check) needless(version string, w Waiver, wanted []string, anything bool) string {
	const there = "its fixtures are there"
	switch {
	case w.Scenario != "" && c.has(version, w.Family, w.Scenario):
		return there
	case anything && w.Scenario == "" && len(c.have[version][w.Family]) > 0:
		return there
	case anything:
		return ""
	case w.Scenario != "" && !slices.Contains(wanted, w.Scenario), len(wanted) == 0:
		return "no such scenario is for this release"
	case !slices.ContainsFunc(wanted, func(s string) bool { return !c.has(version, w.Family, s) }):
		return there
	}
	return ""
}

func (c *check) has(version, family, scenario string) bool {
	return slices.Contains(c.have[version][family], scenario)
}
