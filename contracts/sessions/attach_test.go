package sessions_test

import (
	"slices"
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/tmux"
)

// Of all panes, attach takes the one that was made for the session.
func TestAttach(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		for _, s := range script(t, f) {
			if s.State != "open" {
				continue
			}
			r, own := stint(t, f, th), made{}.pane(s.said(t, f))
			shell, other := own, own
			shell.ID, shell.Mark = "%4", ""
			other.ID, other.SessionID, other.Session, other.Mark = "%6", "$4", own.Session+"0", own.Mark+"0"
			r.Sessions.Panes = answering(th, []tmux.Marked{shell, other, own})
			attached := func(id string, readOnly bool, want ...string) {
				t.Helper()
				c, err := r.Attach(t.Context(), s.said(t, f).ID, readOnly)
				f.Equal(t, id, command(c, err), command(&runner.Command{Argv: want, Env: env(th)}, nil))
			}
			socket := th.Path("s")
			attached("r6.attach", false, "tmux", "-S", socket, "attach-session", "-t", "$3:2.%5")
			attached("r6.attach.read-only", true, "tmux", "-S", socket, "attach-session", "-t", "$3:2.%5", "-r")
			r.Env = append(env(th), "TMUX=/tmp/other,1,0")
			attached("r6.attach.from-another", false, "tmux", "-S", socket, "attach-session", "-t", "$3:2.%5")
			r.Env = append(env(th), "TMUX="+socket+",1,0")
			c, err := r.Attach(t.Context(), s.said(t, f).ID, false)
			f.Equal(t, "r6.attach.from-inside", command(c, err),
				command(&runner.Command{Argv: []string{"tmux", "-S", socket, "switch-client", "-t", "$3:2.%5"}, Env: r.Env}, nil))
		}
		if f.Scenario == "open" {
			f.Unchanged(t)
		}
	})
}

// command is what is to be run, or why nothing is.
func command(c *runner.Command, err error) []string {
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return slices.Concat(c.Argv, c.Env)
}

func TestAttachRefused(t *testing.T) {
	each(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) {
		r := stint(t, f, th)
		for _, s := range script(t, f) {
			own := made{}.pane(s.said(t, f))
			refused := func(id, want string) {
				t.Helper()
				_, err := r.Attach(t.Context(), own.Mark, false)
				f.Equal(t, id, saying(err, want), want)
			}
			r.Sessions.Panes = answering(th, []tmux.Marked{own})
			if s.State != "open" {
				refused("r6.refused.state", "it is "+s.State+", and only an open one can be attached to")
				continue
			}
			for _, c := range []struct {
				name string
				pane func(p *tmux.Marked)
				want string
			}{
				{"dead", func(p *tmux.Marked) { p.Dead = true }, "codex has ended"},
				{"elsewhere", func(p *tmux.Marked) { p.Start = th.Path("project") }, "it has no pane that was made for this session"},
				{"unmarked", func(p *tmux.Marked) { p.Mark = "" }, "it has no pane that was made for this session"},
				{"moved", func(p *tmux.Marked) { p.Session = "work" }, "it does not run on"},
			} {
				p := own
				c.pane(&p)
				r.Sessions.Panes = answering(th, []tmux.Marked{p})
				refused("r6.refused."+c.name, c.want)
			}
			r.Sessions.Panes = nobody
			refused("r6.refused.not-running", "it does not run on")
			r.Sessions.Panes = mute
			refused("r6.refused.unknown", "does not answer")
		}
		f.Unchanged(t)
	})
}
