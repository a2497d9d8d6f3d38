package mutate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
)

// Only what changed since a commit is judged: lines, files that are new, and
// regressions with what they are about.
func TestSince(t *testing.T) {
	g := shelf(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
		cmd.Dir = g.Dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	// A user's own way to show differences is not taken.
	git("init", "-q")
	git("config", "diff.external", "false")
	git("config", "diff.noprefix", "false")
	git("add", ".")
	git("commit", "-qm", "before")

	changed := func() []string {
		changes, err := mutate.Since(t.Context(), g.Dir, g.Env, "HEAD")
		require.NoError(t, err)
		g.Since, g.Suites, g.Steady = changes, []string{"./suites"}, 0
		got, err := mutate.Generate(t.Context(), g)
		require.NoError(t, err)
		var funcs []string
		for _, r := range got.Results {
			funcs = append(funcs, strings.Split(r.Mutant.ID, "/")[0])
		}
		return funcs
	}
	require.Empty(t, changed())
	file := filepath.Join(g.Dir, "shelf.go")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "s.moved * 2", "s.moved * 3", 1)), 0o644))
	for _, f := range changed() {
		require.Equal(t, "Shelf.Idle", f)
	}
	require.NotEmpty(t, changed())
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "new.go"), []byte("package shelf\n\nfunc New(n int) int { return n + 1 }\n"), 0o644))
	require.Contains(t, changed(), "New")

	changes, err := mutate.Since(t.Context(), g.Dir, g.Env, "HEAD")
	require.NoError(t, err)
	for _, c := range []struct {
		name, file, pkg string
		want            bool
	}{
		{"file", "shelf.go", "./suites", true},
		{"suite", "other.go", ".", true},
		{"nothing", "other.go", "./suites", false},
	} {
		r := &regression.Regression{Name: "r", File: c.file, Test: regression.Test{Package: c.pkg}}
		require.Equal(t, c.want, changes.Regression("mutations", r), c.name)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(g.Dir, "mutations"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "mutations", "r.txtar"), nil, 0o644))
	changes, err = mutate.Since(t.Context(), g.Dir, g.Env, "HEAD")
	require.NoError(t, err)
	require.True(t, changes.Regression("mutations", &regression.Regression{Name: "r", File: "other.go", Test: regression.Test{Package: "./suites"}}))

	_, err = mutate.Since(t.Context(), g.Dir, g.Env, "gone")
	require.ErrorContains(t, err, "git rev-parse: ")
}

// What regressions are about is any change: of a file that is gone or of its
// mode, too, and of no file that only text in another names.
func TestSinceRegressions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		file   string
		pkg    string
		want   bool
	}{
		{"nothing", func(*testing.T, string) {}, "a.go", ".", false},
		{"a test is gone", func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "suite", "s_test.go")))
		}, "a.go", "./suite", true},
		{"a mode", func(t *testing.T, dir string) { require.NoError(t, os.Chmod(filepath.Join(dir, "a.go"), 0o755)) }, "a.go", "./suite", true},
		{"text like a name", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "suite", "data"), []byte("++ a.go\n"+strings.Repeat("x\n", 9)+"y\n"), 0o644))
		}, "a.go", ".", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			git := func(args ...string) {
				t.Helper()
				cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
			require.NoError(t, os.Mkdir(filepath.Join(dir, "suite"), 0o755))
			for _, name := range []string{"a.go", "suite/s_test.go", "suite/data"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("x\n", 11)), 0o644))
			}
			git("init", "-q")
			git("config", "core.fileMode", "true")
			git("add", ".")
			git("commit", "-qm", "before")
			tt.change(t, dir)
			changes, err := mutate.Since(t.Context(), dir, os.Environ(), "HEAD")
			require.NoError(t, err)
			r := &regression.Regression{Name: "r", File: tt.file, Test: regression.Test{Package: tt.pkg}}
			require.Equal(t, tt.want, changes.Regression("mutations", r))
		})
	}
}
