package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/session"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Command is a program to be run on the caller's terminal.
type Command struct {
	Argv []string
	Env  []string

	session string // that it shows
}

// Run runs it on a terminal, until whoever sits there leaves the session.
func (c *Command) Run(stdin io.Reader, stdout io.Writer) error {
	var said bytes.Buffer
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Env = c.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &said
	if err := cmd.Run(); err != nil {
		why := cmp.Or(strings.TrimSpace(said.String()), err.Error())
		return fmt.Errorf("session %q: it is open, and tmux did not show it here: %s; run stint session attach %s on a terminal that shows it", c.session, why, c.session)
	}
	return nil
}

// Attach returns the command that shows the session's one pane, and no other
// one that has its name, on this terminal.
func (r *Runner) Attach(ctx context.Context, id string, readOnly bool) (*Command, error) {
	d, err := r.Sessions.Get(id)
	if err != nil {
		return nil, err
	}
	switch {
	case Unsettled(d.State):
		return nil, fmt.Errorf("session %q: it is %s, and only an open one can be attached to: run stint session recover %[1]s", id, d.State)
	case d.State != doc.Open:
		return nil, fmt.Errorf("session %q: it is %s, and only an open one can be attached to: stint session show %[1]s says what was, stint runs list --session %[1]s what was saved of it", id, d.State)
	}
	pane, live, why := r.Sessions.Pane(ctx, d)
	switch live {
	case session.Unknown:
		return nil, fmt.Errorf("session %q: tmux on %q does not answer: %s", id, d.Tmux.Socket, why)
	case session.Dead:
		again := ""
		if r.Project.Config.Env.File != "" {
			again = "; start it again by " + r.again(d)
		}
		return nil, fmt.Errorf("session %q: %s has ended%s: %s prints its last words%s, or save its work with stint session checkpoint %s and close it", id, d.Harness, how(pane), lastWords(d, pane), again, id)
	case session.Absent:
		if why == "" {
			why = "no tmux session " + d.Tmux.Session
		}
		return nil, fmt.Errorf("session %q: it does not run on %q: %s; save its work with stint session checkpoint %s and close it", id, d.Tmux.Socket, why, id)
	}
	// Ids, since tmux takes a name for all that it is a beginning of.
	target := fmt.Sprintf("%s:%d.%s", pane.SessionID, pane.Window, pane.ID)
	c := r.attach(d.Tmux.Socket, target, readOnly)
	c.session = id
	return c, nil
}

// attach goes over to the session where the caller is already on its server,
// and otherwise attaches, also from inside of another server.
func (r *Runner) attach(socket, target string, readOnly bool) *Command {
	argv := []string{"tmux", "-S", socket}
	if r.within(socket) {
		argv = append(argv, "switch-client", "-t", target)
	} else {
		argv = append(argv, "attach-session", "-t", target)
	}
	if readOnly {
		argv = append(argv, "-r")
	}
	env := slices.DeleteFunc(slices.Clone(r.Env), func(kv string) bool {
		return argv[3] == "attach-session" && strings.HasPrefix(kv, "TMUX=")
	})
	return &Command{Argv: argv, Env: env}
}
