package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// removeWorktree removes the linked worktree of a session, and what git knows
// of it. It never removes a folder by itself: one that is no worktree of this
// repository is not stint's to remove.
func (r *Runner) removeWorktree(ctx context.Context, d *doc.Document) error {
	tree := r.Project.Tree
	switch _, err := os.Lstat(d.Worktree); {
	case err == nil:
		if err := tree.Linked(ctx, d.Worktree); err != nil {
			// An empty folder is what is left of a git that was ended early.
			if os.Remove(d.Worktree) != nil {
				return err
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return r.alone(ctx, func() error {
		all, err := tree.Worktrees(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all[1:], func(w git.Worktree) bool { return w.Dir == d.Worktree }) {
			return nil
		}
		return tree.RemoveWorktree(ctx, d.Worktree)
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
func (r *Runner) removeWorkspace(d *doc.Document) error {
	if _, err := os.Lstat(d.Worktree); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q is still there (%v)", d.Worktree, err)
	}
	// By the open folder of the project's state: no symlink leads out of it.
	return r.state.RemoveAll(path.Join("workspaces", d.ID))
}

// removeUnusedBranch removes the branch if nothing was ever committed to it.
func (r *Runner) removeUnusedBranch(ctx context.Context, d *doc.Document) error {
	at, err := r.Project.Tree.Ref(ctx, "refs/heads/"+d.Branch)
	if err != nil || at != d.Base {
		return err
	}
	return r.Project.Tree.DeleteBranch(ctx, d.Branch, d.Base)
}
