//go:build unix

package project_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that cannot be read leaves v2 unknown, and v1 as it is.
func TestFingerprintOfUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	d := newDesk(t)
	before := d.both()
	d.sh("chmod 000 new")
	_, err := d.project().Fingerprint(t.Context(), "v2")
	require.True(t, errors.Is(err, fs.ErrPermission), "%v", err)
	got, err := d.project().NewFingerprint(t.Context())
	require.NoError(t, err)
	require.Equal(t, before[0], got)
}

// asNobody runs the test as a user who cannot read everything, from a copy of
// the program in a folder that is that user's.
func asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("", "nobody")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	own, err := os.Executable()
	require.NoError(t, err)
	b, err := os.ReadFile(own)
	require.NoError(t, err)
	program := filepath.Join(dir, "test")
	require.NoError(t, os.WriteFile(program, b, 0o700))
	require.NoError(t, errors.Join(os.Chown(program, nobody, nobody), os.Chown(dir, nobody, nobody)))
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}
