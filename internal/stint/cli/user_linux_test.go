package cli_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// asUser runs a test again, as a user who is not root and may not read
// everything.
func asUser(t *testing.T, body func(t *testing.T)) {
	if os.Getuid() != 0 {
		body(t)
		return
	}
	dir, err := os.MkdirTemp("", "user")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chown(dir, 65534, 65534))
	own, err := os.Executable()
	require.NoError(t, err)
	program := filepath.Join(dir, "test")
	copyFile(t, own, program, 0o755)
	cmd := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "PERMAFROST_CHECK=" + os.Getenv("PERMAFROST_CHECK")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "%s", out)
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
	require.NoError(t, os.Chmod(to, mode))
}

// The kernel shows nobody but root the environment of a program that its user
// may run and not read.
func TestRestartUnreadable(t *testing.T) {
	asUser(t, func(t *testing.T) {
		d := newRotation(t, "TOKEN=first\n")
		sleep, err := exec.LookPath("sleep")
		require.NoError(t, err)
		secret := filepath.Join(d.dir, "secret")
		copyFile(t, sleep, secret, 0o111)
		d.config(fmt.Sprintf("[harness.secret]\ncommand = [%q, \"1000\"]\nresume = []\n[harness.mute]\ncommand = [%[1]q, \"1000\"]\n", secret))
		out, _ := d.stint(0, "session", "open", "secret", "--no-attach")
		id := opened.FindStringSubmatch(out)[1]
		out, _ = d.stint(0, "session", "open", "mute", "--no-attach")
		mute := opened.FindStringSubmatch(out)[1]
		was, left := d.pane(id), d.pane(mute)
		unreadable := func(id string) string {
			return fmt.Sprintf("process %d: its environ cannot be read: permission denied", d.pane(id).pid)
		}
		require.Eventually(t, func() bool {
			drift := d.driftOf()
			return drift[0]["reason"] == unreadable(id) && drift[1]["reason"] == unreadable(mute)
		}, patience, pause)
		require.Empty(t, d.driftLine())
		out, _ = d.stint(0, "session", "restart", id, "--dry-run")
		require.Equal(t, "would-restart its environment cannot be read", rows(out)[id])
		out, _ = d.stint(1, "session", "restart", id)
		require.Equal(t, fmt.Sprintf("unverified %s; it was handed every value: see in it, by stint session attach %s, whether it has them", unreadable(id), id), rows(out)[id])
		require.NotEqual(t, was.pid, d.pane(id).pid)
		require.True(t, ended(was.pid))

		// Skipped, and not known to be stale.
		d.stint(0, "session", "restart", mute)
		require.Equal(t, left, d.pane(mute))

		require.NoError(t, os.Chmod(filepath.Join(d.dir, "secrets.env"), 0))
		_, said := d.stint(1, "session", "restart", "--all")
		require.Equal(t, fmt.Sprintf("stint: env file %q: it cannot be read: permission denied; mend that, or change env.file in stint.toml\n", filepath.Join(d.dir, "secrets.env")), said)
		require.NotEmpty(t, d.driftLine())
	})
}
