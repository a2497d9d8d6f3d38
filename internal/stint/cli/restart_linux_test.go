package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	require.Eventually(d, func() bool { return clients() != "" }, patience, pause)
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

// Refused before anything is touched.
func TestRestartRefused(t *testing.T) {
	d := newRotation(t, "TOKEN=first\n")
	id := d.open("sleep", "agent", "--work-item", "github:octo/repo#1")
	was := d.pane(id)
	secrets := filepath.Join(d.dir, "secrets.env")
	path := d.env[0]
	for _, test := range []struct {
		name    string
		prepare func()
		args    []string
		code    int
		want    string
	}{
		{"no selector", nil, nil, 2, "which sessions: --all, --work-item REF or ID"},
		{"all and an id", nil, []string{"--all", id}, 2, "--all goes with no work item and no ID"},
		{"all and a work item", nil, []string{"--all", "--work-item", "github:octo/repo#1"}, 2, "--all goes with no work item and no ID"},
		{"a work item and an id", nil, []string{"--work-item", "github:octo/repo#1", id}, 2, fmt.Sprintf("--work-item: %q is no reference such as github:OWNER/REPO#15; an ID does not go with one", id)},
		{"an id that is not known", nil, []string{id, "nosuch"}, 1, `session "nosuch": there is no such session: see stint session list --all`},
		{"a work item in the place of an id", nil, []string{"GitHub:octo/repo#1"}, 1, `"GitHub:octo/repo#1": it is a work item, and no id: name it by --work-item github:octo/repo#1`},
		{"the beginning of an id", nil, []string{id[:11]}, 1, fmt.Sprintf("session %q: there is no such session: see stint session list --all", id[:11])},
		{"a work item that is not known", nil, []string{"--work-item", "github:octo/repo#1", "github:octo/repo#11"}, 1, `work item "github:octo/repo#11": no session is for it that is not closed: see stint session list --all`},
		{"the file has no usable line", func() { d.rotate("# none\nodd line\n") }, []string{"--all"}, 1, fmt.Sprintf("env file %q: it has no usable line, line 2 cannot be read: write NAME=value lines; mend that, or change env.file in stint.toml", secrets)},
		{"the file has only names of others", func() { d.rotate("PATH=/x\nTERM=y\n") }, []string{"--all"}, 1, fmt.Sprintf("env file %q: it declares only what tmux or stint sets: PATH, TERM: declare what is to be new, or change env.file in stint.toml", secrets)},
		{"the file is missing", func() { require.NoError(t, os.Remove(secrets)) }, []string{"--all"}, 1, fmt.Sprintf("env file %q: no such file; mend that, or change env.file in stint.toml", secrets)},
		{"the file is a folder", func() { require.NoError(t, os.Mkdir(secrets, 0o700)) }, []string{"--all"}, 1, fmt.Sprintf("env file %q: it is not a regular file; mend that, or change env.file in stint.toml", secrets)},
		{"no file is configured", func() { d.configure(d.socket) }, []string{"--all"}, 1, "no env file to restart sessions on: name one by env.file in stint.toml"},
		{"no configuration", func() { require.NoError(t, os.WriteFile("stint.toml", []byte("["), 0o600)) }, []string{"--all"}, 1, fmt.Sprintf("repository %q: configuration: \"stint.toml\": does not read", filepath.Join(d.dir, "repo"))},
		{"the same, and what to do", nil, []string{"--all"}, 1, ": mend that: stint doctor names the command"},
		{"tmux is too old", func() {
			require.NoError(t, os.Remove(secrets))
			d.rotate("TOKEN=second\n")
			d.config("")
			old := d.script("tmux", "#!/bin/sh\necho tmux 3.1c\n")
			t.Setenv("PATH", filepath.Dir(old)+":"+os.Getenv("PATH"))
		}, []string{"--all"}, 1, "tmux is needed to restart a session: tmux is 3.1c: 3.2 or newer is needed: update it"},
		{"tmux does not answer", func() {
			d.script("tmux", "#!/bin/sh\nif [ \"$1\" = -V ]; then echo tmux 3.3a; exit; fi\necho 'server exited unexpectedly' >&2\nexit 1\n")
		}, []string{"--all"}, 1,
			fmt.Sprintf("tmux on %q does not answer, so nothing was restarted: tmux list-panes on %[1]q: state unknown: \"server exited unexpectedly\"", d.socket)},
		{"tmux is missing", func() { t.Setenv("PATH", gitOnly(t)) }, []string{"--all"}, 1, "tmux is needed to restart a session: tmux is not on PATH, and sessions run in it: install tmux 3.2 or newer"},
	} {
		if test.prepare != nil {
			test.prepare()
		}
		out, said := d.stint(test.code, append([]string{"session", "restart"}, test.args...)...)
		require.Empty(t, out, test.name)
		require.Contains(t, said, test.want, test.name)
		require.Equal(t, 1, strings.Count(said, "\n"), said)
	}
	require.NoError(t, os.Setenv("PATH", strings.TrimPrefix(path, "PATH=")))
	require.NoError(t, os.Remove(filepath.Join(d.dir, "tmux")))
	require.Equal(t, was, d.pane(id))
	out, _ := d.stint(0, "session", "restart", "--all")
	require.Equal(t, map[string]string{"github:octo/repo#1": "restarted"}, rows(out))
}

// gitOnly is a folder of programs in which there is no tmux.
func gitOnly(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(git, filepath.Join(dir, "git")))
	return dir
}
