// Package subjects makes the programs that freeze is developed against: small
// ones in two languages, in two releases each, and a hostile one, every one in
// a git repository of its own with its freeze.toml and its scenarios.
//
// They are kept as files under testdata/NAME/VERSION: a release is the one
// before it with these files on top.
package subjects

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

//go:embed all:testdata
var files embed.FS

// Names lists the subjects.
func Names() []string { return []string{"shell", "python", "hostile"} }

// Build makes the repository of the named subject in dir, which must not be
// there or be empty: its releases as commits on main with their tags. It is
// the same to the bit wherever and whenever it is made.
func Build(ctx context.Context, name, dir string) error {
	src, err := fs.Sub(files, path.Join("testdata", name))
	if err != nil {
		return err
	}
	releases, err := fs.ReadDir(src, ".")
	if err != nil {
		return fmt.Errorf("no subject %q; there are %q", name, Names())
	}
	slices.SortFunc(releases, func(a, b fs.DirEntry) int { return semver.Compare(a.Name(), b.Name()) })
	r := repository{dir}
	if err := r.init(ctx); err != nil {
		return err
	}
	for _, release := range releases {
		if err := overlay(src, release.Name(), dir); err != nil {
			return fmt.Errorf("subject %s %s: %w", name, release.Name(), err)
		}
		if err := r.commit(ctx, release.Name()); err != nil {
			return fmt.Errorf("subject %s %s: %w", name, release.Name(), err)
		}
	}
	return nil
}

// overlay copies the tree of a release over dir.
func overlay(src fs.FS, release, dir string) error {
	return fs.WalkDir(src, release, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, release)))
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		data, err := fs.ReadFile(src, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o666)
	})
}

// Make is Build in a temporary folder of the test.
func Make(t testing.TB, name string) (repo string) {
	t.Helper()
	repo = filepath.Join(t.TempDir(), name)
	if err := Build(t.Context(), name, repo); err != nil {
		t.Fatal(err)
	}
	return repo
}
