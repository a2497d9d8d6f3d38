package runner

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// workspace is where an agent is at work: a worktree, and a run root beside it.
type workspace struct {
	whose, id string // as in session and its id
	folder    string // of the document that speaks of it, in the project's state folder
	dir       string // its name below workspaces
	paths     doc.Paths
	base      string
	branch    string // that the worktree is of; empty: HEAD is detached at base
	begun     bool   // somebody may have been at work in it
	again     string // how to have it removed, once it can be

	own func(*artifact.Manifest) bool // tells the runs that hold work of it
}

func ofSession(d *doc.Document) *workspace {
	return &workspace{
		whose: "session", id: d.ID, folder: path.Dir(doc.File(d.ID)), dir: d.ID, paths: d.Paths, base: d.Base, branch: d.Branch,
		begun: !d.OpenedAt.IsZero(), again: "close the session again",
		own: func(m *artifact.Manifest) bool { return m.Session == d.ID },
	}
}

// ofTurn is the workspace of a turn. It is that of the conversation's first
// turn, or of its session, where that was free: some agents know a conversation
// only in the folder in which it was begun.
func (r *Runner) ofTurn(m *artifact.Manifest) (*workspace, error) {
	place, dir := r.Sessions.Place, path.Base(path.Dir(m.Root))
	if place.Worktree(dir) != m.Root || dir != m.ID && r.home(m.Conversation) != dir {
		return nil, fmt.Errorf("run %q: it belongs elsewhere: %w", m.ID, &readers.BindingError{Field: "root", Got: m.Root, Want: place.Worktree(m.ID)})
	}
	return &workspace{
		whose: "run", id: m.ID, folder: path.Dir(artifact.ManifestFile(m.ID)), dir: dir, base: m.Base, begun: began(m),
		paths: doc.Paths{Repository: place.Repository, WorkspaceRoot: place.WorkspaceRoot(dir), Worktree: place.Worktree(dir), RunRoot: place.RunRoot(dir)},
		again: "run stint runs recover " + m.ID,
		// A turn starts from the work of an earlier one.
		own: func(other *artifact.Manifest) bool {
			return other.ID == m.ID || m.Conversation != "" && other.Conversation == m.Conversation
		},
	}, nil
}

// began tells whether a manifest says that the agent of a turn may have been at
// work.
func began(m *artifact.Manifest) bool { return !m.StartedAt.IsZero() || m.Exit != nil }

// base is the commit that is checked out in the main work tree, which what
// starts from.
func (r *Runner) base(ctx context.Context, what string) (string, error) {
	head, err := r.Project.Tree.Head(ctx)
	if err == nil && head == "" {
		err = fmt.Errorf("repository %q: it has no commit yet, and %s starts from one: commit something first", r.Project.Tree.Dir, what)
	}
	return head, err
}

// home is the id whose workspace a conversation was begun in; empty: it is not
// known, or is that of a session that may be at work there.
func (r *Runner) home(conversation string) string {
	c, err := r.Conversations.Get(conversation)
	switch {
	case err != nil:
		return ""
	case c.Session != "":
		if d, err := r.Sessions.Get(c.Session); err != nil || d.State != doc.Closed {
			return ""
		}
		return c.Session
	case len(c.Runs) > 0:
		return c.Runs[0]
	}
	return ""
}

// tree is the worktree, for git. Whoever calls holds the document.
func (r *Runner) tree(w *workspace) git.Tree {
	return git.Tree{Dir: w.paths.Worktree, Env: r.Env, Scratch: filepath.Join(r.Project.StateDir, filepath.FromSlash(w.folder), "scratch")}
}
