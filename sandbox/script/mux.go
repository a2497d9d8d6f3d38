package script

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// mux is the tmux server of the box. It is asked by the machine's tmux and not
// by the one on the box's PATH: a fault there is for the subject.
type mux struct{ server tmux.Server }

func newMux(in *sandbox.Inside, env []string) mux {
	return mux{tmux.Server{Program: in.Tmux(), Socket: in.Socket(), Env: env, Limit: 5 * time.Second}}
}

// there tells whether the box has a tmux.
func (m mux) there() bool { return m.server.Program != "" }

func address(p tmux.Pane) string { return fmt.Sprintf("%s:%d.%d", p.Session, p.Window, p.Index) }

// find returns the one pane that target names: a session exactly (its current
// pane), SESSION:WINDOW.PANE, or %ID. tmux itself would take a prefix.
func (m mux) find(target string) (tmux.Pane, error) {
	panes, err := m.server.ListPanes(context.Background())
	if err != nil {
		return tmux.Pane{}, err
	}
	i := slices.IndexFunc(panes, func(p tmux.Pane) bool {
		return p.ID == target || address(p) == target || p.Session == target && p.Shown && p.Active
	})
	if i < 0 {
		var names []string
		for _, p := range panes {
			names = append(names, address(p))
		}
		return tmux.Pane{}, fmt.Errorf("tmux has no pane %q, only %q", target, names)
	}
	return panes[i], nil
}

// screen returns what a pane shows, without the empty lines at its end.
func (m mux) screen(target string) (string, error) {
	p, err := m.find(target)
	if err != nil {
		return "", err
	}
	return m.capture(p)
}

func (m mux) capture(p tmux.Pane) (string, error) {
	out, err := m.server.Capture(context.Background(), p.ID)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(out, " \n") + "\n", nil
}

// screens shows every pane there is, for the message of a failure.
func (m mux) screens() string {
	if !m.there() {
		return ""
	}
	// With no server there is nothing to show, which is no second failure.
	panes, err := m.server.ListPanes(context.Background())
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range panes {
		text, err := m.capture(p)
		if err != nil {
			text = err.Error() + "\n"
		}
		fmt.Fprintf(&b, "[screen of %s]\n%s", address(p), text)
	}
	return b.String()
}
