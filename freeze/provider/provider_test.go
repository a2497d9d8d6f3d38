package provider_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const (
	notes1 = "#!/bin/sh\necho notes 1.0.0\n"
	notes2 = "#!/bin/sh\necho notes 2.0.0\n"
)

// buildNotes leaves a mark for each time that it runs.
const buildNotes = `echo build >>"$MARKS" && cp notes "$1/notes" && echo copied`

// subject is a program in two releases, in a git repository made for one test.
type subject struct {
	dir    string // holds repo/, cache/, home/, marks
	repo   string
	v1, v2 ledger.Release
	cfg    *config.Config
	log    bytes.Buffer
}

func newSubject(t *testing.T) *subject {
	t.Helper()
	return newSubjectAt(t, t.TempDir())
}

func newSubjectAt(t *testing.T, dir string, initFlags ...string) *subject {
	t.Helper()
	s := &subject{dir: dir, repo: filepath.Join(dir, "repo")}
	for _, sub := range []string{"repo", "home"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	git(t, s.repo, append([]string{"init", "-q", "-b", "main"}, initFlags...)...)
	s.v1 = ledger.Release{Version: "v1.0.0", Commit: s.commit(t, map[string]string{"notes": notes1}), Date: "2026-01-01"}
	git(t, s.repo, "tag", "v1.0.0")
	s.v2 = ledger.Release{Version: "v2.0.0", Commit: s.commit(t, map[string]string{"notes": notes2}), Date: "2026-02-01"}
	git(t, s.repo, "tag", "-a", "-m", "two", "v2.0.0")
	s.cfg = &config.Config{
		Dir:     s.repo,
		Subject: config.Subject{Name: "notes"},
		Provider: config.Provider{
			Kind:  config.Git,
			Build: []string{"sh", "-c", buildNotes, "build", "{bin}"},
		},
	}
	return s
}

// commit adds files, executable ones, and returns the commit.
func (s *subject) commit(t *testing.T, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(s.repo, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	git(t, s.repo, "add", "-A")
	git(t, s.repo, "commit", "-q", "--allow-empty", "-m", "more")
	return git(t, s.repo, "rev-parse", "HEAD")
}

func (s *subject) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + filepath.Join(s.dir, "home"),
		"MARKS=" + filepath.Join(s.dir, "marks"),
	}
}

func (s *subject) cache() string { return filepath.Join(s.dir, "cache") }

func (s *subject) provider(t *testing.T, env ...string) *provider.Provider {
	t.Helper()
	p, err := provider.New(s.cfg, append(s.env(), env...), s.cache(), &s.log)
	require.NoError(t, err)
	return p
}

// obtain obtains a release that has to be obtainable.
func (s *subject) obtain(t *testing.T, r ledger.Release) *provider.Build {
	t.Helper()
	b, err := s.provider(t).Obtain(t.Context(), r)
	require.NoError(t, err, "log: %s", s.log.String())
	return b
}

// refused obtains a release that cannot be obtained, and expects that nothing
// of the attempt is left in the cache.
func (s *subject) refused(t *testing.T, r ledger.Release, want ...string) {
	t.Helper()
	_, err := s.provider(t).Obtain(t.Context(), r)
	for _, w := range append(want, `release "`+r.Version+`": `) {
		require.ErrorContains(t, err, w)
	}
	s.nothingHalf(t)
}

func (s *subject) nothingHalf(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(s.cache(), "work", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// builds returns how often the build command has run.
func (s *subject) builds(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, "marks"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return strings.Count(string(data), "build\n")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e",
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %q: %s", args, out)
	return strings.TrimSpace(string(out))
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func programOf(t *testing.T, b *provider.Build) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(b.Dir, "notes")).CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

func TestObtain(t *testing.T) {
	s := newSubject(t)
	s.cfg.Provider.Toolchain = []string{"sh", "-c", "echo compiler 3; echo downloading $$ >&2"}
	for _, tt := range []struct {
		r           ledger.Release
		text, shows string
	}{{s.v1, notes1, "notes 1.0.0\n"}, {s.v2, notes2, "notes 2.0.0\n"}} {
		got := s.obtain(t, tt.r)
		want := &provider.Build{
			Dir:       got.Dir,
			Programs:  map[string]string{"notes": sha(tt.text)},
			Commit:    tt.r.Commit,
			Toolchain: "compiler 3",
			GOOS:      runtime.GOOS, GOARCH: runtime.GOARCH,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Obtain(%s) (-want +got)\n%s", tt.r.Version, diff)
		}
		require.Equal(t, tt.shows, programOf(t, got))

		again := s.obtain(t, tt.r)
		want.Cached = true
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("Obtain(%s) again (-want +got)\n%s", tt.r.Version, diff)
		}
	}
	require.Equal(t, 2, s.builds(t))
	kept, err := filepath.Glob(filepath.Join(s.cache(), "builds", "*", "*"))
	require.NoError(t, err)
	for _, path := range kept {
		require.Contains(t, []string{"bin", "build.json"}, filepath.Base(path))
	}
	require.Contains(t, s.log.String(), "v1.0.0: export commit "+s.v1.Commit[:12])
	require.Contains(t, s.log.String(), "copied\n")
	s.nothingHalf(t)
	require.Empty(t, git(t, s.repo, "status", "--porcelain", "--ignored"), "the repository is only read")
	require.Equal(t, "worktree "+s.repo, strings.Split(git(t, s.repo, "worktree", "list", "--porcelain"), "\n")[0])
}

// TestObtainAnew holds that each thing a build depends on makes another build.
func TestObtainAnew(t *testing.T) {
	s := newSubject(t)
	s.obtain(t, s.v1)
	for i, change := range []func(){
		func() { s.cfg.Provider.Env = map[string]string{"A": "1"} },
		func() { s.cfg.Provider.Env = map[string]string{"A": "2"} },
		func() { s.cfg.Provider.Toolchain = []string{"echo", "compiler 1"} },
		func() { s.cfg.Provider.Toolchain = []string{"echo", "compiler 2"} },
		func() { s.cfg.Provider.Build = append(s.cfg.Provider.Build, "more") },
	} {
		change()
		require.False(t, s.obtain(t, s.v1).Cached, "change %d", i)
		require.True(t, s.obtain(t, s.v1).Cached, "change %d", i)
	}
	require.Equal(t, 6, s.builds(t))
}

func TestObtainEnvironment(t *testing.T) {
	s := newSubject(t)
	s.cfg.Provider.Env = map[string]string{"FROM": "{version} {bin}", "PLAIN": "p"}
	s.cfg.Provider.Toolchain = []string{"sh", "-c", `echo "toolchain: $PLAIN, $FROM, $FREEZE_VERSION, $(pwd)"`}
	s.cfg.Provider.Build = []string{"sh", "-c",
		`test "$FROM" = "$1 $2" && cp notes "$2/notes" && echo "$FREEZE_VERSION $FREEZE_COMMIT, $CALLER, $GIT_DIR, $(cat)" && test "$PWD" = "$(pwd -P)" && git rev-parse 2>&1 | grep 'not a git'`,
		"build", "{version}", "{bin}"}
	// The caller is a hook of another repository, and one lies around the cache.
	git(t, s.dir, "init", "-q")
	b, err := s.provider(t, "CALLER=c", "GIT_DIR=/elsewhere", "GIT_INDEX_FILE=/elsewhere/index").Obtain(t.Context(), s.v1)
	require.NoError(t, err, "log: %s", s.log.String())
	require.Equal(t, "toolchain: p, , v1.0.0, "+s.repo, b.Toolchain)
	require.Contains(t, s.log.String(), "v1.0.0 "+s.v1.Commit+", c, , \n")
}

func TestCommandProvider(t *testing.T) {
	s := newSubject(t)
	s.cfg.Provider = config.Provider{
		Kind:  config.Command,
		Build: []string{"sh", "-c", `echo build >>"$MARKS"; test -f freeze.here && printf '#!/bin/sh\necho notes %s %s %s\n' "$1" "$FREEZE_PACKAGE" "$FREEZE_INTEGRITY" >"$2/notes" && chmod +x "$2/notes"`, "fetch", "{version}", "{bin}"},
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.repo, "freeze.here"), nil, 0o644))
	r := ledger.Release{Version: "v1.0.0", Package: "@x/notes", Integrity: "sha512-abc"}
	b := s.obtain(t, r)
	require.Equal(t, "notes 1.0.0 @x/notes sha512-abc\n", programOf(t, b))
	require.True(t, s.obtain(t, r).Cached)

	// The same words in another folder are another command.
	other := filepath.Join(s.dir, "other")
	require.NoError(t, os.Mkdir(other, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(other, "freeze.here"), nil, 0o644))
	s.cfg.Dir = other
	require.False(t, s.obtain(t, r).Cached)

	_, err := s.provider(t).Resolve(t.Context(), "HEAD")
	require.EqualError(t, err, `revision "HEAD": the provider command has no repository`)
	_, ok, err := s.provider(t).Tag(t.Context(), "v1.0.0")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestOddPaths(t *testing.T) {
	for _, name := range []string{"with space", "ünïcödé", "-dash", "new\nline", "quote'\"$(x)`", "colon:here"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			s := newSubjectAt(t, dir)
			require.Equal(t, "notes 1.0.0\n", programOf(t, s.obtain(t, s.v1)))
			s.cfg.Dir = t.TempDir()
			s.cfg.Provider.Repo = s.repo
			require.Equal(t, "notes 2.0.0\n", programOf(t, s.obtain(t, s.v2)))
			require.True(t, s.obtain(t, s.v2).Cached)
		})
	}
}

func TestBareRepository(t *testing.T) {
	s := newSubject(t)
	git(t, s.dir, "clone", "-q", "--bare", "repo", "./-bare.git")
	s.cfg.Dir = filepath.Join(s.dir, "home")
	s.cfg.Provider.Repo = "../-bare.git"
	// The user's own configuration has no say.
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "home/.gitconfig"), []byte("[safe]\n\tbareRepository = explicit\n"), 0o644))
	require.Equal(t, "notes 1.0.0\n", programOf(t, s.obtain(t, s.v1)))
}

func TestLinkedWorktree(t *testing.T) {
	s := newSubject(t)
	git(t, s.repo, "worktree", "add", "-q", "--detach", "../linked", "v1.0.0")
	s.cfg.Dir = filepath.Join(s.dir, "linked")
	require.Equal(t, "notes 1.0.0\n", programOf(t, s.obtain(t, s.v1)))
	// HEAD is v1.0.0 there; main leads to v2.0.0.
	require.Equal(t, "notes 2.0.0\n", programOf(t, s.obtain(t, s.v2)))
}

// TestExportIsExact holds that neither the tree's attributes nor anybody's
// configuration changes the source.
func TestExportIsExact(t *testing.T) {
	s := newSubject(t)
	files := map[string]string{
		"secret":       "kept\n",
		"deep/er/file": "kept\n",
		"subst":        "$Format:%H$\n",
		"a.crlf":       "one\ntwo\n",
		"a.id":         "$Id$\n",
		"a.f":          "lower\n",
		"a.wide":       "wide\n",
		"mixed":        "one\r\ntwo\n",
		" name \n":     "odd\n",
	}
	require.NoError(t, os.Symlink("../outside", filepath.Join(s.repo, "link")))
	s.commit(t, files)
	files[".gitattributes"] = "secret export-ignore\nsubst export-subst\n*.crlf text eol=crlf\n*.wide working-tree-encoding=UTF-16\n*.id ident\n*.f filter=up\n"
	files["deep/.gitattributes"] = "* export-ignore\n"
	for _, name := range []string{".gitattributes", "deep/.gitattributes"} {
		require.NoError(t, os.WriteFile(filepath.Join(s.repo, name), []byte(files[name]), 0o755))
		git(t, s.repo, "add", name)
	}
	git(t, s.repo, "commit", "-q", "-m", "attributes")
	r := ledger.Release{Version: "v3.0.0", Commit: git(t, s.repo, "rev-parse", "HEAD")}
	for key, value := range map[string]string{
		"core.autocrlf": "true", "core.eol": "crlf", "filter.up.smudge": "tr a-z A-Z", "filter.up.required": "true",
		"tar.umask": "0777", "core.attributesFile": filepath.Join(s.dir, "attributes"),
	} {
		git(t, s.repo, "config", key, value)
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "attributes"), []byte("* export-ignore\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(s.repo, ".git/info/attributes"), []byte("* export-ignore\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "home/.gitconfig"), []byte("[core]\n\tautocrlf = true\n\tattributesFile = "+filepath.Join(s.dir, "attributes")+"\n"), 0o644))

	s.cfg.Provider.Build = []string{"sh", "-c", `cp -R . "$1/tree" && rm -r "$1/tree/link" && readlink link >"$1/link" && cp notes "$1/notes"`, "build", "{bin}"}
	b := s.obtain(t, r)
	got := map[string]string{}
	for name := range b.Programs {
		data, err := os.ReadFile(filepath.Join(b.Dir, name))
		require.NoError(t, err)
		got[name] = string(data)
	}
	want := map[string]string{"notes": notes2, "tree/notes": notes2, "link": "../outside\n"}
	for name, text := range files {
		want["tree/"+name] = text
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("export (-committed +exported)\n%s", diff)
	}
}
