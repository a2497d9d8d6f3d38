package cli_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// attach attaches a client to a session from a terminal of a server of its own,
// and returns what tmux says of the clients.
func (d rotation) attach(id string) (clients func() string) {
	d.Helper()
	outer := d.socket + "-outer"
	d.end(outer)
	argv := []string{"-S", outer, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "env", "-u", "TMUX", "tmux", "-S", d.socket, "attach-session", "-t", strings.Fields(d.pane(id).place)[0]}
	cmd := exec.Command("tmux", argv...)
	cmd.Env = d.env
	require.NoError(d, cmd.Run())
	clients = func() string { return d.tmux("list-clients", "-F", "#{client_pid} #{client_session}") }
	require.Eventually(d, func() bool { return clients() != "" }, 20*time.Second, 10*time.Millisecond)
	return clients
}

// The whole of it: the server and the client that starts it hold the retired
// value, an operator is attached and has a window of his own, and the value is
// rotated.
func TestRestart(t *testing.T) {
	d := newRotation(t, "TOKEN=first\nKEPT=same\n")
	d.env = append(d.env, "TOKEN=first")
	d.tmux("new-session", "-d", "sleep 1000")
	id := d.open("sleep", "agent", "--work-item", "github:octo/repo#1")
	require.Equal(t, "TOKEN=first\n", d.tmux("show-environment", "-g", "TOKEN"))
	session := strings.Fields(d.pane(id).place)[0]
	d.tmux("new-window", "-t", session, "sleep 2000")
	clients := d.attach(id)
	was, client, windows := d.pane(id), clients(), d.tmux("list-windows", "-t", session, "-F", "#{window_id} #{window_active}")
	name := regexp.MustCompile(`^--begin (.*)\n$`).FindStringSubmatch(d.argv(id))[1]

	out, said := d.stint(0, "session", "restart", "--all")
	require.Equal(t, "restarting 1 session(s) against 2 declared variable(s) [KEPT, TOKEN]\ngithub:octo/repo#1  fresh\n", out)
	require.Empty(t, said)
	require.Equal(t, was, d.pane(id), "a fresh one is not touched")

	d.rotate("TOKEN=second\nKEPT=same\n")
	out, _ = d.stint(0, "session", "restart", "--all", "--dry-run")
	require.Equal(t, map[string]string{"github:octo/repo#1": "would-restart differs: TOKEN"}, rows(out))
	require.Equal(t, was, d.pane(id), "a dry run touches nothing")

	document := d.document(id)
	out, _ = d.stint(0, "session", "restart", "--all")
	require.Equal(t, "restarting 1 session(s) against 2 declared variable(s) [KEPT, TOKEN]\ngithub:octo/repo#1  restarted\n", out)
	is := d.pane(id)
	require.Equal(t, was.place, is.place)
	require.NotEqual(t, was.pid, is.pid)
	require.True(t, ended(was.pid))
	require.Equal(t, map[string]string{"TOKEN": "second", "KEPT": "same"}, d.has(id, "TOKEN", "KEPT"))
	require.Equal(t, fmt.Sprintf("--begin %s\n--resume %s\n", name, name), d.argv(id))
	require.Equal(t, client, clients())
	require.Equal(t, windows, d.tmux("list-windows", "-t", session, "-F", "#{window_id} #{window_active}"))
	require.Equal(t, document, d.document(id), "nothing is persisted")

	late := d.open("sleep", "agent", "--standing", "late")
	require.Equal(t, map[string]string{"TOKEN": "second"}, d.has(late, "TOKEN"))
	out, _ = d.stint(0, "session", "restart", "--all")
	require.Equal(t, map[string]string{"github:octo/repo#1": "fresh", late: "fresh"}, rows(out))

	out, _ = d.stint(0, "session", "restart", late, late, "--force")
	require.Equal(t, map[string]string{late: "restarted"}, rows(out))
	require.Equal(t, is, d.pane(id), "one whose name is not given is not touched")
}

// document is that of a session, as it is on disk.
func (d rotation) document(id string) string {
	d.Helper()
	out, err := exec.Command("sh", "-c", "cat "+filepath.Join(d.dir, ".local/state/stint/projects/*/sessions", id, "session.json")+"; cd "+filepath.Join(d.dir, ".local")+"; find . -type f ! -name lock ! -name argv | sort; cat state/stint/projects/*/conversations/*.json").Output()
	require.NoError(d, err)
	return string(out)
}

// Nothing is touched.
func TestRestartRefused(t *testing.T) {
	var _ = cmp.Diff
}
