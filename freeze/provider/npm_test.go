package provider_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/internal/registry"
	"github.com/stretchr/testify/require"
)

// npmNotes is a package whose program needs a file of its own and a package it
// depends on, and that has a script for its installation.
func npmNotes(version string) map[string]string {
	return map[string]string{
		"package.json": fmt.Sprintf(`{
			"name": "@me/notes", "version": %q, "bin": {"notes": "bin/cli.js", "notes-more": "bin/cli.js"},
			"dependencies": {"says": "^1.0.0"},
			"scripts": {"install": "node -e \"require('fs').writeFileSync('installed', 'yes')\""}
		}`, version),
		"bin/cli.js":   "#!/usr/bin/env node\nconst fs = require('fs');\nconsole.log(require('../lib/notes.js'), fs.existsSync(__dirname + '/../installed') ? 'installed' : 'as packed');\n",
		"lib/notes.js": "module.exports = require('says')('notes') + ' " + version + "';\n",
	}
}

func npmSays(version, how string) map[string]string {
	return map[string]string{
		"package.json": fmt.Sprintf(`{"name": "says", "version": %q, "bin": "says.js", "main": "says.js"}`, version),
		"says.js":      "#!/usr/bin/env node\nmodule.exports = (s) => '" + how + " ' + s;\n",
	}
}

// npmSubject is a subject whose releases are packages of a registry of its own.
type npmSubject struct {
	packaged
	*registry.NPM
}

func newNPMSubject(t *testing.T) *npmSubject {
	t.Helper()
	s := &npmSubject{NPM: registry.NewNPM(t), packaged: packaged{dir: t.TempDir()}}
	s.Publish(t, "2026-01-01", npmSays("1.0.0", "hello"))
	s.Publish(t, "2026-01-01", npmNotes("1.0.0"))
	s.cfg = &config.Config{
		Dir:      s.dir,
		Subject:  config.Subject{Name: "notes"},
		Provider: config.Provider{Kind: config.NPM, Package: "@me/notes"},
	}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "npm_config_registry=" + s.URL,
		"npm_config_fetch_retries=0", s.npmCache("npm"),
	}
	return s
}

func (s *npmSubject) npmCache(name string) string {
	return "npm_config_cache=" + filepath.Join(s.dir, name)
}

func TestNPM(t *testing.T) {
	s := newNPMSubject(t)
	r := s.pin(t)
	require.Equal(t, "@me/notes", r.Package)
	require.Equal(t, s.Integrity("@me/notes", "1.0.0"), r.Integrity)

	b := s.obtain(t, "cache", r)
	require.False(t, b.Cached)
	require.Equal(t, "hello notes 1.0.0 as packed\n", programOf(t, b))
	require.Equal(t, []string{"@me/notes", r.Integrity}, []string{b.Package, b.Integrity})
	require.Regexp(t, `^v[0-9]+\.[0-9.]+, [0-9]+\.[0-9.]+$`, b.Toolchain, "how npm lays out packages depends on npm, too")
	var names []string
	for name := range b.Programs {
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{"notes", "notes-more", "node_modules"}, names, "the programs of what it depends on are its own affair")

	// Which registry it came from is the machine's affair.
	require.NoError(t, filepath.WalkDir(b.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(text), s.URL, path)
		}
		return err
	}))

	// Another machine, with nothing in its caches: the same, though what it
	// depends on has had a release since.
	s.Publish(t, tomorrow(), npmSays("1.1.0", "goodbye"))
	again := s.obtain(t, "other", r, s.npmCache("cold"))
	require.False(t, again.Cached)
	require.Equal(t, "hello notes 1.0.0 as packed\n", programOf(t, again))
	require.Equal(t, b.Programs, again.Programs)
}

func tomorrow() string { return time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly) }

// TestNPMOldEntry: an entry that says nothing of dependencies has those of the
// day of the cut.
func TestNPMOldEntry(t *testing.T) {
	s := newNPMSubject(t)
	r := ledger.Release{Version: "v1.0.0", Package: "@me/notes", Integrity: s.Integrity("@me/notes", "1.0.0"), Date: "2026-01-02"}
	s.Publish(t, "2026-01-02", npmSays("1.1.0", "welcome"))
	s.Publish(t, "2026-01-03", npmSays("1.2.0", "goodbye"))
	require.Equal(t, "welcome notes 1.0.0 as packed\n", programOf(t, s.obtain(t, "cache", r)))
}

// TestNPMDependencies: what a package depends on is another than when it was
// cut, for this system or for another: nothing of it runs.
func TestNPMDependencies(t *testing.T) {
	for name, swapped := range map[string]string{"installed": "says", "of another system": "says-elsewhere"} {
		t.Run(name, func(t *testing.T) {
			s := newNPMSubject(t)
			s.cfg.Provider.Scripts = true
			elsewhere := s.Publish(t, "2026-01-01", map[string]string{
				"package.json": `{"name": "says-elsewhere", "version": "1.0.0", "os": ["aix"], "main": "says.js"}`,
			})
			says := npmSays("1.1.0", "welcome")
			says["package.json"] = strings.Replace(says["package.json"], "{", `{"optionalDependencies": {"says-elsewhere": "1.0.0"}, `, 1)
			r := s.pinAfter(t, says)
			sum := sha256.Sum256([]byte("@me/notes 1.0.0 " + r.Integrity + "\nsays 1.1.0 " + s.Integrity("says", "1.1.0") + "\nsays-elsewhere 1.0.0 " + elsewhere + "\n"))
			require.Equal(t, hex.EncodeToString(sum[:]), r.Dependencies)
			require.Equal(t, "welcome notes 1.0.0 installed\n", programOf(t, s.obtain(t, "cache", r)))

			mark := filepath.Join(s.dir, "ran")
			version := map[string]string{"says": "1.1.0", "says-elsewhere": "1.0.0"}[swapped]
			s.Swap(t, swapped, version, `"main"`, `"scripts": {"install": "touch '`+mark+`'"}, "main"`)
			_, err := s.provider(t, "other", s.npmCache("cold")).Obtain(t.Context(), r)
			require.ErrorContains(t, err, `release "v1.0.0": what @me/notes@v1.0.0 depends on has the hash `)
			require.ErrorContains(t, err, ", and the ledger pins "+r.Dependencies+": it is not what the release was frozen with")
			require.NoFileExists(t, mark)
			require.NoDirExists(t, filepath.Join(s.dir, "other", "builds"))
		})
	}
}

// pinAfter pins the release once one more package is out.
func (s *npmSubject) pinAfter(t *testing.T, files map[string]string) ledger.Release {
	t.Helper()
	s.Publish(t, "2026-01-01", files)
	return s.pin(t)
}

// TestNPMSameDay: what comes out later on the day of the cut does not count.
func TestNPMSameDay(t *testing.T) {
	s := newNPMSubject(t)
	r := s.pin(t)
	r.Date = tomorrow()
	s.Publish(t, tomorrow(), npmSays("1.1.0", "goodbye"))
	require.Equal(t, "hello notes 1.0.0 as packed\n", programOf(t, s.obtain(t, "cache", r, s.npmCache("cold"))))
}

// TestNPMSettings: what a user has npm do elsewhere is not done to a release.
func TestNPMSettings(t *testing.T) {
	s := newNPMSubject(t)
	r := s.pin(t)
	want := s.obtain(t, "cache", r)
	got := s.obtain(t, "other", r, "npm_config_bin_links=false", "npm_config_dry_run=true", "npm_config_package_lock_only=true",
		"npm_config_location=global", "npm_config_workspaces=true", "npm_config_ignore_scripts=false", "npm_config_package_lock=false", "npm_config_lockfile_version=1",
		"npm_config_save=false", "npm_config_save_optional=true", "npm_config_legacy_peer_deps=true")
	require.False(t, got.Cached)
	require.Equal(t, want.Programs, got.Programs)
}

// TestNPMOffline: a build that is cached needs nothing at all, and one that is
// not needs no network where npm has kept the packages.
func TestNPMOffline(t *testing.T) {
	s := newNPMSubject(t)
	r := s.pin(t)
	first := s.obtain(t, "cache", r)
	const refused = "npm_config_registry=http://127.0.0.1:1/"
	require.True(t, s.obtain(t, "cache", r, refused, s.npmCache("empty")).Cached)
	s.Asked()
	again := s.obtain(t, "other", r, "npm_config_offline=true")
	require.False(t, again.Cached)
	require.Equal(t, first.Programs, again.Programs)
	require.Empty(t, s.Asked())

	_, err := s.provider(t, "third", refused, s.npmCache("empty")).Obtain(t.Context(), r)
	require.ErrorContains(t, err, `release "v1.0.0": run npm install --prefix {bin} `)
	require.ErrorContains(t, err, "ECONNREFUSED")
}

// TestNPMStaleCache: what npm keeps of the package is older than the release.
func TestNPMStaleCache(t *testing.T) {
	s := newNPMSubject(t)
	s.obtain(t, "cache", s.pin(t))
	integrity := s.Publish(t, "2026-01-02", npmNotes("1.1.0"))
	r := ledger.Release{Version: "v1.1.0", Package: "@me/notes", Integrity: integrity, Date: "2026-01-02"}
	require.Equal(t, "hello notes 1.1.0 as packed\n", programOf(t, s.obtain(t, "cache", r)))
}

// TestNPMStaleDependencies: what npm keeps of a dependency is older than the
// release that another machine has cut.
func TestNPMStaleDependencies(t *testing.T) {
	s := newNPMSubject(t)
	s.obtain(t, "cache", s.pin(t))
	s.Publish(t, "2026-01-02", npmSays("1.1.0", "welcome"))
	r, err := s.provider(t, "elsewhere", s.npmCache("elsewhere")).Pin(t.Context(), ledger.Release{Version: "v1.0.0", Date: "2026-01-02"})
	require.NoError(t, err)
	require.Equal(t, "welcome notes 1.0.0 as packed\n", programOf(t, s.obtain(t, "cache", r)))
}

// TestNPMOld: of an old package the registry knows no better hash than SHA-1.
func TestNPMOld(t *testing.T) {
	s := newNPMSubject(t)
	s.Age("@me/notes", "1.0.0")
	r := s.pin(t)
	require.Regexp(t, `^sha1-[A-Za-z0-9+/]{27}=$`, r.Integrity)
	require.Equal(t, "hello notes 1.0.0 as packed\n", programOf(t, s.obtain(t, "cache", r)))
}

func TestNPMScripts(t *testing.T) {
	s := newNPMSubject(t)
	r := s.pin(t)
	s.obtain(t, "cache", r)
	s.cfg.Provider.Scripts = true
	b := s.obtain(t, "cache", r)
	require.False(t, b.Cached)
	require.Equal(t, "hello notes 1.0.0 installed\n", programOf(t, b))
}

// TestNPMChanged: a version that is out has another content, of which nothing
// is run, and which stays out of the cache.
func TestNPMChanged(t *testing.T) {
	s := newNPMSubject(t)
	s.cfg.Provider.Scripts = true
	r := s.pin(t)
	mark := filepath.Join(s.dir, "ran")
	s.Swap(t, "@me/notes", "1.0.0", "writeFileSync('installed', 'yes')", "writeFileSync('"+mark+"', 'yes')")
	_, err := s.provider(t, "cache", s.npmCache("cold")).Obtain(t.Context(), r)
	require.ErrorContains(t, err, `release "v1.0.0": @me/notes@v1.0.0 has the integrity sha512-`)
	require.ErrorContains(t, err, ", and the ledger pins "+r.Integrity+": a version that is out keeps its content, so see which registry npm is told to use")
	require.NoFileExists(t, mark)
	require.NoDirExists(t, filepath.Join(s.dir, "cache", "builds"))

	_, err = s.provider(t, "cache", s.npmCache("cold")).Pin(t.Context(), r)
	require.ErrorContains(t, err, ", not "+r.Integrity)
}

func TestNPMRefused(t *testing.T) {
	s := newNPMSubject(t)
	r := s.pin(t)
	_, err := s.provider(t, "cache").Pin(t.Context(), ledger.Release{Version: "v9.0.0"})
	require.ErrorContains(t, err, `release "v9.0.0": run npm install --prefix {bin} `)
	require.ErrorContains(t, err, "@me/notes@9.0.0")
	for _, tt := range []struct {
		change func(r *ledger.Release)
		want   string
	}{
		{func(r *ledger.Release) { r.Package, r.Commit = "", "abc" }, "the ledger pins a commit, and the provider npm needs a package"},
		{func(r *ledger.Release) { r.Package = "--global" }, `"--global" is no name of an npm package`},
		{func(r *ledger.Release) { r.Integrity = "" }, "the ledger pins a package without its integrity"},
	} {
		bad := r
		tt.change(&bad)
		_, err := s.provider(t, "cache").Obtain(t.Context(), bad)
		require.ErrorContains(t, err, tt.want)
	}
	s.cfg.Subject.Name = "other"
	_, err = s.provider(t, "cache").Obtain(t.Context(), r)
	require.ErrorContains(t, err, `the build left no program "other" in {bin}, there is node_modules, notes, notes-more`)
}
