package runner

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
)

// ended is how an agent ended.
type ended struct {
	exit     int
	provider string // name of the conversation, by which the agent can continue it; empty: it told none
	cut      bool   // it was ended since the caller was interrupted
}

// attend runs the agent of a turn to its end, and ends it where the caller is
// interrupted. What it prints goes to out, from two at once. The error is that
// it did not start.
func (r *Runner) attend(ctx context.Context, t *turn, w *workspace, lock *document.Lock, out io.Writer) (e ended, err error) {
	stdout := &reporter{out: out, member: t.report, found: func(name string) {
		e.provider = name
		// It is noted once more at the end: here it is for a process that
		// does not get there.
		r.Runs.Update(context.WithoutCancel(ctx), t.manifest.ID, func(m *manifest.Manifest) { m.ProviderSession = name })
	}}
	cmd := exec.Command(t.argv[0], t.argv[1:]...)
	cmd.Dir, cmd.Env = w.paths.Worktree, r.turnEnv(t, w)
	cmd.Stdout, cmd.Stderr = stdout, &reporter{out: out}
	cmd.ExtraFiles = []*os.File{lock.File()}
	cmd.WaitDelay = hangup
	lead(cmd)
	if err := cmd.Start(); err != nil {
		return e, fmt.Errorf("program %q does not start: %w", t.argv[0], err)
	}
	over := make(chan struct{})
	go func() {
		cmd.Wait() // What counts is the state of the process.
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done():
		e.cut = true
		endGroup(cmd.Process.Pid, over)
	}
	<-over
	// What it left behind would go on writing into the worktree.
	endGroup(cmd.Process.Pid, nil)
	stdout.Close()
	e.exit = status(cmd.ProcessState)
	return e, nil
}

// endGroup ends the group of processes that pid leads: by a signal first, and
// by force where that is not heeded in time. It waits for over, if there is
// one, and for the group to be gone otherwise.
func endGroup(pid int, over <-chan struct{}) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for end := time.Now().Add(hangup); time.Now().Before(end); {
			if signalGroup(pid, sig) != nil {
				return
			}
			select {
			case <-over:
				return
			case <-time.After(20 * time.Millisecond):
			}
			sig = 0
		}
	}
}

// status is an exit status as a shell tells it.
func status(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return s.ExitCode()
}

// turnEnv is the environment of an agent: the caller's, what the env file
// declares, and what stint tells it, of which the last wins.
func (r *Runner) turnEnv(t *turn, w *workspace) []string {
	own := append(r.common(w.paths),
		variable{"STINT_RUN_ID", w.id}, variable{"STINT_INSTANCE", r.Project.Config.Instance.Name},
		// The caller may be in a session, and have them of that.
		variable{"STINT_SESSION_ID", ""}, variable{"STINT_WORK_ITEM", ""}, variable{envNames, ""})
	all := slices.DeleteFunc(git.Environ(r.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(own, func(v variable) bool { return v.name == name })
	})
	all = append(all, t.file.Environ()...)
	for _, v := range own {
		if v.value != "" {
			all = append(all, v.name+"="+v.value)
		}
	}
	return all
}
