package runner

import (
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
		return nil, fmt.Errorf("session %q: no worktree to save: %w", id, err)
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
	if _, err := r.Conversations.Get(h.Conversation); errors.Is(err, conversation.ErrNotFound) {
		if m.Conversation, err = r.converse(ctx, h, m.ID); err != nil {
			return nil, err
		}
		return r.Runs.Create(ctx, m, work.Patch)
	}
	saved, err := r.Runs.Create(ctx, m, work.Patch)
	if err != nil {
		return nil, err
	}
	return saved, r.join(ctx, h.Conversation, m.ID)
}

// Apply makes the files of a pending run in the main work tree.
func (r *Runner) Apply(ctx context.Context, id string) (*manifest.Manifest, error) {
	return r.Runs.Apply(ctx, r.Project.Tree, id)
}
