package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Kind is a kind of work that is lost with a workspace.
type Kind string

const (
	Changes    Kind = "changes"    // tracked files that differ from the last commit
	Untracked  Kind = "untracked"  // files that git does not know
	Ignored    Kind = "ignored"    // files that git ignores
	Commits    Kind = "commits"    // commits that no branch leads to
	Submodules Kind = "submodules" // repositories inside of the worktree
	Run        Kind = "run"        // files beside the worktree, in the run root
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Changes, Untracked, Ignored, Commits, Submodules, Run} }

// Loss is work of one kind that is nowhere else: in no branch and in no
// artifact.
type Loss struct {
	Kind  Kind     `json:"kind"`
	Items []string `json:"items"` // paths, or names of commits
}

func (l Loss) String() string {
	const most = 3
	some := l.Items[:min(most, len(l.Items))]
	quoted := make([]string, len(some))
	for i, item := range some {
		quoted[i] = fmt.Sprintf("%q", item)
	}
	text := fmt.Sprintf("%s (%s", l.Kind, strings.Join(quoted, ", "))
	if more := len(l.Items) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ")"
}

// UnsavedError is the refusal to remove work that is nowhere else.
type UnsavedError struct {
	ID     string
	Losses []Loss
}

func (e *UnsavedError) Error() string {
	parts, kinds := make([]string, len(e.Losses)), make([]string, len(e.Losses))
	way := "move it away"
	for i, l := range e.Losses {
		parts[i], kinds[i] = l.String(), string(l.Kind)
		switch {
		case l.Kind == Changes || l.Kind == Untracked:
			way = "save it with stint session checkpoint " + e.ID + ", commit it"
		case l.Kind == Commits && len(e.Losses) == 1:
			way = "give each commit a branch by git branch NAME COMMIT"
		}
	}
	return fmt.Sprintf("session %q: its workspace holds what is nowhere else: %s; %s, or give it up with --discard=%s",
		e.ID, strings.Join(parts, ", "), way, strings.Join(kinds, ","))
}

// losses lists what would be lost if the workspace of d were removed now.
func (r *Runner) losses(ctx context.Context, d *doc.Document) ([]Loss, error) {
	var all []Loss
	add := func(k Kind, items []string) {
		if len(items) > 0 {
			all = append(all, Loss{k, items})
		}
	}
	beside, err := r.beside(d)
	if err != nil {
		return nil, err
	}
	u, err := r.unsaved(ctx, d)
	if err != nil {
		return nil, err
	}
	add(Changes, u.Changes)
	add(Untracked, u.Untracked)
	add(Ignored, u.Ignored)
	add(Commits, append(u.Commits, u.Left...))
	add(Submodules, u.Submodules)
	add(Run, beside)
	return all, nil
}

// unsaved is what only the worktree of d holds, and what only git's record of
// it does where it is gone.
func (r *Runner) unsaved(ctx context.Context, d *doc.Document) (*git.Unsaved, error) {
	w, err := r.listed(ctx, d)
	if err != nil {
		return nil, err
	}
	there, err := r.look(ctx, d, w)
	if err != nil {
		return nil, err
	}
	if !there {
		left, err := r.Project.Tree.Orphans(ctx, w)
		return &git.Unsaved{Left: left}, err
	}
	u, err := r.worktree(d).Unsaved(ctx, r.Project.Tree)
	if err != nil {
		return nil, err
	}
	return u, r.forgetSaved(ctx, d, u)
}

// look tells whether there is a worktree to be looked at, and refuses a folder
// in its place of which git cannot say what would be lost.
func (r *Runner) look(ctx context.Context, d *doc.Document, w git.Worktree) (bool, error) {
	inside, err := os.ReadDir(d.Worktree)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(inside) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if halfMade(d, w) {
		return false, nil
	}
	if err := r.Project.Tree.Linked(ctx, d.Worktree); err != nil {
		return false, fmt.Errorf("session %q: %w: what is in there cannot be judged; move it away and close the session again", d.ID, err)
	}
	if w.Locked {
		return false, fmt.Errorf("session %q: its worktree is locked: run git worktree unlock %q first", d.ID, d.Worktree)
	}
	return true, nil
}

// forgetSaved takes out of u what an artifact of the session holds, to the
// byte, as the worktree is now.
func (r *Runner) forgetSaved(ctx context.Context, d *doc.Document, u *git.Unsaved) error {
	if len(u.Changes)+len(u.Untracked)+len(u.Commits) == 0 {
		return nil
	}
	work, err := artifact.Take(ctx, r.worktree(d), d.Base)
	if err != nil {
		return nil // What cannot be taken into an artifact is in none.
	}
	held, err := r.Runs.Holds(d.ID, d.Base, work)
	if held {
		u.Changes, u.Untracked, u.Commits = nil, nil, nil
	}
	return err
}

// beside lists the files of the workspace outside of its worktree.
func (r *Runner) beside(d *doc.Document) ([]string, error) {
	var all []string
	err := filepath.WalkDir(d.WorkspaceRoot, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case name == d.Worktree && e.IsDir():
			return fs.SkipDir
		case !e.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all, err
}
