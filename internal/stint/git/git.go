// Package git runs the user's git on one work tree, in such a way that the
// user's configuration and the environment of the caller do not change what
// the answers mean.
//
// It knows nothing of sessions. It never prunes, and it removes nothing but a
// linked worktree.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Tree is a work tree, main or linked, and its repository.
type Tree struct {
	Dir string   // absolute path of its top
	Env []string // of the git that is run, see Environ
	// Scratch is a folder for what is needed on the way. It is the caller's
	// alone, is made anew each time and removed, so that a killed process
	// leaves at most this one. Empty means one in the system's temporary folder.
	Scratch string
	// Stage is the folder, by its path below Dir, in which Apply makes files
	// before it moves them to their places: on the same file system, and the
	// caller's alone. A killed process may leave it, for the next to clear.
	Stage string
	// Hold is an open file that is handed down to git, and to what it starts;
	// nil for none.
	Hold *os.File
}

// Error is a git command that failed.
type Error struct {
	Command string // its first words
	Dir     string
	Said    string // on standard error
	Err     error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("git %s in %q: %v", e.Command, e.Dir, e.Err)
	if said := oneLine(e.Said); said != "" {
		text += ": " + said
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

var errMissing = errors.New("git is not on PATH, and stint does nothing without it: install git 2.36 or newer")

// words is what git had to say, for a message that names folder and question
// already.
func words(err error) string {
	var failed *Error
	if errors.As(err, &failed) && failed.Said != "" {
		return "git says: " + oneLine(failed.Said)
	}
	return err.Error()
}

// located are the variables that make git work elsewhere than in its folder, or
// take a path for something else.
// A git hook or alias hands them to what it runs.
var located = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_LITERAL_PATHSPECS",
	"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS"}

// Environ is env without the variables that would have a git find another
// repository than that of its folder. Programs that call git want it as well.
func Environ(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(located, name)
	})
}

// own settings: no daemon is started by a question, and what a file is does
// not depend on the user's taste.
var own = []string{"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.safecrlf=false", "-c", "add.ignoreErrors=false",
	"-c", "diff.suppressBlankEmpty=false", "--literal-pathspecs"}

// Out runs git and returns what it printed.
func (t Tree) Out(ctx context.Context, args ...string) (string, error) {
	return t.run(ctx, nil, "", args)
}

// Do runs git for its effect.
func (t Tree) Do(ctx context.Context, args ...string) error {
	_, err := t.run(ctx, nil, "", args)
	return err
}

// Line is Out for an answer of one line.
func (t Tree) Line(ctx context.Context, args ...string) (string, error) {
	out, err := t.run(ctx, nil, "", args)
	return strings.TrimSuffix(out, "\n"), err
}

func (t Tree) run(ctx context.Context, more []string, stdin string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(own, args)...)
	cmd.Dir = t.Dir
	cmd.Env = slices.Concat(Environ(t.Env), []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C.UTF-8"}, more)
	cmd.Stdin = strings.NewReader(stdin)
	if t.Hold != nil {
		cmd.ExtraFiles = []*os.File{t.Hold}
	}
	// A hook may leave something behind that holds our streams.
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errMissing
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", &Error{Command: strings.Join(args[:min(2, len(args))], " "), Dir: t.Dir, Said: stderr.String(), Err: err}
	}
	return stdout.String(), nil
}

// answered tells an exit code from another failure: git says no by 1, and that
// it cannot by 128.
func answered(err error, code int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == code
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
