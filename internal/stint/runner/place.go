package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// socket is that of the server to open a session on: the configured one, else
// the one that tmux attach would go to.
func (r *Runner) socket(ctx context.Context) (string, error) {
	switch err := tmux.Supported(ctx); {
	case errors.Is(err, tmux.ErrMissing):
		return "", err
	case err != nil:
		return "", fmt.Errorf("tmux is needed for a session: %w", err)
	}
	socket := r.Project.Config.Tmux.Socket
	if socket == "" {
		return tmux.DefaultSocket(ctx, git.Environ(r.Env))
	}
	info, err := os.Stat(filepath.Dir(socket))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("tmux socket %q: its folder is not there: make it, or change tmux.socket in %s", socket, project.ConfigFile)
	}
	if err == nil && !info.IsDir() {
		err = errors.New("it would lie in a file")
	}
	if err != nil {
		return "", fmt.Errorf("tmux socket %q: %w: change tmux.socket in %s", socket, err, project.ConfigFile)
	}
	return socket, vacated(socket)
}

// vacated refuses a path at which there is what is no socket: tmux would remove
// it to make its own there.
func vacated(socket string) error {
	info, err := os.Stat(socket)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Lstat(socket) // A symlink that leads nowhere would go, too.
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().Type() == fs.ModeSocket:
		return nil
	case err == nil:
		return fmt.Errorf("tmux socket %q: what is there is no socket, and tmux would remove it: move it away, or change tmux.socket in %s", socket, project.ConfigFile)
	}
	return fmt.Errorf("tmux socket %q: %w: change tmux.socket in %s", socket, err, project.ConfigFile)
}

// freeName is the first of the names that no tmux session has. One that a
// session of this project has is that of a document that does not read, since
// nothing that reads is in the way by now: what it is for may be the same.
func (r *Runner) freeName(names []string, panes []tmux.Marked) (string, error) {
	taken := make(map[string]bool)
	for _, p := range panes {
		taken[p.Session] = true
		if _, err := r.state.Stat(filepath.FromSlash(doc.File(p.Mark))); slices.Contains(names, p.Session) && readers.ID(p.Mark) && err == nil {
			return "", fmt.Errorf("tmux session %q is that of session %q, whose document does not read: see stint session show %[2]s", p.Session, p.Mark)
		}
	}
	for _, name := range names {
		if !taken[name] {
			return name, nil
		}
	}
	return "", fmt.Errorf("the tmux session names %s are all taken: rename one of them by tmux rename-session, and try again", strings.Join(names, ", "))
}
