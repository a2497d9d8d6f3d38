package script

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mux is the tmux of the box: the shim in its bin/.
type mux struct {
	path string
	env  []string
}

// pane is one pane of the box's server.
type pane struct {
	id      string // as in %3
	address string // SESSION:WINDOW.PANE
	current bool   // the active pane of its session's active window
}

func (p pane) session() string { return p.address[:strings.LastIndexByte(p.address, ':')] }

func newMux(bin string, env []string) mux {
	return mux{path: filepath.Join(bin, "tmux"), env: env}
}

func (m mux) there() bool {
	_, err := os.Stat(m.path)
	return err == nil
}

// run asks tmux. A stopped server would never answer, so there is a limit, and
// one on its holding our pipe as well.
func (m mux) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.path, args...)
	cmd.Env, cmd.WaitDelay = m.env, time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}

func (m mux) panes() ([]pane, error) {
	out, err := m.run("list-panes", "-a", "-F", "#{pane_id} #{window_active}#{pane_active} #{session_name}:#{window_index}.#{pane_index}")
	if err != nil {
		return nil, err
	}
	var panes []pane
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(f) != 3 || !strings.Contains(f[2], ":") {
			return nil, fmt.Errorf("tmux list-panes: %q is not a pane", line)
		}
		panes = append(panes, pane{id: f[0], current: f[1] == "11", address: f[2]})
	}
	return panes, nil
}

// find returns the one pane that target names: a session exactly (its current
// pane), SESSION:WINDOW.PANE, or %ID. tmux itself would take a prefix.
func (m mux) find(target string) (pane, error) {
	panes, err := m.panes()
	if err != nil {
		return pane{}, err
	}
	var names []string
	for _, p := range panes {
		if p.id == target || p.address == target || p.current && p.session() == target {
			return p, nil
		}
		names = append(names, p.address)
	}
	return pane{}, fmt.Errorf("tmux has no pane %q, only %q", target, names)
}

// screen returns what a pane shows, without the empty lines at its end.
func (m mux) screen(target string) (string, error) {
	p, err := m.find(target)
	if err != nil {
		return "", err
	}
	return m.capture(p)
}

func (m mux) capture(p pane) (string, error) {
	out, err := m.run("capture-pane", "-p", "-t", p.id)
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
	panes, err := m.panes()
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range panes {
		text, err := m.capture(p)
		if err != nil {
			text = err.Error() + "\n"
		}
		fmt.Fprintf(&b, "[screen of %s]\n%s", p.address, text)
	}
	return b.String()
}
