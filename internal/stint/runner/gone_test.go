//go:build unix

package runner

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program has gone when it has ended, though nobody waits for it; and it has
// not when all that is known is that it may not be signalled.
func TestGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a process is looked at by /proc")
	}
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p, err := os.FindProcess(cmd.Process.Pid)
	require.NoError(t, err)
	require.False(t, gone(t.Context(), p, 50*time.Millisecond), "a program that runs")
	require.NoError(t, in.Close())
	require.True(t, gone(t.Context(), p, 10*time.Second), "a program that has ended, before it was waited for")
	require.NoError(t, cmd.Wait())
	require.True(t, gone(t.Context(), p, 10*time.Second), "a program that was waited for")
}

func TestGoneOfAnotherUser(t *testing.T) {
	if os.Getenv("GONE_OF") == "parent" {
		p, err := os.FindProcess(os.Getppid())
		require.NoError(t, err)
		require.False(t, gone(t.Context(), p, 50*time.Millisecond), "a program that may not be signalled")
		return
	}
	if os.Getuid() != 0 {
		t.Skip("it takes root to start a program of another user")
	}
	dir, err := os.MkdirTemp("", "gone")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	own, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(dir, "test")
	copyTo(t, own, program)
	cmd := exec.Command(program, "-test.run=^TestGoneOfAnotherUser$", "-test.v")
	cmd.Dir, cmd.Env = "/", []string{"GONE_OF=parent"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS")
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}
