package runner_test

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/sandbox"
)

// bring brings to life what ran in a session when it was frozen: tmux is told
// what the release told it, by hand. Another program may take the agent's
// place.
func (d *desk) bring(s session, program ...string) {
	d.Helper()
	if s.Live == "absent" {
		return
	}
	agent := len(program) == 0
	if agent {
		program = []string{"codex"}
	}
	exact := "=" + s.Name + ":"
	args := []string{"new-session", "-d", "-s", s.Name, "-c", s.Worktree, "-x", "200", "-y", "50"}
	set, hidden := d.given(s)
	for _, v := range set {
		args = append(args, "-e", v)
	}
	script := `cd -- "$0" && exec "$@"`
	if len(hidden) > 0 {
		script = "unset " + strings.Join(hidden, " ") + "; " + script
	}
	args = append(append(args, "/bin/sh", "-c", script, s.Worktree), program...)
	args = append(args, ";", "set-option", "-w", "-t", exact, "remain-on-exit", "on", ";", "set-option", "-p", "-t", exact, "@stint_session", s.ID)
	for _, name := range hidden {
		args = append(args, ";", "set-environment", "-r", "-t", exact, name)
	}
	d.tmux(args...)
	if agent {
		d.await("the prompt of the agent", func() bool { return strings.Contains(d.screen(s), "codex>") })
	}
	if s.Live == "dead" {
		d.kill(s)
	}
}

// live brings all sessions of the fixture to life.
func (d *desk) live() []session {
	d.Helper()
	all := d.sessions()
	for _, s := range all {
		d.bring(s)
	}
	return all
}

// pane is that of a session, as tmux tells of it.
type pane struct {
	Place string // ids of session, window and pane
	PID   string
	Dead  bool
}

func (p pane) id() string { return p.Place[strings.LastIndexByte(p.Place, ' ')+1:] }

func (p pane) session() string {
	id, _, _ := strings.Cut(p.Place, " ")
	return id
}

// pane finds the one with the session's mark, wherever it is.
func (d *desk) pane(s session) pane {
	d.Helper()
	var found []pane
	for line := range strings.Lines(d.tmux("list-panes", "-a", "-F", "#{@stint_session}|#{pane_dead}|#{pane_pid}|#{session_id} #{window_id} #{pane_id}")) {
		if w := strings.Split(strings.TrimSpace(line), "|"); w[0] == s.ID {
			found = append(found, pane{w[3], w[2], w[1] == "1"})
		}
	}
	require.Len(d, found, 1, "panes of session %s", s.ID)
	return found[0]
}

// screen is what the pane of a session shows.
func (d *desk) screen(s session) string {
	d.Helper()
	return d.tmux("capture-pane", "-p", "-t", d.pane(s).id())
}

// kill ends the program of a session, and waits until tmux knows.
func (d *desk) kill(s session) {
	d.Helper()
	d.program("sh", "-c", "kill -KILL "+d.pane(s).PID)
	d.await("the end of the program", func() bool { return d.pane(s).Dead })
}

// another makes a session of tmux that is none of stint's.
func (d *desk) another(name string) {
	d.Helper()
	d.tmux("new-session", "-d", "-s", name, "-c", d.box.Project(), "sleep", "1000")
}

// attach runs a program on a terminal of its own until tmux has a client more,
// and returns how its end is awaited.
func (d *desk) attach(c sandbox.Cmd) (over func() int) {
	d.Helper()
	type end struct {
		code int
		err  error
	}
	c.Terminal = true
	had, ended := len(d.clients("")), make(chan end, 1)
	ctx := d.Context()
	go func() {
		code, err := d.box.Run(ctx, c)
		ended <- end{code, err}
	}()
	d.await("a client", func() bool { return len(d.clients("")) > had })
	return func() int {
		d.Helper()
		select {
		case e := <-ended:
			require.NoError(d, e.err)
			return e.code
		case <-time.After(patience):
			d.Fatalf("it did not end: %q", c.Args)
			return -1
		}
	}
}

// clients are those of the server, as the format says.
func (d *desk) clients(format string) []string {
	d.Helper()
	if format == "" {
		format = "#{client_pid} #{client_session}"
	}
	return strings.FieldsFunc(d.tmux("list-clients", "-F", format), func(r rune) bool { return r == '\n' })
}
