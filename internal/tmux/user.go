package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

var unreached = regexp.MustCompile(`(?:no server running on|error connecting to) (/.*?)(?: \([^()]*\))?$`)

// DefaultSocket is the socket that tmux by itself would use with the
// environment env, whether a server listens on it or not. tmux is asked and
// not second-guessed: $TMUX, TMUX_TMPDIR, symlinks and builds all have a say.
// It does not start a server for that, since one without a session is on its
// way out when the next command comes.
func DefaultSocket(ctx context.Context, env []string) (string, error) {
	s := Server{Env: env}
	out, err := s.exec(ctx, []string{"display-message", "-p", "#{socket_path}"})
	if path := strings.TrimSpace(out); err == nil && strings.HasPrefix(path, "/") {
		return path, nil
	}
	var said *saidError
	if errors.As(err, &said) {
		if m := unreached.FindStringSubmatch(said.text); m != nil {
			return m[1], nil
		}
	}
	return "", fmt.Errorf("tmux does not say which socket is its default: %w", err)
}

// NewSession is a session to make.
type NewSession struct {
	Name string   // of [A-Za-z0-9_-]
	Dir  string   // must exist: tmux takes another folder for a missing one without a word
	Env  []string // NAME=value, for every process of the session; in sight of ps while tmux is called
	// Option and Value are set on the pane, see ListMarked.
	Option, Value string
	// Argv is what runs in the pane. It must exist, too.
	Argv []string
}

// NewSession makes a detached session whose pane stays when its program has
// ended. A server that has to be started for it reads the user's own
// configuration, since it is the user's from then on.
func (s Server) NewSession(ctx context.Context, n NewSession) error {
	args := []string{"-S", s.Socket, "new-session", "-d", "-s", n.Name, "-c", n.Dir, "-x", "200", "-y", "50"}
	for _, e := range n.Env {
		args = append(args, "-e", e)
	}
	// With a single argument tmux would have a shell take it apart.
	args = append(args, "/bin/sh", "-c", `exec "$@"`, "sh")
	args = append(args, escapeSemicolons(n.Argv)...)
	// In the same call: without remain-on-exit a program that ends at once
	// takes the session along.
	exact := "=" + n.Name + ":"
	args = append(args, ";", "set-option", "-w", "-t", exact, "remain-on-exit", "on",
		";", "set-option", "-p", "-t", exact, n.Option, n.Value)
	_, err := s.exec(ctx, args)
	return err
}

// saidError is what a failed tmux said.
type saidError struct {
	text string
	err  error
}

func (e *saidError) Error() string { return fmt.Sprintf("%v: %s", e.err, e.text) }
func (e *saidError) Unwrap() error { return e.err }

// exec runs tmux with no other arguments than these, where Run would choose
// socket and configuration.
func (s Server) exec(ctx context.Context, args []string) (string, error) {
	limit := s.Limit
	if limit == 0 {
		limit = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	program := s.Program
	if program == "" {
		program = "tmux"
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = s.Env
	cmd.WaitDelay = waitDelay
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("no answer within %v: %w", limit, ctx.Err())
	}
	if err != nil {
		return "", &saidError{strings.TrimSpace(stderr.String()), err}
	}
	return stdout.String(), nil
}
