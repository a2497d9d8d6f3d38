package provider_test

import (
	"crypto/rand"
	"debug/buildinfo"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/internal/registry"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"
)

const (
	notesModule = "example.com/notes"
	saysModule  = "example.com/says"
)

// goSubject is a subject whose releases are modules of a proxy of its own.
type goSubject struct {
	packaged
	registry.GoProxy
}

func newGoSubject(t *testing.T) *goSubject {
	t.Helper()
	dir := t.TempDir()
	s := &goSubject{GoProxy: registry.GoProxy{Dir: filepath.Join(dir, "proxy")}, packaged: packaged{dir: dir}}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOCACHE=" + strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local",
		"GOPROXY=" + s.URL(), "GOSUMDB=off", s.modules("modules"),
	}
	t.Cleanup(func() { // go makes its modules read-only
		for _, dir := range []string{"modules", "cold"} {
			clean := exec.Command("go", "clean", "-modcache")
			clean.Env = append(slices.Clone(s.env), s.modules(dir))
			out, err := clean.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
	})
	s.publishSays(t, "hello")
	s.publishNotes(t, "v1.0.0", s.sumOf(t, saysModule, "v1.0.0"))
	s.cfg = &config.Config{
		Dir:     dir,
		Subject: config.Subject{Name: "notes"},
		Provider: config.Provider{
			Kind: config.Go, Package: notesModule, Commands: []string{"cmd/notes"},
			Env: map[string]string{"GOTOOLCHAIN": "local"},
		},
	}
	return s
}

func (s *goSubject) modules(name string) string { return "GOMODCACHE=" + filepath.Join(s.dir, name) }

func (s *goSubject) publishSays(t *testing.T, how string) {
	t.Helper()
	s.Publish(t, saysModule, "v1.0.0", map[string]string{
		"go.mod":  "module " + saysModule + "\n\ngo 1.21\n",
		"says.go": "package says\n\nfunc Says(s string) string { return \"" + how + " \" + s }\n",
	})
}

func (s *goSubject) publishNotes(t *testing.T, version, goSum string) {
	t.Helper()
	s.Publish(t, notesModule, version, map[string]string{
		"go.mod":            "module " + notesModule + "\n\ngo 1.21\n\nrequire " + saysModule + " v1.0.0\n",
		"go.sum":            goSum,
		"cmd/notes/main.go": fmt.Sprintf("package main\n\nimport (\n\t\"fmt\"\n\n\t\"%s\"\n)\n\nfunc main() { fmt.Println(says.Says(\"notes\"), %q) }\n", saysModule, version),
		"main.go":           "package main\n\nfunc main() { println(\"another\") }\n",
	})
}

// sumOf is a line of go.sum, as go itself says it.
func (s *goSubject) sumOf(t *testing.T, path, version string) string {
	t.Helper()
	return path + " " + version + " " + s.goSays(t, path, version, "Sum") + "\n" +
		path + " " + version + "/go.mod " + s.goSays(t, path, version, "GoModSum") + "\n"
}

func (s *goSubject) goSays(t *testing.T, path, version, field string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	_, after, ok := strings.Cut(string(out), `"`+field+`": "`)
	require.True(t, ok, "%s", out)
	value, _, _ := strings.Cut(after, `"`)
	return value
}

func TestGoModule(t *testing.T) {
	s := newGoSubject(t)
	r := s.pin(t)
	require.Equal(t, notesModule, r.Package)
	require.Equal(t, s.goSays(t, notesModule, "v1.0.0", "Sum"), r.Integrity)

	// Neither the caller's settings nor a module around have a say.
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "go.mod"), []byte("module example.com/around\n\nreplace "+notesModule+" => ./nowhere\n"), 0o644))
	b := s.obtain(t, "cache", r, "GOFLAGS=-mod=vendor", "GOBIN=/nonexistent", "CGO_ENABLED=1", "GO111MODULE=off")
	require.False(t, b.Cached)
	require.Equal(t, "hello notes v1.0.0\n", programOf(t, b))
	require.Equal(t, []string{notesModule, r.Integrity}, []string{b.Package, b.Integrity})
	require.Contains(t, b.Toolchain, "go version go")
	require.Len(t, b.Programs, 1)

	again := s.obtain(t, "a cache of another length", r, s.modules("cold"))
	require.False(t, again.Cached)
	require.Equal(t, b.Programs, again.Programs)
}

func TestGoModuleCommands(t *testing.T) {
	s := newGoSubject(t)
	r := s.pin(t)
	s.cfg.Provider.Commands = []string{".", "cmd/notes"}
	_, err := s.provider(t, "cache").Obtain(t.Context(), r)
	// Two programs of one name: the second would replace the first.
	require.ErrorContains(t, err, `the commands "." and "cmd/notes" of example.com/notes@v1.0.0 are both programs named "notes"`)
	s.cfg.Provider.Commands = nil
	b := s.obtain(t, "cache", r)
	require.Len(t, b.Programs, 1)
	out, err := exec.Command(filepath.Join(b.Dir, "notes")).CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "another\n", string(out))
}

// TestGoModuleSettings: what the caller has go build elsewhere is not built of a
// release, whether the environment says it or go env -w did; what freeze.toml
// says is.
func TestGoModuleSettings(t *testing.T) {
	s := newGoSubject(t)
	r := s.pin(t)
	want := s.obtain(t, "cache", r)
	require.NotContains(t, settings(t, want), "GOAMD64=v3")
	level := map[string]string{"amd64": "GOAMD64=v3", "arm64": "GOARM64=v9.0"}[runtime.GOARCH]
	if level == "" {
		t.Skipf("no two levels of %s are known here", runtime.GOARCH)
	}
	caller := []string{level, "GOOS=windows", "GOARCH=386", "GOEXPERIMENT=newinliner", "GOFIPS140=latest"}
	written := filepath.Join(s.dir, "env")
	require.NoError(t, os.WriteFile(written, []byte(strings.Join(caller, "\n")+"\nGOPROXY="+s.URL()+"\n"), 0o644))
	for name, env := range map[string][]string{"environment": caller, "go env -w": {"GOENV=" + written, "GOPROXY=", s.modules("cold")}} {
		t.Run(name, func(t *testing.T) {
			b := s.obtain(t, name, r, env...)
			require.False(t, b.Cached)
			require.Equal(t, want.Programs, b.Programs)
		})
	}
	key, value, _ := strings.Cut(level, "=")
	s.cfg.Provider.Env[key] = value
	b := s.obtain(t, "cache", r)
	require.False(t, b.Cached)
	require.Contains(t, settings(t, b), level)
}

// settings are those that a program says it was built with.
func settings(t *testing.T, b *provider.Build) (all []string) {
	t.Helper()
	info, err := buildinfo.ReadFile(filepath.Join(b.Dir, "notes"))
	require.NoError(t, err)
	for _, s := range info.Settings {
		all = append(all, s.Key+"="+s.Value)
	}
	return all
}

// TestGoModuleOffline: a build that is cached needs nothing, and one that is
// not needs no network where go has kept the modules.
func TestGoModuleOffline(t *testing.T) {
	s := newGoSubject(t)
	r := s.pin(t)
	first := s.obtain(t, "cache", r)
	require.True(t, s.obtain(t, "cache", r, "GOPROXY=off", s.modules("cold")).Cached)
	again := s.obtain(t, "other", r, "GOPROXY=off")
	require.False(t, again.Cached)
	require.Equal(t, first.Programs, again.Programs)
	_, err := s.provider(t, "third", "GOPROXY=off", s.modules("cold")).Obtain(t.Context(), r)
	require.ErrorContains(t, err, `release "v1.0.0": module example.com/notes@v1.0.0: `)
	require.ErrorContains(t, err, "GOPROXY=off")
}

// TestGoModuleChanged: what is served, what lies in the module cache, or what
// the module depends on is no longer what was frozen.
func TestGoModuleChanged(t *testing.T) {
	t.Run("served", func(t *testing.T) {
		s := newGoSubject(t)
		r := s.pin(t)
		s.publishNotes(t, "v1.0.0", "")
		_, err := s.provider(t, "cache", s.modules("cold")).Obtain(t.Context(), r)
		require.ErrorContains(t, err, `release "v1.0.0": example.com/notes@v1.0.0 has the integrity h1:`)
		require.ErrorContains(t, err, ", and the ledger pins "+r.Integrity+": a version that is out keeps its content, so see where GOPROXY leads")
		require.NoDirExists(t, filepath.Join(s.dir, "cache", "builds"))
		_, err = s.provider(t, "cache", s.modules("cold")).Pin(t.Context(), r)
		require.ErrorContains(t, err, ", not "+r.Integrity)
	})
	t.Run("kept", func(t *testing.T) {
		s := newGoSubject(t)
		r := s.pin(t)
		source := filepath.Join(s.dir, "modules", notesModule+"@v1.0.0", "cmd", "notes", "main.go")
		require.NoError(t, os.Chmod(source, 0o644))
		require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644))
		_, err := s.provider(t, "cache").Obtain(t.Context(), r)
		require.ErrorContains(t, err, "is not what was downloaded, its hash is h1:")
		require.ErrorContains(t, err, "remove it, as with go clean -modcache")
	})
	t.Run("kept of what it depends on", func(t *testing.T) {
		s := newGoSubject(t)
		r := s.pin(t)
		source := filepath.Join(s.dir, "modules", saysModule+"@v1.0.0", "says.go")
		require.NoError(t, os.Chmod(source, 0o644))
		require.NoError(t, os.WriteFile(source, []byte("package says\n\nfunc Says(s string) string { return \"bye\" }\n"), 0o644))
		_, err := s.provider(t, "cache").Obtain(t.Context(), r)
		require.ErrorContains(t, err, "module example.com/says@v1.0.0: its source in ")
		require.ErrorContains(t, err, "is not what was downloaded, its hash is h1:")
	})
	t.Run("depended on", func(t *testing.T) {
		s := newGoSubject(t)
		r := s.pin(t)
		s.publishSays(t, "goodbye")
		_, err := s.provider(t, "cache", s.modules("cold")).Obtain(t.Context(), r)
		require.ErrorContains(t, err, `program "notes" was built with example.com/says@v1.0.0, whose hash is h1:`)
		require.ErrorContains(t, err, "and the go.sum of example.com/notes@v1.0.0 has h1:")
	})
}

// TestGoModuleDatabase: where the caller has a database of hashes asked, it is,
// and what it does not confirm is refused.
func TestGoModuleDatabase(t *testing.T) {
	s := newGoSubject(t)
	r := s.pin(t)
	_, key, err := note.GenerateKey(rand.Reader, "sums.example.com")
	require.NoError(t, err)
	var asked atomic.Bool
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Store(true)
		http.Error(w, "no such module", http.StatusNotFound)
	}))
	defer database.Close()
	env := []string{"GOSUMDB=" + key + " " + database.URL, s.modules("cold")}
	_, err = s.provider(t, "cache", env...).Obtain(t.Context(), r)
	require.ErrorContains(t, err, `release "v1.0.0": module example.com/notes@v1.0.0: verifying `)
	require.True(t, asked.Load())
	env = append(env, "GONOSUMDB=example.com")
	require.Equal(t, "hello notes v1.0.0\n", programOf(t, s.obtain(t, "cache", r, env...)))
}

func TestGoModuleRefused(t *testing.T) {
	s := newGoSubject(t)
	r := s.pin(t)
	_, err := s.provider(t, "cache").Pin(t.Context(), ledger.Release{Version: "v9.0.0"})
	require.ErrorContains(t, err, `release "v9.0.0": module example.com/notes@v9.0.0: `)
	for _, tt := range []struct {
		change func(r *ledger.Release)
		want   string
	}{
		{func(r *ledger.Release) { r.Package, r.Commit = "", "abc" }, "the ledger pins a commit, and the provider go needs a package"},
		{func(r *ledger.Release) { r.Package = "-x" }, `"-x" is no path of a Go module`},
		{func(r *ledger.Release) { r.Integrity = "" }, "the ledger pins a package without its integrity"},
	} {
		bad := r
		tt.change(&bad)
		_, err := s.provider(t, "cache").Obtain(t.Context(), bad)
		require.ErrorContains(t, err, tt.want)
	}
	s.cfg.Provider.Commands = []string{"cmd/none"}
	_, err = s.provider(t, "cache").Obtain(t.Context(), r)
	require.ErrorContains(t, err, "run go install -trimpath example.com/notes/cmd/none@v1.0.0: exit status 1; its last lines:")
}
