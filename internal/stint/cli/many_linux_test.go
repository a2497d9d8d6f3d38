package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/stretchr/testify/require"
)

// stateDir is the project's state folder.
func (d rotation) stateDir() string {
	d.Helper()
	dirs, err := filepath.Glob(filepath.Join(d.dir, ".local/state/stint/projects/*"))
	require.NoError(d, err)
	require.Len(d, dirs, 1)
	return dirs[0]
}

// As many variables as a file may declare are replaced by as many others, which
// hides as many names; one more is refused before anything is touched.
func TestRestartManyVariables(t *testing.T) {
	declare := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%d=%s\n", name, i, strings.Repeat("v", 100))
		}
		return b.String()
	}
	last := fmt.Sprint(env.MaxVariables - 1)
	d := newRotation(t, declare("FIRST", env.MaxVariables))
	id := d.open("sleep", "agent")
	d.rotate(declare("SECOND", env.MaxVariables))
	out, _ := d.stint(0, "session", "restart", id)
	require.Equal(t, map[string]string{id: "restarted"}, rows(out))
	require.Equal(t, map[string]string{"SECOND" + last: strings.Repeat("v", 100)}, d.has(id, "FIRST"+last, "SECOND"+last))

	was := d.pane(id)
	d.rotate(declare("THIRD", env.MaxVariables+1))
	_, said := d.stint(1, "session", "restart", id)
	require.Contains(t, said, "it declares more than 2048 variables")
	require.Equal(t, was, d.pane(id))
}

// One that is broken is in nobody's way: a document that does not read, one
// that is locked, one whose pane is gone, and one that does not end by itself.
func TestRestartOneBroken(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	d.config("[harness.deaf]\ncommand = [\"sh\", \"-c\", \"trap '' HUP TERM; while :; do sleep 0.05; done\"]\nresume = []\n")
	well, locked, absent, broken := d.open("sleep", "agent"), d.open("sleep", "agent"), d.open("sleep", "agent"), d.open("sleep", "agent")
	deaf := d.open("sh", "deaf")
	d.rotate("TOKEN=second\n")
	d.tmux("kill-session", "-t", "=stint-"+absent)
	lock, err := document.Acquire(context.Background(), filepath.Join(d.stateDir(), "sessions", locked, "lock"), time.Second)
	require.NoError(t, err)
	file := filepath.Join(d.stateDir(), "sessions", broken, "session.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text[:len(text)/2], 0o600))
	was := []pane{d.pane(locked), d.pane(broken)}

	out, said := d.stint(1, "session", "restart", "--all")
	require.Equal(t, map[string]string{
		well:          "restarted",
		locked:        fmt.Sprintf("skipped session %q: another stint is at work on it (it holds %q); try again when it is done; it still runs on other values of TOKEN", locked, filepath.Join(d.stateDir(), "sessions", locked, "lock")),
		absent:        fmt.Sprintf("skipped it does not run: there is no tmux session stint-%s on %q; save its work with stint session checkpoint %[1]s and close it", absent, d.socket),
		deaf:          "restarted",
		"unreadable:": rows(out)["unreadable:"],
	}, rows(out))
	require.Regexp(t, "^"+regexp.QuoteMeta(file)+`: "sessions/.*/session.json": does not read.*; its session was left alone: run stint session restart again when it reads$`, rows(out)["unreadable:"])
	require.Equal(t, "stint: not on what the env file declares, or not known to be: 1 session, the sessions of 1 document that cannot be read: what is printed of each says why, and what to do\n", said)
	require.Equal(t, was, []pane{d.pane(locked), d.pane(broken)})
	lock.Release()
	require.NoError(t, os.WriteFile(file, text, 0o600))
	out, _ = d.stint(0, "session", "restart", "--all")
	require.Equal(t, map[string]string{well: "fresh", locked: "restarted", broken: "restarted", deaf: "fresh", absent: rows(out)[absent]}, rows(out))
}

// Those that had no turn when the caller was interrupted are as they were, and
// those that had are whole.
func TestRestartInterrupted(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	var ids []string
	was := make(map[string]pane)
	for range 18 {
		id := d.open("sleep", "agent")
		ids, was[id] = append(ids, id), d.pane(id)
	}
	d.rotate("TOKEN=second\n")
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for end := time.Now().Add(time.Minute); !ended(was[ids[0]].pid) && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	out, _ := d.stint(1, "session", "restart", "--all")
	<-stop
	counts := make(map[string]int)
	for id, row := range rows(out) {
		counts[row]++
		if row == "restarted" {
			require.NotEqual(t, was[id], d.pane(id))
			require.Equal(t, map[string]string{"TOKEN": "second"}, d.has(id, "TOKEN"))
		} else {
			require.Equal(t, was[id], d.pane(id))
		}
	}
	require.Equal(t, map[string]int{"restarted": 16, "not-attempted interrupted before its turn: restart it again": 2}, counts)
	out, _ = d.stint(0, "session", "restart", "--all")
	require.Equal(t, 16, strings.Count(out, "  fresh\n"))
	require.Equal(t, 2, strings.Count(out, "  restarted\n"))
}

// A name that is the beginning of another's is that of no session.
func TestRestartPrefix(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	one, more := d.open("sleep", "agent", "--work-item", "github:octo/repo#1"), d.open("sleep", "agent", "--work-item", "github:octo/repo#15")
	d.rotate("TOKEN=second\n")
	was := d.pane(more)
	out, _ := d.stint(0, "session", "restart", "--work-item", "GitHub:Octo/Repo#1")
	require.Equal(t, map[string]string{"github:octo/repo#1": "restarted"}, rows(out))
	require.Equal(t, was, d.pane(more))
	d.kill(one)
	d.tmux("kill-session", "-t", "=stint-github-octo-repo-1")
	out, _ = d.stint(0, "session", "restart", "--work-item", "github:octo/repo#1")
	require.Equal(t, map[string]string{"github:octo/repo#1": fmt.Sprintf("skipped it does not run: there is no tmux session stint-github-octo-repo-1 on %q; save its work with stint session checkpoint %s and close it", d.socket, one)}, rows(out))
	require.Equal(t, was, d.pane(more))
	out, _ = d.stint(0, "session", "restart", "--work-item", "github:octo/repo#15,github:octo/repo#1")
	require.Equal(t, "restarted", rows(out)["github:octo/repo#15"])
}

// One server that does not answer is in the way of its own sessions only.
func TestRestartSilentServer(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	one := d.open("sleep", "agent")
	silent := d
	silent.socket += "-silent"
	silent.end(silent.socket)
	silent.config("")
	two := silent.open("sleep", "agent")
	d.rotate("TOKEN=second\n")
	d.script("tmux", fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *%s\\ *) echo 'server exited unexpectedly' >&2; exit 1;; esac\nPATH=%s exec tmux \"$@\"\n", silent.socket, os.Getenv("PATH")))
	t.Setenv("PATH", d.dir+":"+os.Getenv("PATH"))
	out, _ := d.stint(0, "session", "restart", "--all")
	require.Equal(t, map[string]string{
		one: "restarted",
		two: fmt.Sprintf("skipped tmux on %q does not answer, so it is not known whether it runs: tmux list-panes on %[1]q: state unknown: \"server exited unexpectedly\"", silent.socket),
	}, rows(out))
}

// The session that the command itself runs in is left alone, whatever it tells
// of itself, and the others are not.
func TestRestartFromInside(t *testing.T) {
	program := filepath.Join(build(t), "stint")
	d := newRotation(t, "TOKEN=first\n")
	inner := d.script("inner", `#!/bin/sh
while [ ! -e "$STINT_RUN_DIR/go" ]; do sleep 0.05; done
`+"$(cat \"$STINT_RUN_DIR/go\") "+program+` session restart --all >"$STINT_RUN_DIR/out" 2>&1
echo $? >"$STINT_RUN_DIR/code"
exec sleep 1000
`)
	d.config(fmt.Sprintf("[harness.inner]\ncommand = [%q]\nresume = []\n", inner))
	for i, prefix := range []string{"", "env -u TMUX -u TMUX_PANE", "env -u TMUX -u TMUX_PANE setsid -w"} {
		d.rotate(fmt.Sprintf("TOKEN=first%d\n", i))
		id, other := d.open("inner", "inner"), d.open("sleep", "agent")
		d.rotate(fmt.Sprintf("TOKEN=second%d\n", i))
		was := d.pane(id)
		run := filepath.Join(filepath.Dir(d.worktree(id)), "run")
		require.NoError(t, os.WriteFile(filepath.Join(run, "go.new"), []byte(prefix), 0o600))
		require.NoError(t, os.Rename(filepath.Join(run, "go.new"), filepath.Join(run, "go")))
		require.Eventually(t, func() bool {
			_, err := os.Stat(filepath.Join(run, "code"))
			return err == nil
		}, patience, pause)
		out, err := os.ReadFile(filepath.Join(run, "out"))
		require.NoError(t, err)
		got := rows(string(out))
		require.Equal(t, "skipped this command runs in it: restart it from outside of it; it still runs on other values of TOKEN", got[id], "%s", out)
		require.Equal(t, "restarted", got[other])
		require.Equal(t, was, d.pane(id))
		d.stint(0, "session", "close", id, "--discard")
		d.stint(0, "session", "close", other, "--discard")
	}
}
