package cli_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// An agent that a wrapper runs in a terminal session of its own hears nothing
// of the end of the wrapper: it would go on in the conversation beside the new
// one.
func TestRestartWrapped(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	agent := d.script("deaf", "#!/bin/sh\ntrap '' HUP INT TERM\necho $$ >\"$STINT_RUN_DIR/new\"\nmv \"$STINT_RUN_DIR/new\" \"$STINT_RUN_DIR/pid\"\nwhile :; do sleep 0.05; done\n")
	d.config("[harness.wrapped]\ncommand = [\"setsid\", \"-w\", \"" + agent + "\"]\nresume = []\n")
	id := d.open("setsid", "wrapped")
	file := filepath.Join(filepath.Dir(d.worktree(id)), "run", "pid")
	inner := func() (pid int) {
		require.Eventually(t, func() bool {
			b, err := os.ReadFile(file)
			pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
			return err == nil
		}, patience, pause)
		t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
		return pid
	}
	was := inner()
	require.False(t, ended(was))
	require.NoError(t, os.Remove(file))

	d.rotate("TOKEN=second\n")
	out, _ := d.stint(0, "session", "restart", "--all")
	require.Equal(t, map[string]string{id: "restarted"}, rows(out))
	require.True(t, ended(was), "process %d is the old agent, and runs on", was)
	require.False(t, ended(inner()))
}
