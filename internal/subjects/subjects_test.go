package subjects_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/subjects"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "git %q: %s", args, out)
	return strings.TrimSpace(string(out))
}

func TestMakeGivesTwoReleases(t *testing.T) {
	for _, name := range subjects.Names() {
		t.Run(name, func(t *testing.T) {
			repo := subjects.Make(t, name)
			if d := cmp.Diff("v1.0.0\nv1.1.0", git(t, repo, "tag")); d != "" {
				t.Errorf("tags (-want +got)\n%s", d)
			}
			if d := cmp.Diff("", git(t, repo, "status", "--porcelain")); d != "" {
				t.Errorf("status (-want +got)\n%s", d)
			}
			if git(t, repo, "diff", "--stat", "v1.0.0", "v1.1.0") == "" {
				t.Error("the second release changes nothing")
			}
			require.Equal(t, "A Developer", git(t, repo, "config", "--local", "user.name"))
			require.FileExists(t, filepath.Join(repo, "freeze.toml"))
			again := subjects.Make(t, name)
			require.Equal(t, git(t, repo, "rev-parse", "v1.1.0"), git(t, again, "rev-parse", "v1.1.0"))
		})
	}
}

// A git that runs a hook tells its children where its own repository is.
func TestMakeStaysInItsFolder(t *testing.T) {
	decoy := t.TempDir()
	t.Setenv("GIT_DIR", filepath.Join(decoy, "git"))
	t.Setenv("GIT_WORK_TREE", decoy)
	repo := subjects.Make(t, "shell")
	require.DirExists(t, filepath.Join(repo, ".git"))
	entries, err := os.ReadDir(decoy)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestBuildRefuses(t *testing.T) {
	err := subjects.Build(t.Context(), "nobody", filepath.Join(t.TempDir(), "x"))
	require.ErrorContains(t, err, `no subject "nobody"; there are ["shell" "python" "hostile"]`)
}
