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

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/shell"
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

	Way        string `json:"-"` // to save it
	Checkpoint bool   `json:"-"` // it is saved by a checkpoint of the session, too
}

func (l Loss) String() string { return fmt.Sprintf("%s (%s)", l.Kind, Some(l.Items)) }

// Some names the first of the items, and counts the others.
func Some(items []string) string {
	const most = 3
	first := items[:min(most, len(items))]
	quoted := make([]string, len(first))
	for i, item := range first {
		quoted[i] = fmt.Sprintf("%q", item)
	}
	text := strings.Join(quoted, ", ")
	if more := len(items) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// UnsavedError is the refusal to remove work that is nowhere else.
type UnsavedError struct {
	ID     string
	Losses []Loss
	Given  []Kind // that may be given up
	Ended  bool   // its program was ended already
}

func (e *UnsavedError) Error() string {
	parts, missing := make([]string, len(e.Losses)), make([]Kind, len(e.Losses))
	for i, l := range e.Losses {
		parts[i], missing[i] = l.String(), l.Kind
	}
	var kinds []string
	for _, k := range Kinds() {
		if slices.Contains(e.Given, k) || slices.Contains(missing, k) {
			kinds = append(kinds, string(k))
		}
	}
	what := fmt.Sprintf("session %q: its workspace holds what is nowhere else", e.ID)
	if e.Ended {
		what = fmt.Sprintf("session %q: its program was ended and it stays closing, since its workspace now holds what is nowhere else", e.ID)
	}
	return fmt.Sprintf("%s: %s; %s, or give it up with --discard=%s",
		what, strings.Join(parts, ", "), e.ways(), strings.Join(kinds, ","))
}

// ways says how to save each loss, and names its kind where there are others
// that are saved otherwise.
func (e *UnsavedError) ways() string {
	var all []string
	kinds := make(map[string][]string)
	for _, l := range e.Losses {
		way := l.Way
		if l.Checkpoint {
			way = "save it with stint session checkpoint " + e.ID + ", " + way
		}
		if kinds[way] == nil {
			all = append(all, way)
		}
		kinds[way] = append(kinds[way], string(l.Kind))
	}
	if len(all) == 1 {
		return all[0]
	}
	for i, way := range all {
		all[i] = strings.Join(kinds[way], ", ") + ": " + way
	}
	return strings.Join(all, "; ")
}

// way is how to save work of a kind. A checkpoint is one, too, unless there is a
// cause why no artifact can be made of the work.
func way(k Kind, w *workspace, cause error) (text string, checkpoint bool) {
	switch {
	case k == Commits:
		return "give each commit a branch by git branch NAME COMMIT", false
	case k != Changes && k != Untracked:
		return "move it away", false
	case w.branch == "":
		return "commit it there and give the commit a branch", false
	case cause == nil:
		return "commit it", true
	}
	return fmt.Sprintf("commit it (no checkpoint can hold it: %s)", document.Reason(cause)), false
}

// losses lists what would be lost if the workspace w were removed now.
func (r *Runner) losses(ctx context.Context, w *workspace) ([]Loss, error) {
	var all []Loss
	beside, err := r.beside(w)
	if err != nil {
		return nil, err
	}
	u, cause, err := r.unsaved(ctx, w)
	if err != nil {
		return nil, err
	}
	add := func(k Kind, items []string) {
		if len(items) > 0 {
			text, checkpoint := way(k, w, cause)
			all = append(all, Loss{k, items, text, checkpoint})
		}
	}
	add(Changes, u.Changes)
	if len(u.Changes) > 0 && len(u.Overlooked) > 0 {
		all[0].Way += fmt.Sprintf(" (%s after git update-index --no-assume-unchanged FILE or --no-skip-worktree FILE)", Some(u.Overlooked))
	}
	add(Untracked, u.Untracked)
	add(Ignored, u.Ignored)
	add(Commits, append(u.Commits, u.Left...))
	add(Submodules, u.Submodules)
	add(Run, beside)
	return all, nil
}

// unsaved is what only the worktree of w holds, and what only git's record of
// it does where it is gone. The cause is why no artifact can be made of the files.
func (r *Runner) unsaved(ctx context.Context, w *workspace) (u *git.Unsaved, cause, err error) {
	at, err := r.listed(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	there, err := r.look(ctx, w, at)
	if err != nil {
		return nil, nil, err
	}
	if !there {
		left, err := r.Project.Tree.Orphans(ctx, at)
		return &git.Unsaved{Left: left}, nil, err
	}
	if u, err = r.tree(w).Unsaved(ctx, r.Project.Tree); err != nil {
		return nil, nil, err
	}
	cause, err = r.forgetSaved(ctx, w, u)
	return u, cause, err
}

// look tells whether there is a worktree to be looked at, and refuses a folder
// in its place of which git cannot say what would be lost.
func (r *Runner) look(ctx context.Context, w *workspace, at git.Worktree) (bool, error) {
	inside, err := os.ReadDir(w.paths.Worktree)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(inside) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if halfMade(w, at) {
		return false, nil
	}
	if err := r.Project.Tree.Linked(ctx, w.paths.Worktree); err != nil {
		return false, fmt.Errorf("%s %q: %w: what is in there cannot be judged; move it away and %s", w.whose, w.id, err, w.again)
	}
	if at.Locked {
		return false, fmt.Errorf("%s %q: its worktree is locked: run git worktree unlock %s first", w.whose, w.id, shell.Word(w.paths.Worktree))
	}
	return true, nil
}

// forgetSaved takes out of u what an artifact of its owner holds, to the
// byte, as the worktree is now. The cause is why none can be made of it: it is in
// none then.
func (r *Runner) forgetSaved(ctx context.Context, w *workspace, u *git.Unsaved) (cause, err error) {
	if len(u.Changes)+len(u.Untracked)+len(u.Commits) == 0 {
		return nil, nil
	}
	work, cause := artifact.Take(ctx, r.tree(w), w.base)
	switch {
	case errors.Is(cause, git.ErrRepository):
		return cause, r.forgetBeside(ctx, w, u)
	case cause != nil:
		return cause, nil
	}
	held, err := r.Runs.Holds(w.own, w.base, work)
	if held {
		u.Changes, u.Untracked, u.Commits = nil, nil, nil
	}
	return nil, err
}

// forgetBeside is forgetSaved for what is beside repositories inside of the
// worktree, which are a loss of their own.
func (r *Runner) forgetBeside(ctx context.Context, w *workspace, u *git.Unsaved) error {
	work, left, err := artifact.TakeWithout(ctx, r.tree(w), w.base)
	// One that is not there is only in the index, or in a commit.
	absent := slices.ContainsFunc(left, func(dir string) bool { return !slices.Contains(u.Submodules, dir) })
	switch {
	case absent:
		return nil
	case errors.Is(err, artifact.ErrNothing):
		u.Changes, u.Untracked = nil, nil
		return nil
	case err != nil:
		return nil // It is in none, and of the work as a whole that is told.
	}
	held, err := r.Runs.Holds(w.own, w.base, work)
	if held {
		u.Changes, u.Untracked, u.Commits = nil, nil, nil
	}
	return err
}

// beside lists the files of the workspace outside of its worktree.
func (r *Runner) beside(w *workspace) ([]string, error) {
	var all []string
	err := filepath.WalkDir(w.paths.WorkspaceRoot, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case name == w.paths.Worktree && e.IsDir():
			return fs.SkipDir
		case !e.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all, err
}
