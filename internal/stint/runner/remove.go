package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// removeWorktree removes the linked worktree of a workspace, and what git knows
// of it. It never removes a folder by itself: one that is no worktree of this
// repository is not stint's to remove.
func (r *Runner) removeWorktree(ctx context.Context, w *workspace) error {
	tree := r.Project.Tree
	at, err := r.listed(ctx, w)
	if err != nil {
		return err
	}
	half := halfMade(w, at)
	if half {
		if err := r.state.RemoveAll(path.Join("workspaces", w.dir, "worktree")); err != nil {
			return err
		}
	}
	switch _, err := os.Lstat(w.paths.Worktree); {
	case err == nil:
		if err := tree.Linked(ctx, w.paths.Worktree); err != nil {
			// An empty folder is what is left of a git that was ended early.
			if os.Remove(w.paths.Worktree) != nil {
				return err
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if at.Dir == "" {
		return nil
	}
	return r.alone(ctx, func() error { return tree.RemoveWorktree(ctx, w.paths.Worktree, half) })
}

// halfMade tells whether git was ended while it made the worktree, in which
// nobody was at work yet.
func halfMade(w *workspace, at git.Worktree) bool {
	return !w.begun && at.Reason == git.Initializing
}

// listed is what git knows of the worktree of w, which may be nothing. It waits
// for a git that is still making it, though the stint that started it was
// killed.
func (r *Runner) listed(ctx context.Context, w *workspace) (git.Worktree, error) {
	at, err := r.entry(ctx, w)
	if err != nil || !halfMade(w, at) {
		return at, err
	}
	lock, err := r.making(ctx, w)
	if err != nil {
		return at, err
	}
	defer lock.Release()
	return r.entry(ctx, w)
}

// entry is that of the worktree of w in git's list.
func (r *Runner) entry(ctx context.Context, w *workspace) (at git.Worktree, err error) {
	err = r.alone(ctx, func() (err error) {
		at, err = r.Project.Tree.Worktree(ctx, w.paths.Worktree)
		return err
	})
	return at, err
}

// making is held by a git that makes the worktree of w.
func (r *Runner) making(ctx context.Context, w *workspace) (*document.Lock, error) {
	return document.Acquire(ctx, filepath.Join(r.Project.StateDir, filepath.FromSlash(w.folder), "making.lock"), document.Patience)
}

// addWorktree makes the worktree of w.
func (r *Runner) addWorktree(ctx context.Context, w *workspace) error {
	lock, err := r.making(ctx, w)
	if err != nil {
		return err
	}
	defer lock.Release()
	tree := r.Project.Tree
	tree.Hold = lock.File()
	return r.alone(ctx, func() error {
		if w.branch == "" {
			return tree.AddDetached(ctx, w.paths.Worktree, w.base)
		}
		return tree.AddWorktree(ctx, w.paths.Worktree, w.branch)
	})
}

// checkout is how long to wait for another session's files.
const checkout = 5 * time.Minute

// alone does what has to do with git's list of worktrees: git fails where it
// comes upon one that another git is just making or removing.
func (r *Runner) alone(ctx context.Context, do func() error) error {
	lock, err := document.Acquire(ctx, filepath.Join(r.Project.StateDir, "worktrees.lock"), checkout)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}

// removeWorkspace removes the workspace root, in which there is no worktree
// any more.
func (r *Runner) removeWorkspace(w *workspace) error {
	if _, err := os.Lstat(w.paths.Worktree); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q is still there (%v)", w.paths.Worktree, err)
	}
	// By the open folder of the project's state: no symlink leads out of it.
	return r.state.RemoveAll(path.Join("workspaces", w.dir))
}

// removeUnusedBranch removes the branch if nothing was ever committed to it.
func (r *Runner) removeUnusedBranch(ctx context.Context, d *doc.Document) error {
	at, err := r.Project.Tree.Ref(ctx, "refs/heads/"+d.Branch)
	if err != nil || at != d.Base {
		return err
	}
	return r.Project.Tree.DeleteBranch(ctx, d.Branch, d.Base)
}
