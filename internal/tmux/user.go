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

// User is a server of the user's own, on which others run sessions, too. If it
// has to be started, it reads the user's configuration: it is the user's from
// then on.
type User struct {
	Socket string        // absolute path
	Env    []string      // environment of the client; nil means the caller's
	Limit  time.Duration // for one command; 0 means 10 seconds
}

var unreached = regexp.MustCompile(`(?:no server running on|error connecting to) (/.*?)(?: \([^()]*\))?$`)

// DefaultSocket is the socket that tmux by itself would use with the
// environment env, whether a server listens on it or not. tmux is asked and
// not second-guessed: $TMUX, TMUX_TMPDIR, symlinks and builds all have a say.
// It does not start a server for that, since one without a session is on its
// way out when the next command comes.
func DefaultSocket(ctx context.Context, env []string) (string, error) {
	out, said, err := User{Env: env}.exec(ctx, "", []string{"display-message", "-p", "#{socket_path}"})
	if path := strings.TrimSpace(out); err == nil && strings.HasPrefix(path, "/") {
		return path, nil
	}
	if m := unreached.FindStringSubmatch(said); m != nil {
		return m[1], nil
	}
	return "", fmt.Errorf("tmux does not say which socket is its default: %q: %w", said, err)
}

// Run has the server do one command and returns what it printed. Its errors
// are those of Server.Run.
func (u User) Run(ctx context.Context, args ...string) (string, error) {
	out, said, err := u.exec(ctx, "", append([]string{"-u", "-S", u.Socket}, args...))
	if err := u.failure(args[0], said, err); err != nil {
		return "", err
	}
	return out, nil
}

// failure tells what an error of exec means.
func (u User) failure(command, said string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("tmux %s on %q: no answer: %w", command, u.Socket, err)
	case errors.Is(err, exec.ErrNotFound):
		return ErrMissing
	}
	return Server{Socket: u.Socket}.answer(command, said, err)
}

// NewSession is a session to make.
type NewSession struct {
	Name    string   // of [A-Za-z0-9_-]
	Dir     string   // must exist: tmux takes another folder for a missing one without a word
	Env     []string // NAME=value, for every program of the session
	Hide    []string // names that they are not to have, whatever the server has; each of [A-Za-z0-9_]
	Options []Option // set on the pane, see ListMarked
	// Argv is what runs in the pane. It must exist, too.
	Argv []string
}

// NewSession makes a detached session whose pane stays when its program has
// ended.
func (u User) NewSession(ctx context.Context, n NewSession) error {
	session := words{"new-session", "-d", "-s", n.Name, "-c", literal(n.Dir), "-x", "200", "-y", "50"}
	for _, e := range n.Env {
		session = append(session, "-e", e)
	}
	// At once: without remain-on-exit a program that ends right away takes the
	// session along.
	exact := "=" + n.Name + ":"
	all := []words{
		append(session, program(n.Dir, n.Hide, n.Argv)...),
		{"set-option", "-w", "-t", exact, "remain-on-exit", "on"},
	}
	for _, name := range n.Hide {
		all = append(all, words{"set-environment", "-r", "-t", exact, name})
	}
	return u.batch(ctx, "new-session", []string{"start-server", ";"}, append(all, setOptions(exact, n.Options)...)...)
}

// program is how tmux is to run argv in dir, without the variables to hide.
// With a single argument it would have a shell take it apart; and where it
// cannot enter the folder it starts the program in another.
func program(dir string, hide, argv []string) words {
	script := `cd -- "$0" && exec "$@"`
	if len(hide) > 0 {
		script = "unset " + strings.Join(hide, " ") + "; " + script
	}
	return append(words{"/bin/sh", "-c", script, dir}, argv...)
}

var hashes = regexp.MustCompile(`#+\[?`)

// literal is the format that gives s. Any number of # before a [ stay as they
// are, for styles; other ones are halved.
func literal(s string) string {
	return hashes.ReplaceAllStringFunc(s, func(h string) string {
		if strings.HasSuffix(h, "[") {
			return h
		}
		return h + h
	})
}

func (u User) limit() time.Duration {
	if u.Limit == 0 {
		return 10 * time.Second
	}
	return u.Limit
}

// exec runs tmux on stdin and returns what it printed, and what it said besides.
func (u User) exec(ctx context.Context, stdin string, args []string) (out, said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, u.limit())
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", args...)
	cmd.Env = u.Env
	apart(cmd)
	cmd.WaitDelay = waitDelay
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return stdout.String(), strings.TrimSpace(stderr.String()), err
}
