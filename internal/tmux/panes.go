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
	Active    bool   // of its window
	Shown     bool   // its window is the one that the session shows
	Dead      bool   // the program has ended and remain-on-exit keeps the pane; PID is then the dead one's
	Ended     string // how a dead one's program has, as in "exit status 3"; empty where tmux does not know it, or not yet
	TTY       string // path of its terminal
	Server    int    // process of the server, by the server's count of processes, as PID is
	Command   string
	Path      string // current folder of the program
}

// paneFormat is separated by tabs, which tmux escapes in names, with the two
// fields of free text last.
const paneFormat = "#{pane_id}\t#{session_id}\t#{window_index}\t#{pane_index}\t#{pane_pid}\t" +
	"#{pane_active}\t#{window_active}\t#{pane_dead}\t#{pane_dead_status}\t#{pane_dead_signal}\t#{pane_tty}\t#{pid}\t" +
	"#{session_name}\t#{pane_current_command}\t#{pane_current_path}"

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
	const fields = 15
	f := strings.SplitN(line, "\t", fields)
	if len(f) != fields {
		return Pane{}, fmt.Errorf("%d fields in %q, want %d", len(f), line, fields)
	}
	var n [4]int
	for i, at := range []int{2, 3, 4, 11} {
		v, err := strconv.Atoi(f[at])
		if err != nil {
			return Pane{}, fmt.Errorf("number %q in %q", f[at], line)
		}
		n[i] = v
	}
	return Pane{ID: f[0], SessionID: f[1], Window: n[0], Index: n[1], PID: n[2], Active: f[5] == "1", Shown: f[6] == "1",
		Dead: f[7] == "1", Ended: ended(f[8], f[9]), TTY: f[10], Server: n[3], Session: f[12], Command: f[13], Path: f[14]}, nil
}

// ended is how a program has, by its exit status or the signal that ended it.
// tmux tells the signal from 3.3 on, by its number or its name.
func ended(status, signal string) string {
	switch {
	case status != "":
		return "exit status " + status
	case signal != "":
		return "signal " + signal
	}
	return ""
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
