package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// A process that is none of the box's own, of the same user, stands in the
// box: it is not touched, nothing is removed, and the error says how to go on.
func TestForeignHolder(t *testing.T) {
	t.Parallel()
	b := start(t, impatient)
	seconds := token()
	cmd := command("sleep", seconds)
	cmd.Dir = b.Project()
	outside(t, cmd)
	comesUp(t, seconds)

	err := held(t, b.Close())
	require.Equal(t, b.Root(), err.Root)
	require.Len(t, err.Left, 1)
	require.Equal(t, cmd.Process.Pid, err.Left[0].PID)
	require.Equal(t, startOf(t, cmd.Process.Pid), fmt.Sprint(err.Left[0].Start))
	require.Equal(t, "sleep "+seconds, err.Left[0].Command)
	require.False(t, err.Left[0].Ours)
	require.True(t, lives(cmd.Process.Pid))
	require.DirExists(t, b.Project())
	for _, want := range []string{b.Root(), "sleep " + seconds, err.Left[0].Since.UTC().Format("2006-01-02T15:04:05Z")} {
		require.Contains(t, err.Error(), want)
	}

	ends := regexp.MustCompile(`kill -KILL \d+`).FindString(err.Error())
	require.NoError(t, command("sh", "-c", ends).Run())
	cmd.Wait()
	require.NoError(t, b.Close())
}

// A box that was held is not removed by itself when the holder goes, but when
// its caller does.
func TestHolderGoesLater(t *testing.T) {
	t.Parallel()
	root := hiddenRoot()
	t.Cleanup(func() { os.RemoveAll(root) })
	caller, said := player(t, nil, "held", root)
	require.Equal(t, "up", said)
	holder := command("sleep", token())
	holder.Dir = root + "/home"
	outside(t, holder)
	require.NoError(t, os.WriteFile(root+"/home/go", nil, 0o600))
	eventually(t, "a box that is held", func() bool {
		_, err := os.Stat(root + "/home/held")
		return err == nil
	})
	holder.Process.Kill()
	holder.Wait()
	f, ok := found(t, root)
	require.True(t, ok && f.Owner)
	caller.Process.Kill()
	caller.Wait()
	eventually(t, "the box's removal", func() bool {
		_, err := os.Stat(root)
		return errors.Is(err, os.ErrNotExist)
	})
}

// startOf reads the start time of a process, field 22 of its stat line.
func startOf(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	return strings.Fields(string(b))[21]
}

// A holder of the lease that runs as another user is left alone. This process
// has the lease open too, as a backup may have, and is not taken for a holder.
func TestForeignLease(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root has a process of another user at hand")
	}
	// Not beside others: what is started for them has the lease until the exec.
	b := start(t, impatient)
	lease, err := os.Open(b.Root() + "/lease")
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(lease.Fd()), syscall.LOCK_SH))
	cmd := command("sleep", token())
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.ExtraFiles = []*os.File{lease}
	outside(t, cmd)
	lease.Close()
	reader, err := os.Open(b.Root() + "/lease")
	require.NoError(t, err)
	defer reader.Close()

	left := held(t, b.Close()).Left
	require.Len(t, left, 1)
	require.Equal(t, []string{"lease"}, left[0].Why)
	require.Equal(t, nobody, left[0].UID)
	require.False(t, left[0].Ours)
	require.True(t, lives(cmd.Process.Pid))
	cmd.Process.Kill()
	cmd.Wait()
	require.NoError(t, b.Close())
}

const nobody = 65534

// An unprivileged user has the same proof, in a user namespace where the
// machine allows one.
func TestUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this run is unprivileged itself")
	}
	needTmux(t)
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "u")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	binary := dir + "/test"
	exe, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(binary, exe, 0o755))
	require.NoError(t, os.Mkdir(dir+"/home", 0o700))
	require.NoError(t, os.Chown(dir+"/home", nobody, nobody))

	cmd := exec.CommandContext(t.Context(), binary, "-test.v", "-test.timeout=120s",
		"-test.run=^(TestProof|TestLayer.*|TestForeignHolder|TestCallerKilled|TestTmuxByAbsolutePath|TestNamespaceOfNobody|TestRun|TestFault.*|TestFirstPID|TestRootReplaced|TestRootUnreadable|TestRecordPlanted|TestLocksReplaced|TestMachineryStopped|TestDeepTree)$")
	cmd.Dir = dir + "/home"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir + "/home", "PERMAFROST_CHECK=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestProof")
	require.Contains(t, string(out), "--- PASS: TestLayerDescendants")
	t.Logf("namespaces of an unprivileged user: %s", regexp.MustCompile(`namespaces: .*`).Find(out))
}

// Whoever runs in a box keeps the own id and has no capability there.
func TestNamespaceOfNobody(t *testing.T) {
	b := start(t, sandbox.Config{})
	t.Logf("namespaces: %q", b.Namespace())
	require.Equal(t, fmt.Sprintln(os.Getuid()), sh(t, b, `id -u`))
	if os.Getuid() != 0 {
		require.Regexp(t, `(?m)^CapEff:\t0+$`, sh(t, b, `cat /proc/self/status`))
		require.Regexp(t, `(?m)^CapPrm:\t0+$`, sh(t, b, `cat /proc/self/status`))
	}
}
