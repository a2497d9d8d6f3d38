package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/stretchr/testify/require"
)

// The program of a pane is known by its terminal, by the session that it leads
// and by who started it.
func TestOfPane(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "own")
	require.NoError(t, err)
	server := tmux.Server{Socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		server.Run(context.Background(), "kill-server")
		os.RemoveAll(dir)
	})
	start := func(command string) tmux.Marked {
		_, err := server.Run(t.Context(), "new-session", "-d", command)
		require.NoError(t, err)
		panes, err := server.ListPanes(t.Context())
		require.NoError(t, err)
		return tmux.Marked{Pane: panes[len(panes)-1]}
	}
	p, other := start("sleep 1000 & exec sleep 2000"), start("exec sleep 3000")
	require.Eventually(t, func() bool { return ofPane(&p) == nil && ofPane(&other) == nil }, 10*time.Second, 5*time.Millisecond)
	for name, change := range map[string]func(*tmux.Marked){
		"another's terminal":          func(p *tmux.Marked) { p.TTY = other.TTY },
		"a terminal that is not here": func(p *tmux.Marked) { p.TTY = filepath.Join(dir, "tty") },
		"another server":              func(p *tmux.Marked) { p.Server = os.Getpid() },
		"another's number":            func(p *tmux.Marked) { p.PID = other.PID },
		"this process":                func(p *tmux.Marked) { p.PID = os.Getpid() },
		"no process at all":           func(p *tmux.Marked) { p.PID = 1 << 30 },
		"a number that is none":       func(p *tmux.Marked) { p.PID = 0 },
	} {
		was := p
		change(&was)
		require.Error(t, ofPane(&was), name)
	}
}

// newMark is one that no process has which another test is just ending.
func newMark() string { return "STINT_SESSION_ID=" + newID() }

// What a dead pane's program has left is of the terminal session that it led,
// and has its mark. Where its number is another process's by now, nothing is
// left there: that one is nobody's business.
func TestSurvivors(t *testing.T) {
	mark := newMark()
	never, write, err := os.Pipe()
	require.NoError(t, err)
	defer write.Close()
	defer never.Close()
	start := func(env ...string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", "read -r line <&3 & echo; wait") // no exec is under way
		cmd.ExtraFiles = []*os.File{never}
		cmd.Env, cmd.SysProcAttr = append(env, "PATH="+os.Getenv("PATH")), &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			cmd.Wait()
		})
		_, err = out.Read(make([]byte, 1)) // Both run by then.
		require.NoError(t, err)
		return cmd
	}
	count := func(pid, server int, others ...int) [2]int {
		t.Helper()
		left, elsewhere, err := survivors(mark, &tmux.Marked{Pane: tmux.Pane{PID: pid, Server: server}}, others)
		require.NoError(t, err)
		return [2]int{len(left), len(elsewhere)}
	}
	const nobody = 1 << 30
	ours := start(mark)
	require.Equal(t, [2]int{2, 0}, count(ours.Process.Pid, os.Getpid()))
	require.Equal(t, [2]int{0, 2}, count(nobody, os.Getpid()))
	require.Equal(t, [2]int{0, 0}, count(nobody, os.Getpid(), ours.Process.Pid), "another pane's")
	other := start()
	require.Equal(t, [2]int{0, 0}, count(other.Process.Pid, nobody, ours.Process.Pid), "the number is another's")
	_, _, err = survivors(mark, &tmux.Marked{Pane: tmux.Pane{PID: other.Process.Pid, Server: os.Getpid()}}, nil)
	require.ErrorContains(t, err, "what it runs on cannot be read")
}

// One that is just being started, or has just ended, shows no environment and is
// in nobody's way for that.
func TestSurvivorsThatComeAndGo(t *testing.T) {
	mark := newMark()
	cmd := exec.Command("sh", "-c", "while :; do env true; done")
	cmd.Env, cmd.SysProcAttr = []string{mark, "PATH=" + os.Getenv("PATH")}, &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	for range 100 {
		left, elsewhere, err := survivors(mark, &tmux.Marked{Pane: tmux.Pane{PID: cmd.Process.Pid, Server: os.Getpid()}}, nil)
		require.NoError(t, err)
		require.NotEmpty(t, left)
		require.Empty(t, elsewhere)
	}
}

// All processes are looked at, over and over, and none of them is held.
func TestSurvivorsHoldsNobody(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // It would let go of them.
	held := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(all)
	}
	const times = 20 // since what an earlier test began may open one, too
	was := held()
	for range times {
		_, _, err := survivors("STINT_SESSION_ID=0123456789ab", &tmux.Marked{Pane: tmux.Pane{PID: 1 << 30}}, nil)
		require.NoError(t, err)
	}
	require.Less(t, held(), was+times)
}
