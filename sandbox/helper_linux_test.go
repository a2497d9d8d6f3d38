package sandbox_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP) }

// player starts this binary again as one of the players and returns the first
// line that it prints.
func player(t *testing.T, attr *syscall.SysProcAttr, args ...string) (*exec.Cmd, string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, args...)
	cmd.SysProcAttr = attr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	outside(t, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSpace(line)
}

func tmuxPath(t *testing.T) string {
	t.Helper()
	needTmux(t)
	path, err := exec.LookPath("tmux")
	require.NoError(t, err)
	return path
}

func command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }

// impatient boxes give up on the proof soon, for cases in which it must fail.
var impatient = sandbox.Config{Patience: 400 * time.Millisecond}

func lives(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

func kill(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	eventually(t, "the end of a killed process", func() bool { return !lives(pid) })
}

// needNamespace skips where this machine gives no namespace, and closes the box.
// Where another program is given one, it fails: the box should have it, too.
func needNamespace(t *testing.T, b *sandbox.Box) {
	t.Helper()
	if b.Namespace() != "" {
		return
	}
	require.NoError(t, b.Close())
	for _, user := range [][]string{nil, {"--user", "--map-root-user"}} {
		cmd := exec.Command("unshare", slices.Concat(user, []string{"--pid", "--fork", "--mount-proc", "true"})...)
		if cmd.Run() == nil {
			t.Fatalf("%s: this machine gives a namespace with a /proc of its own, and the box has none", cmd)
		}
	}
	t.Skip("this machine gives no namespace with a /proc of its own")
}

// supervisorOf finds a box's supervisor by the binary that it runs.
func supervisorOf(t *testing.T, root string) int {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	require.NoError(t, err)
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == root+"/self/supervisor" {
			pid, err := strconv.Atoi(strings.Split(link, "/")[2])
			require.NoError(t, err)
			return pid
		}
	}
	t.Fatalf("no supervisor of %s", root)
	return 0
}

func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
