package contracts

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// Each runs fn as a subtest for every scenario of the family in every release
// of the ledger, as in v0.3.0/open. What a release should have, by the headers
// of the scenarios, and has not, fails unless the ledger waives it: absence is
// never a skip. A family without any fixture fails.
func Each(t *testing.T, family string, fn func(t *testing.T, f *Fixture)) {
	t.Helper()
	c, err := current.open()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range c.ledger.Releases {
		meant := c.meant[family].during(r.Version)
		_, err := fs.Stat(c.fsys, path.Join(family, r.Version))
		there := !errors.Is(err, fs.ErrNotExist)
		missing := slices.DeleteFunc(slices.Clone(meant), func(s string) bool { return waived(r, family, s) })
		if !there && len(missing) == 0 {
			continue
		}
		found = true
		t.Run(r.Version, func(t *testing.T) { c.each(t, fixture.Key{Family: family, Version: r.Version}, missing, fn) })
	}
	if !found {
		t.Fatalf("family %q: no release in %q has fixtures of it", family, c.dir)
	}
}

// each runs fn for the scenarios of one release, those of which the ledger
// expects fixtures in any case.
func (c *corpus) each(t *testing.T, key fixture.Key, expected []string, fn func(*testing.T, *Fixture)) {
	if err := c.sealed(c.fsys, key); err != nil {
		t.Fatal(err)
	}
	r, err := c.load(key)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(r.Scenarios))
	for _, name := range expected {
		if r.Scenarios[name] == nil {
			t.Errorf("%s/%s: the release has neither this fixture nor a waiver for it", key, name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if current.tampers != nil {
				current.tampers.each(t, c, key, name, fn)
				return
			}
			// What freeze mutate --matrix tells fixtures apart by.
			t.Attr("freeze.fixture", key.String()+"/"+name)
			f := newFixture(t, key, r.Scenarios[name], c.files(r, name))
			t.Cleanup(func() { current.reads.add(f.held()) })
			fn(t, f)
		})
	}
}

func waived(r ledger.Release, family, scenario string) bool {
	return slices.ContainsFunc(r.Waivers, func(w ledger.Waiver) bool {
		return w.Family == family && (w.Scenario == "" || w.Scenario == scenario)
	})
}

// unread lists the stored files of the family, in any release, that are not
// among those held. Manifests are left out: without one nothing is read at all.
func (c *corpus) unread(family string, held map[string]bool) ([]string, error) {
	var files []string
	err := fs.WalkDir(c.fsys, family, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !held[name] && !isManifest(name) {
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

func isManifest(name string) bool {
	return strings.Count(name, "/") == 2 && path.Base(name) == "bindings.json"
}
