package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that ends when it is started again says why, and what is said of it
// leads from there to a session that runs.
func TestRestartWhatEnded(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	id := d.open("sleep", "agent")
	was, began := d.pane(id), d.argv(id)
	// It ends when the terminal has told where its cursor is: what is printed just
	// before the end tmux 3.3a loses now and then.
	d.script("agent", "#!/bin/sh\nstty -icanon -echo; echo I cannot: $TOKEN; printf '\\033[6n'; dd bs=1 count=1 >/dev/null 2>&1; exit 3\n")
	d.rotate("TOKEN=second\n")
	out, said := d.stint(1, "session", "restart", id)
	row := rows(out)[id]
	require.Regexp(t, `^failed its new program has ended at once( \(exit status 3\))?: `, row)
	require.Equal(t, "stint: not on what the env file declares, or not known to be: 1 session: what is printed of each says why, and what to do\n", said)
	force := "stint session restart --force " + id
	require.Contains(t, row, force+", or end the session by stint session close "+id)

	// The command that is named prints what the program said, and attach and
	// another restart name it, too.
	look := regexp.MustCompile(`: (tmux \S+ \S+ capture-pane -p -S - -t %\d+) prints its last words`).FindStringSubmatch(row)
	require.NotNil(t, look, row)
	words, err := exec.Command("sh", "-c", look[1]).Output()
	require.NoError(t, err)
	require.Regexp(t, `(?m)^I cannot: second$`, string(words))
	out, said = d.stint(0, "session", "restart", id)
	require.Regexp(t, `^skipped its program has ended( \(exit status 3\))?: `+regexp.QuoteMeta(look[1]+" prints its last words; start it again by "+force+", or end the session by stint session close "+id)+"$", rows(out)[id])
	require.Empty(t, said)
	_, said = d.stint(1, "session", "attach", id)
	require.Regexp(t, `^stint: session "`+id+`": agent has ended( \(exit status 3\))?: `+regexp.QuoteMeta(look[1]+" prints its last words; start it again by "+force+", or save its work with stint session checkpoint "+id+" and close it")+"\n$", said)

	d.script("agent", agent)
	out, _ = d.stint(0, strings.Fields(strings.TrimPrefix(force, "stint "))...)
	require.Equal(t, map[string]string{id: "restarted"}, rows(out))
	require.Equal(t, was.place, d.pane(id).place)
	require.Equal(t, map[string]string{"TOKEN": "second"}, d.has(id, "TOKEN"))
	require.Equal(t, began+strings.ReplaceAll(began, "--begin", "--resume"), d.argv(id))
}

// left opens a session whose program starts another one, ends it, and returns
// the process that it left.
func (d rotation) left(harness, program string) (id string, pid int) {
	d.Helper()
	id = d.open(program, harness)
	file := filepath.Join(filepath.Dir(d.worktree(id)), "run", "pid")
	require.Eventually(d, func() bool {
		b, err := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil && pid > 0
	}, patience, pause)
	d.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	d.kill(id)
	require.NoError(d, os.Remove(file))
	require.False(d, ended(pid))
	return id, pid
}

// What a program has left in its terminal session is ended before another one
// is started; what it has left elsewhere may be the agent itself, and is for its
// user to end. What an operator runs in the session is neither.
func TestRestartForceLeavesNothing(t *testing.T) {
	program := filepath.Join(build(t), "stint")
	d := newRotation(t, "TOKEN=first\n")
	// It has no child once its number is known: one would outlive it by a moment.
	deaf := d.script("deaf", "#!/bin/sh\ntrap '' HUP INT TERM\n[ -p \"$STINT_RUN_DIR/never\" ] || mkfifo \"$STINT_RUN_DIR/never\"\nexec >/dev/null 2>&1 <>\"$STINT_RUN_DIR/never\"\necho $$ >\"$STINT_RUN_DIR/pid\"\nread -r line\n")
	d.config(fmt.Sprintf("[harness.beside]\ncommand = [\"sh\", \"-c\", \"%[1]s & exec sleep 1000\"]\nresume = []\n[harness.wrapped]\ncommand = [\"setsid\", \"-w\", \"%[1]s\"]\nresume = []\n", deaf))

	id, pid := d.left("beside", "sleep")
	d.tmux("new-window", "-d", "-t", "=stint-"+id+":", "exec sleep 3000")
	operator := 0
	for line := range strings.Lines(d.tmux("list-panes", "-s", "-t", "=stint-"+id+":", "-F", "[#{@stint_session}] #{pane_pid}")) {
		if of, number, _ := strings.Cut(strings.TrimSpace(line), " "); of == "[]" {
			operator, _ = strconv.Atoi(number)
		}
	}
	require.Positive(t, operator)
	out, _ := d.stint(0, "session", "restart", "--force", id)
	require.Equal(t, "restarted", rows(out)[id])
	require.True(t, ended(pid), "process %d is of the old program, and runs on", pid)
	require.False(t, ended(operator), "the operator's own")

	// tmux gives what it runs for an operator, in a popup or on a key, the
	// session's environment: neither that nor this command in it is the agent.
	d.tmux("run-shell", "-b", "-t", "=stint-"+id+":", "exec sleep 4000")
	again := "cd " + filepath.Join(d.dir, "repo") + " && " + program + " session restart --force " + id + " >" + d.dir + "/said 2>&1"
	d.kill(id)
	d.tmux("run-shell", "-t", "=stint-"+id+":", again)
	said, err := os.ReadFile(filepath.Join(d.dir, "said"))
	require.NoError(t, err)
	require.Equal(t, "restarted", rows(string(said))[id], "%s", said)

	id, pid = d.left("wrapped", "setsid")
	out, _ = d.stint(1, "session", "restart", "--force", id)
	require.Equal(t, fmt.Sprintf(`failed process %d ("deaf") is of its old program, which has ended, and may be its agent: end it by kill %[1]d, and run stint session restart --force %s`, pid, id), rows(out)[id])
	require.True(t, d.pane(id).dead)
	require.False(t, ended(pid))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool { return ended(pid) }, patience, pause)
	out, _ = d.stint(0, "session", "restart", "--force", id)
	require.Equal(t, "restarted", rows(out)[id])
}

// A document that does not read is of a session of which nothing is known.
func TestRestartUnreadableDocument(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	id := d.open("sleep", "agent", "--work-item", "github:octo/repo#1")
	file := filepath.Join(d.stateDir(), "sessions", id, "session.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text[:len(text)/2], 0o600))
	d.rotate("TOKEN=second\n")
	out, said := d.stint(1, "session", "restart", "--all")
	require.Regexp(t, "^restarting 0 session.*\nunreadable: "+regexp.QuoteMeta(file)+": .*does not read", out)
	require.Equal(t, "stint: not on what the env file declares, or not known to be: the sessions of 1 document that cannot be read: what is printed of each says why, and what to do\n", said)
	out, _ = d.stint(1, "session", "restart", "--all", "--json")
	require.Contains(t, out, `"path": "`+file+`"`)
	_, said = d.stint(1, "session", "restart", "--work-item", "github:octo/repo#1")
	require.Equal(t, "stint: work item \"github:octo/repo#1\": no session is for it that is not closed, unless it is that of a document that does not read: see stint session list --all\n", said)
}
