package session

import (
	"path"
	"slices"

	"github.com/freeze-contracts/permafrost/readers"
)

// Place is where a document was found: what it has to agree with before
// anything is done by it.
type Place struct {
	ProjectID  string // of the project it was found under
	StateDir   string // that project's state folder, absolute and canonical
	Repository string // the main work tree, absolute and canonical
}

// WorkspaceRoot is the folder of session id's worktree and run root.
func (p Place) WorkspaceRoot(id string) string { return path.Join(p.StateDir, "workspaces", id) }

// Worktree is where session id's worktree is.
func (p Place) Worktree(id string) string { return path.Join(p.WorkspaceRoot(id), "worktree") }

// RunRoot is where session id's run root is.
func (p Place) RunRoot(id string) string { return path.Join(p.WorkspaceRoot(id), "run") }

// Branch is the branch of session id.
func Branch(id string) string { return "stint/" + id }

// TmuxNames are the names the tmux session of d may have: the one derived
// from what it is for, and where another project has taken that, the one with
// the beginning of the project's id behind it.
func (p Place) TmuxNames(d *Document) []string {
	name := "stint-" + d.ID
	switch {
	case d.WorkItem != "":
		name = "stint-" + Slug(d.WorkItem)
	case d.Standing != "":
		name = "stint-standing-" + d.Standing
	}
	return []string{name, name + "-" + p.ProjectID[:min(8, len(p.ProjectID))]}
}

// Bind holds the document against its place and returns the first
// [*readers.BindingError], or nil.
func (d *Document) Bind(p Place) error {
	for _, b := range []readers.BindingError{
		{Field: "project_id", Got: d.ProjectID, Want: p.ProjectID},
		{Field: "repository", Got: d.Paths.Repository, Want: p.Repository},
		{Field: "workspace_root", Got: d.Paths.WorkspaceRoot, Want: p.WorkspaceRoot(d.ID)},
		{Field: "worktree", Got: d.Paths.Worktree, Want: p.Worktree(d.ID)},
		{Field: "run_root", Got: d.Paths.RunRoot, Want: p.RunRoot(d.ID)},
		{Field: "branch", Got: d.Branch, Want: Branch(d.ID)},
	} {
		if b.Got != b.Want {
			return &b
		}
	}
	if names := p.TmuxNames(d); !slices.Contains(names, d.Tmux.Session) {
		return &readers.BindingError{Field: "tmux session", Got: d.Tmux.Session, Want: names[0]}
	}
	return nil
}
