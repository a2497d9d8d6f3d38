package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/conversation"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Checkpoint saves what the session's worktree has other than its base as a
// pending artifact. The session runs on, and its index is left alone. It works
// for whatever state left a worktree, since it is how work is saved.
func (r *Runner) Checkpoint(ctx context.Context, id string) (*manifest.Manifest, error) {
	h, err := r.Sessions.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if h.State == doc.Closed {
		return nil, fmt.Errorf("session %q: it is closed, and its worktree is gone: see stint runs list, or its branch %s", id, h.Branch)
	}
	if err := r.Project.Tree.Linked(ctx, h.Paths.Worktree); err != nil {
		return nil, fmt.Errorf("session %q: no worktree to save: %w; the branch %s has what was committed: end the session by stint session close %[1]s", id, err, h.Branch)
	}
	work, err := artifact.Take(ctx, r.tree(ofSession(h.Document)), h.Base)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", id, err)
	}
	m := manifest.Manifest{
		Head: readers.Head{ID: newID(), ProjectID: h.ProjectID}, Kind: manifest.Checkpoint, Session: h.ID,
		Conversation: h.Conversation, Harness: h.Harness,
		Root: h.Paths.Worktree, Base: h.Base, Fingerprint: h.Fingerprint, Files: work.Files,
	}
	// The conversation names the run first, so that no run is of one that does not
	// know it. What stays a name there is taken out again by RecoverRuns. One that
	// cannot be told of it keeps no work from being saved.
	var untold error
	join := func() error {
		untold = r.join(ctx, h.Conversation, m.ID)
		return nil
	}
	if _, err := r.Conversations.Get(h.Conversation); errors.Is(err, conversation.ErrNotFound) {
		m.Conversation = cmp.Or(h.Conversation, newID())
		join = func() error { return r.converse(ctx, h, m.Conversation, m.ID) }
	}
	saved, err := r.Runs.Create(ctx, m, work.Patch, join)
	if err != nil {
		return nil, fmt.Errorf("session %q: its work was not saved: %w", id, err)
	}
	if untold != nil {
		return saved, fmt.Errorf("run %q: it is saved; but it could not be noted in its conversation: %w", m.ID, untold)
	}
	return saved, nil
}

// Apply makes the files of a pending run in the main work tree.
func (r *Runner) Apply(ctx context.Context, id string) (*manifest.Manifest, error) {
	return r.Runs.Apply(ctx, r.Project.Tree, id)
}
