package config_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	mkdir(t, root, "repo/deep/er", "repo/sub/in", "plain/in", "repo/hollow/.git", "repo/hollow/in")
	git(t, filepath.Join(root, "repo"), "init", "-q")
	git(t, filepath.Join(root, "repo"), "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "m")
	git(t, filepath.Join(root, "repo"), "worktree", "add", "-q", "../linked")
	mkdir(t, root, "linked/in")
	require.NoError(t, os.Symlink(filepath.Join(root, "repo/deep/er"), filepath.Join(root, "link")))

	file := func(dir string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, dir, config.Name), nil, 0o644))
	}
	// The stray one, above everything.
	file(".")

	for _, dir := range []string{"repo/deep/er", "repo", "linked/in", "plain", "plain/in"} {
		_, err := config.Find(filepath.Join(root, dir))
		require.ErrorIs(t, err, os.ErrNotExist, dir)
		require.ErrorContains(t, err, "freeze init writes one, or name another with --config")
	}

	file("repo")
	file("repo/sub")
	file("linked")
	file("plain")
	for dir, want := range map[string]string{
		"repo":           "repo",
		"repo/deep/er":   "repo",
		"repo/sub/in":    "repo/sub",
		"repo/hollow/in": "repo",
		"link":           "repo",
		"linked/in":      "linked",
		"plain":          "plain",
		".":              ".",
	} {
		got, err := config.Find(filepath.Join(root, dir))
		require.NoError(t, err, dir)
		require.Equal(t, filepath.Join(root, want, config.Name), got, dir)
	}
	_, err = config.Find(filepath.Join(root, "plain/in"))
	require.ErrorIs(t, err, os.ErrNotExist, "outside of a work tree the parents are none of ours")
}

func mkdir(t *testing.T, root string, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %q: %s", args, out)
}
