package runner_test

import (
	"fmt"
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// attachRefused asserts that a session is not attached to, and why.
func (d *desk) attachRefused(id string, s session, why string, words ...any) {
	d.Helper()
	d.refused(id, d.stint("session", "attach", s.ID), "session %q: %s", s.ID, fmt.Sprintf(why, words...))
}

// attachesTo asserts that attach shows a session's own pane on a terminal.
func (d *desk) attachesTo(id string, s session, args ...string) {
	d.Helper()
	over := d.attach(sandbox.Cmd{Role: "stint", Args: append([]string{"session", "attach", s.ID}, args...)})
	readOnly := map[bool]string{true: "1", false: "0"}[len(args) > 0]
	d.f.Equal(d, id, d.clients("#{session_id} #{window_id} #{pane_id} #{client_readonly}"), []string{d.pane(s).Place + " " + readOnly})
	d.tmux("detach-client", "-s", d.pane(s).session())
	d.f.Equal(d, id+".detached", over(), 0)
}

// Only an open session that runs is attached to, and only its own pane, which
// lies among others.
func TestAttach(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, whatever, func(d *desk) {
		for _, s := range d.live() {
			switch {
			case s.runs():
				d.another(s.Name + "0")
				d.tmux("split-window", "-t", d.pane(s).id(), "sleep", "1000")
				d.tmux("new-window", "-t", d.pane(s).session(), "sleep", "1000")
				d.attachesTo("r6.tmux.attach", s)
				d.tmux("last-window", "-t", d.pane(s).session())
				d.attachesTo("r6.tmux.read-only", s, "--read-only")
				d.attachRefused("r6.tmux.no-terminal", s, "standard input is no terminal to attach")
			case s.State == "open":
				d.attachRefused("r6.tmux.dead", s, "codex has ended")
			case s.State == "closed":
				d.attachRefused("r6.tmux.state", s, "it is closed, and only an open one can be attached to")
			default:
				d.attachRefused("r6.tmux.state", s, "it is %s, and only an open one can be attached to", s.State)
			}
		}
		d.f.Unchanged(d)
	})
}

// What is no pane of the session is not attached to, whatever its name is.
func TestAttachRefused(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, one, func(d *desk) {
		s := d.only()
		refused := func(id, why string) {
			d.Helper()
			d.attachRefused(id, s, "it does not run on %q: %s", s.Socket, why)
		}
		const foreign = "the tmux session of that name is another's: it has no pane that was made for this session"
		none := "no tmux session " + s.Name
		refused("r6.tmux.not-running", none)
		d.bring(s)
		p := d.pane(s)
		d.tmux("set-option", "-pu", "-t", p.id(), "@stint_session")
		refused("r6.tmux.unmarked", foreign)
		d.tmux("set-option", "-p", "-t", p.id(), "@stint_session", s.ID)
		d.tmux("rename-session", "-t", p.session(), s.Name+"0")
		refused("r6.tmux.prefix", none)
		d.another(s.Name)
		refused("r6.tmux.foreign", foreign)
		d.tmux("kill-session", "-t", "="+s.Name)
		d.tmux("kill-session", "-t", p.session())
		d.await("the end of the server", func() bool { return !d.serves() })
		d.mute(s)
		d.attachRefused("r6.tmux.unknown", s, "tmux on %q does not answer", s.Socket)
		d.f.Unchanged(d)
	})
}
