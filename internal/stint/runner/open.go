package runner

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// OpenOptions say what session to open.
type OpenOptions struct {
	Harness  string // empty means the configured one
	Prompt   string // handed to the harness; empty for none
	WorkItem string // what it works on; empty for none
	Standing string // name of a standing session; empty for none, and with a work item
}

// Opened is a session that was opened.
type Opened struct {
	session.Entry
	Notes []string // what its user should know of how it was opened
}

// Open opens a session: a branch, a worktree of it, and the harness running
// there in a tmux session of its own. What a failure left half made is taken
// back, and the reason is kept in the document.
func (r *Runner) Open(ctx context.Context, o OpenOptions) (*Opened, error) {
	l, err := r.prepare(&o)
	if err != nil {
		return nil, err
	}
	h, err := r.reserve(ctx, o)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if undo, err := r.build(ctx, h, l); err != nil {
		return nil, r.rollBack(ctx, h, undo, err)
	}
	return &Opened{r.Sessions.Probe(ctx, h.Document), envNotes(l.file)}, nil
}

// reserve writes the first document of a session. Of two processes that open
// one for the same thing, the second finds the document of the first.
func (r *Runner) reserve(ctx context.Context, o OpenOptions) (*session.Held, error) {
	if o.WorkItem != "" || o.Standing != "" {
		lock, err := document.Acquire(ctx, filepath.Join(r.Project.StateDir, "open.lock"), document.Patience)
		if err != nil {
			return nil, err
		}
		defer lock.Release()
		if err := r.vacant(o); err != nil {
			return nil, err
		}
	}
	d, err := r.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	return r.Sessions.Create(ctx, d)
}

// vacant refuses a second session for what o is for.
func (r *Runner) vacant(o OpenOptions) error {
	docs, _, err := r.Sessions.Documents()
	if err != nil {
		return err
	}
	for _, d := range docs {
		switch {
		case d.State == doc.Closed:
		case o.Standing != "" && d.Standing == o.Standing:
			return fmt.Errorf("standing session %q: %s", o.Standing, occupied(d))
		case o.WorkItem != "" && d.WorkItem == o.WorkItem:
			return fmt.Errorf("work item %q: %s", o.WorkItem, occupied(d))
		case o.WorkItem != "" && d.WorkItem != "" && doc.Slug(d.WorkItem) == doc.Slug(o.WorkItem):
			return fmt.Errorf("work item %q: session %q is for %q, and tmux has one name for both: close that one first, by stint session close %[2]s", o.WorkItem, d.ID, d.WorkItem)
		}
	}
	return nil
}

func occupied(d *doc.Document) string {
	if d.State != doc.Open {
		return fmt.Sprintf("session %q is for it and is %s: run stint session recover %[1]s", d.ID, d.State)
	}
	return fmt.Sprintf("session %q is open for it: run stint session attach %[1]s, or close it first by stint session close %[1]s", d.ID)
}

// plan is the document of a session to be opened. It asks, and makes nothing.
func (r *Runner) plan(ctx context.Context, o OpenOptions) (doc.Document, error) {
	id, place := newID(), r.Sessions.Place
	d := doc.Document{
		Head: readers.Head{ID: id, ProjectID: r.Project.ID}, State: doc.Creating, Harness: o.Harness,
		WorkItem: o.WorkItem, Standing: o.Standing, Instance: r.Project.Config.Instance.Name, Branch: doc.Branch(id),
		Conversation: newID(),
		Paths:        doc.Paths{Repository: place.Repository, WorkspaceRoot: place.WorkspaceRoot(id), Worktree: place.Worktree(id), RunRoot: place.RunRoot(id)},
	}
	var err error
	if d.Base, err = r.base(ctx, "a session"); err != nil {
		return d, err
	}
	if d.Fingerprint, err = r.Project.NewFingerprint(ctx); err != nil {
		return d, err
	}
	if d.Tmux.Socket, err = r.socket(ctx); err != nil {
		return d, err
	}
	panes, err := r.Sessions.Panes(ctx, d.Tmux.Socket)
	if err != nil {
		return d, fmt.Errorf("tmux on %q does not answer, so nothing was opened: %w", d.Tmux.Socket, err)
	}
	d.Tmux.Session, err = r.freeName(place.TmuxNames(&d), panes)
	return d, err
}
