//go:build linux

package cli_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/subjects"
)

// A project may lie anywhere.
func TestOddPlaces(t *testing.T) {
	requireTmux(t)
	for _, name := range []string{"with space", "ünï-cödé", "-dash", "line\nbreak", `quote"s'and\more`, "$HOME;#*?"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := filepath.Join(t.TempDir(), name)
			require.NoError(t, subjects.Build(t.Context(), "shell", repo))
			only(t, repo, "open")
			cache := filepath.Join(t.TempDir(), name)
			for _, step := range []struct{ command, want string }{
				{"-q v1.0.0", "v1.0.0: 1 frozen\n"},
				{"-q v1.0.0", "v1.0.0: 1 identical\n"},
				{"-q --dry-run HEAD", "HEAD: 1 frozen\n"},
				{"list", "notes/open  frozen"},
			} {
				out, err := freezeCommand(repo, cache, strings.Fields(step.command)...).CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Contains(t, string(out), step.want)
			}
			out, err := freezeCommand(repo, cache, "check").CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

// A full disk leaves nothing of a release, and says what it is.
func TestFullDisk(t *testing.T) {
	requireTmux(t)
	if os.Getuid() != 0 {
		t.Skip("needs to be root, to mount a small disk")
	}
	repo, cache := smallSubject(t), t.TempDir()
	for _, free := range []string{"0", "8192", "32768"} {
		t.Run(free, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", `set -e
cp -r fixtures "$CACHE/saved-$FREE"
mount -t tmpfs -o size=1m,mode=755 small fixtures
cp -r "$CACHE/saved-$FREE/." fixtures
cat /dev/zero >fixtures/filler 2>/dev/null || truncate -s "-$FREE" fixtures/filler
freeze -q v1.0.0 || echo exit $?
ls -A fixtures`)
			cmd.Dir = repo
			cmd.Env = append(os.Environ(), "PERMAFROST_CACHE="+cache, "CACHE="+cache, "FREE="+free)
			cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Regexp(t, `(?m)^freeze: fixture.*: no space left on device$`, string(out))
			require.True(t, strings.HasSuffix(string(out), "exit 1\nfiller\nscenarios\n"), "%s", out)
		})
	}
}

// Who may not write to the fixtures is told so, and nothing has changed.
func TestReadOnlyFixtures(t *testing.T) {
	requireTmux(t)
	if os.Getuid() != 0 {
		t.Skip("needs to be root, to become somebody else")
	}
	base, err := os.MkdirTemp("/tmp", "ro")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(base)) })
	repo := filepath.Join(base, "repo")
	require.NoError(t, subjects.Build(t.Context(), "shell", repo))
	only(t, repo, "open")
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(base, "freeze"), program, 0o755))
	const nobody = 65534
	require.NoError(t, filepath.WalkDir(base, func(name string, _ fs.DirEntry, err error) error {
		require.NoError(t, err)
		return os.Lchown(name, nobody, nobody)
	}))
	fixtures := filepath.Join(repo, "fixtures")
	require.NoError(t, os.Chmod(fixtures, 0o555))
	cmd := exec.Command(filepath.Join(base, "freeze"), "-q", "v1.0.0")
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "HOME="+base, "PERMAFROST_CACHE="+filepath.Join(base, "cache"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%s", out)
	want := "freeze: fixtures folder \"" + fixtures + "\": mkdirat .staged: permission denied\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("freeze (-want +got):\n%s", diff)
	}
	require.NoDirExists(t, filepath.Join(fixtures, "notes"))
	require.NoFileExists(t, filepath.Join(fixtures, "releases.toml"))
}
