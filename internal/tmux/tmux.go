// Package tmux talks to one tmux server, addressed by its socket: it builds
// the command line, runs it within a time limit, and tells the answers apart.
//
// It knows nothing of what the sessions are for, never falls back to the
// user's own server, and acts on ids (%1, $1) rather than names, since tmux
// takes a prefix of a name for the name.
//
// It promises three kinds of answer. A nil error or a *RefusedError: the server
// answered. ErrAbsent: nobody listens on that socket now, which does not mean
// that the server is gone, since a socket can be deleted under it. Any other
// error: nothing is known, and nothing may be concluded.
package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Server is one tmux server. Socket must be set.
type Server struct {
	Program string        // the tmux to run; empty means "tmux" on PATH
	Socket  string        // absolute path, at most 107 bytes on Linux, 103 on macOS
	Config  string        // what a new server reads instead of the user's configuration; empty means /dev/null
	Env     []string      // environment of the client; nil means the caller's
	Limit   time.Duration // for one command; 0 means 10 seconds
}

// ErrAbsent says that nobody listens on the socket.
var ErrAbsent = errors.New("no tmux server listens there")

// RefusedError is the server's own answer that it did not do what was asked.
type RefusedError struct {
	Command string // the tmux command, without its arguments: they may hold secrets
	Message string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("tmux %s: %s", e.Command, e.Message)
}

// waitDelay is for a stopped server: it holds the client's streams in its
// socket's queue, so that they stay open after the client was killed. One that
// has much to do closes them late, and what has not ended may not be all.
const waitDelay = 2 * time.Second

// Argv is the whole command line that has the server do args.
func (s Server) Argv(args ...string) []string {
	program, config := s.Program, s.Config
	if program == "" {
		program = "tmux"
	}
	if config == "" {
		config = "/dev/null"
	}
	return append([]string{program, "-S", s.Socket, "-f", config}, args...)
}

// Run has the server do one command and returns what it printed.
func (s Server) Run(ctx context.Context, args ...string) (string, error) {
	limit := s.Limit
	if limit == 0 {
		limit = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	// Without -u or a locale of UTF-8, _ is printed for é.
	argv := s.Argv(append([]string{"-u"}, args...)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = s.Env
	cmd.WaitDelay = waitDelay
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("tmux %s on %q: no answer within %v: %w", args[0], s.Socket, limit, ctx.Err())
	}
	if err != nil {
		return "", s.answer(args[0], strings.TrimSpace(stderr.String()), err)
	}
	return stdout.String(), nil
}

// answer tells what a failed client means by what it said: its exit code is 1
// for everything.
func (s Server) answer(command, said string, err error) error {
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit) || exit.ExitCode() != 1:
		return fmt.Errorf("tmux %s on %q: %w: %s", command, s.Socket, err, said)
	case strings.HasPrefix(said, "no server running on "),
		strings.HasPrefix(said, "error connecting to ") && strings.HasSuffix(said, "(No such file or directory)"):
		return fmt.Errorf("tmux %s on %q: %w", command, s.Socket, ErrAbsent)
	case said == "",
		strings.HasPrefix(said, "error connecting to "),
		strings.Contains(said, "server exited"),
		strings.Contains(said, "lost server"),
		strings.Contains(said, "protocol version mismatch"):
		return fmt.Errorf("tmux %s on %q: state unknown: %q", command, s.Socket, said)
	}
	return &RefusedError{Command: command, Message: said}
}
