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
	Shown     bool // its window is the one that the session shows
	Dead      bool // the program has ended and remain-on-exit keeps the pane; PID is then the dead one's
	Command   string
	Path      string // current folder of the program
}

// paneFormat is separated by tabs, which tmux escapes in names, with the two
// fields of free text last.
const paneFormat = "#{pane_id}\t#{session_id}\t#{window_index}\t#{pane_index}\t#{pane_pid}\t" +
	"#{pane_active}\t#{window_active}\t#{pane_dead}\t#{session_name}\t#{pane_current_command}\t#{pane_current_path}"

// ListPanes lists the panes of all sessions.
func (s Server) ListPanes(ctx context.Context) ([]Pane, error) {
	out, err := s.Run(ctx, "list-panes", "-a", "-F", paneFormat)
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
	f := strings.SplitN(line, "\t", 11)
	if len(f) != 11 {
		return Pane{}, fmt.Errorf("%d fields in %q, want 11", len(f), line)
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
		Active: f[5] == "1", Shown: f[6] == "1", Dead: f[7] == "1", Session: f[8], Command: f[9], Path: f[10]}, nil
}

// Capture returns what a pane shows, line by line as it stands there.
func (s Server) Capture(ctx context.Context, pane string) (string, error) {
	return s.Run(ctx, "capture-pane", "-p", "-t", pane)
}

// SendKeys presses keys in a pane, each by tmux's name for it (Enter, C-c) or
// as text.
func (s Server) SendKeys(ctx context.Context, pane string, keys ...string) error {
	_, err := s.Run(ctx, append([]string{"send-keys", "-t", pane, "--"}, escapeSemicolons(keys)...)...)
	return err
}

// SendText types texts into a pane as they are, whatever names of keys they hold.
func (s Server) SendText(ctx context.Context, pane string, texts ...string) error {
	_, err := s.Run(ctx, append([]string{"send-keys", "-l", "-t", pane, "--"}, escapeSemicolons(texts)...)...)
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
