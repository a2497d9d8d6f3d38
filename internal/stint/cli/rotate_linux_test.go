package cli_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is awaited is asked for at pause, and fails a test after patience.
const (
	patience = time.Minute
	pause    = 5 * time.Millisecond
)

// rotation is a desk whose sessions run a stand-in agent on an env file.
type rotation struct {
	desk
	socket string
}

// agent notes how it was started, and is then a program that does nothing but
// run on the environment that it was started with.
const agent = `#!/bin/sh
echo "$@" >>"$STINT_RUN_DIR/argv"
echo started "$@"
exec sleep 1000
`

const agentConfig = `config_version = 1
[env]
file = "../secrets.env"
[tmux]
socket = %q
[harness.agent]
command = [%q]
begin = ["--begin", "{conversation}"]
resume = ["--resume", "{conversation}"]
`

func newRotation(t testing.TB, env string) rotation {
	t.Helper()
	d := rotation{desk: newDesk(t)}
	d.socket = filepath.Join(d.dir, "s")
	d.end(d.socket)
	d.script("agent", agent)
	d.config("")
	d.rotate(env)
	return d
}

// script makes a program and returns where it is.
func (d rotation) script(name, text string) string {
	d.Helper()
	file := filepath.Join(d.dir, name)
	require.NoError(d, os.WriteFile(file, []byte(text), 0o755))
	return file
}

// config is the usual configuration and more.
func (d rotation) config(more string) {
	d.Helper()
	text := fmt.Sprintf(agentConfig, d.socket, filepath.Join(d.dir, "agent")) + more
	require.NoError(d, os.WriteFile("stint.toml", []byte(text), 0o600))
}

// rotate writes the env file.
func (d rotation) rotate(text string) {
	d.Helper()
	require.NoError(d, os.WriteFile(filepath.Join(d.dir, "secrets.env"), []byte(text), 0o600))
}

var opened = regexp.MustCompile(`opened session (\w+):`)

// open opens a session and waits for its program to be sleep, which it is in
// the end, or another one.
func (d rotation) open(program string, args ...string) (id string) {
	d.Helper()
	out, _ := d.stint(0, append([]string{"session", "open", "--no-attach"}, args...)...)
	id = opened.FindStringSubmatch(out)[1]
	d.await(id, program)
	return id
}

// await waits until the program of a session is the one of that name.
func (d rotation) await(id, program string) {
	d.Helper()
	require.Eventually(d, func() bool {
		proc := fmt.Sprintf("/proc/%d/", d.pane(id).pid)
		comm, _ := os.ReadFile(proc + "comm")
		environ, _ := os.ReadFile(proc + "environ") // empty in the middle of an exec
		return strings.TrimSpace(string(comm)) == program && len(environ) > 0
	}, patience, pause, program)
}

// pane is that of a session.
type pane struct {
	place string // its ids
	pid   int
	dead  bool
}

func (d rotation) pane(id string) pane {
	d.Helper()
	for line := range strings.Lines(d.tmux("list-panes", "-a", "-F", "#{@stint_session} #{pane_dead} #{pane_pid} #{session_id} #{window_id} #{pane_id}")) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(f) == 4 && f[0] == id {
			pid, err := strconv.Atoi(f[2])
			require.NoError(d, err)
			return pane{f[3], pid, f[1] == "1"}
		}
	}
	require.Fail(d, "no pane", "of session %s", id)
	return pane{}
}

func (d rotation) tmux(args ...string) string {
	d.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", d.socket}, args...)...)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	require.NoError(d, err, "tmux %s: %s", args, out)
	return string(out)
}

// has is what the agent of a session was started with, of these names, when it
// has become sleep.
func (d rotation) has(id string, names ...string) map[string]string {
	d.Helper()
	d.await(id, "sleep")
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", d.pane(id).pid))
	require.NoError(d, err)
	all := make(map[string]string)
	for entry := range strings.SplitSeq(string(b), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		all[name] = value
	}
	maps.DeleteFunc(all, func(name, _ string) bool { return !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") })
	return all
}

// argv is how often and by what the agent of a session was started, when it has
// become sleep.
func (d rotation) argv(id string) string {
	d.Helper()
	d.await(id, "sleep")
	files, err := filepath.Glob(filepath.Join(d.dir, ".local/state/stint/projects/*/workspaces", id, "run/argv"))
	require.NoError(d, err)
	require.Len(d, files, 1)
	b, err := os.ReadFile(files[0])
	require.NoError(d, err)
	return string(b)
}

// ended waits until a process is no more.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	after := string(stat[strings.LastIndexByte(string(stat), ')')+1:])
	return strings.HasPrefix(after, " Z")
}

// rows are those that restart printed, by what they are of: outcome and reason.
func rows(out string) map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "restarting ") {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = strings.Join(strings.Fields(rest), " ")
	}
	return all
}
