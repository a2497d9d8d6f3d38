package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Pane is one pane of the server, in whatever session and window.
type Pane struct {
	ID        string // %N
	Session   string // its name
	SessionID string // $N
	Window    int
	Index     int
	PID       int
	Active    bool // of its window
	Dead      bool // the program has ended and remain-on-exit keeps the pane; PID is then the dead one's
	Command   string
	Path      string // current folder of the program
}

// paneFormat is separated by tabs, which tmux escapes in names, with the two
// fields of free text last.
const paneFormat = "#{pane_id}\t#{session_id}\t#{window_index}\t#{pane_index}\t#{pane_pid}\t" +
	"#{pane_active}\t#{pane_dead}\t#{session_name}\t#{pane_current_command}\t#{pane_current_path}"

// ListPanes lists the panes of all sessions.
func (s Server) ListPanes(ctx context.Context) ([]Pane, error) {
	out, err := s.Run(ctx, "-u", "list-panes", "-a", "-F", paneFormat)
	if err != nil {
		return nil, err
	}
	var panes []Pane
	for line := range strings.Lines(out) {
		p, err := parsePane(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("tmux list-panes on %q: %w", s.Socket, err)
		}
		panes = append(panes, p)
	}
	return panes, nil
}

func parsePane(line string) (Pane, error) {
	f := strings.SplitN(line, "\t", 10)
	if len(f) != 10 {
		return Pane{}, fmt.Errorf("%d fields in %q, want 10", len(f), line)
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(f[2+i])
		if err != nil {
			return Pane{}, fmt.Errorf("number %q in %q", f[2+i], line)
		}
		n[i] = v
	}
	return Pane{ID: f[0], SessionID: f[1], Window: n[0], Index: n[1], PID: n[2],
		Active: f[5] == "1", Dead: f[6] == "1", Session: f[7], Command: f[8], Path: f[9]}, nil
}

// HasSession tells whether there is a session of exactly that name.
func (s Server) HasSession(ctx context.Context, name string) (bool, error) {
	panes, err := s.ListPanes(ctx)
	if err != nil {
		return false, err
	}
	for _, p := range panes {
		if p.Session == name {
			return true, nil
		}
	}
	return false, nil
}

// Capture returns what a pane shows, lines wrapped by its width joined again.
func (s Server) Capture(ctx context.Context, pane string) (string, error) {
	return s.Run(ctx, "-u", "capture-pane", "-p", "-J", "-t", pane)
}

// SendKeys presses keys in a pane, each by tmux's name for it (Enter, C-c) or
// as text.
func (s Server) SendKeys(ctx context.Context, pane string, keys ...string) error {
	_, err := s.Run(ctx, append([]string{"send-keys", "-t", pane, "--"}, escapeSemicolons(keys)...)...)
	return err
}

// SendText types text into a pane as it is, whatever names of keys it holds.
func (s Server) SendText(ctx context.Context, pane, text string) error {
	_, err := s.Run(ctx, append([]string{"send-keys", "-l", "-t", pane, "--"}, escapeSemicolons([]string{text})...)...)
	return err
}

// KillServer asks the server to end. That it was asked is all that nil means:
// the server may still run.
func (s Server) KillServer(ctx context.Context) error {
	_, err := s.Run(ctx, "kill-server")
	return err
}

// escapeSemicolons keeps a trailing semicolon from splitting the command.
func escapeSemicolons(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if strings.HasSuffix(a, ";") {
			a = strings.TrimSuffix(a, ";") + `\;`
		}
		out[i] = a
	}
	return out
}
