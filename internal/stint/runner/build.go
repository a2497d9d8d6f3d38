package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// undo takes back one thing that was made.
type undo func(ctx context.Context) error

// build makes what the document speaks of and leaves it open. It returns how
// to take back what it may have made, also where that failed half-way: each
// undo is noted when the thing is known not to be there, and before it is
// made.
func (r *Runner) build(ctx context.Context, h *session.Held, l *launch) (made []undo, err error) {
	tree := r.Project.Tree
	made = append(made, func(context.Context) error { return r.removeWorkspace(ofSession(h.Document)) })
	if err := document.MakeDir(h.Paths.RunRoot); err != nil {
		return made, err
	}
	if at, err := tree.Ref(ctx, "refs/heads/"+h.Branch); err != nil || at != "" {
		return made, errors.Join(err, taken("branch", h.Branch, at))
	}
	made = append(made, func(ctx context.Context) error { return r.removeUnusedBranch(ctx, h.Document) })
	if err := tree.AddBranch(ctx, h.Branch, h.Base); err != nil {
		return made, err
	}
	made = append(made, func(ctx context.Context) error { return r.removeWorktree(ctx, ofSession(h.Document)) })
	if err := r.addWorktree(ctx, ofSession(h.Document)); err != nil {
		return made, err
	}
	if err := tree.Linked(ctx, h.Paths.Worktree); err != nil {
		return made, err
	}
	made = append(made, func(ctx context.Context) error { return r.endConversation(ctx, h.Document) })
	if err := r.beginConversation(ctx, h.Document, l.provider); err != nil {
		return made, err
	}
	made = append(made, func(ctx context.Context) error {
		_, err := r.end(ctx, h.Document)
		return err
	})
	if err := r.start(ctx, h.Document, l); err != nil {
		return made, err
	}
	return made, h.Update(func(d *doc.Document) {
		d.State = doc.Open
		d.OpenedAt = readers.At(r.Now())
	})
}

func taken(what, name, at string) error {
	if at == "" {
		return nil
	}
	return fmt.Errorf("%s %q is there already, at %.12s", what, name, at)
}

// rollBack takes back what build made, the last thing first, and stops at the
// first that cannot be: a worktree stays as long as a program may run in it.
func (r *Runner) rollBack(ctx context.Context, h *session.Held, made []undo, cause error) error {
	ctx = context.WithoutCancel(ctx)
	for _, take := range slices.Backward(made) {
		if err := take(ctx); err != nil {
			err = fmt.Errorf("not opened: %w; and what was made for it could not be taken back: %w", cause, err)
			return errors.Join(fmt.Errorf("session %q: %w; run stint session close %s", h.ID, err, h.ID), r.fail(h, doc.RecoveryRequired, err))
		}
	}
	err := h.Update(func(d *doc.Document) {
		d.State, d.Failure, d.ClosedAt = doc.Closed, document.Reason(cause), readers.At(r.Now())
	})
	return errors.Join(fmt.Errorf("session %q: not opened, and nothing is left of it: %w", h.ID, cause), err)
}

// fail keeps the reason of a failure in the document.
func (r *Runner) fail(h *session.Held, state doc.State, cause error) error {
	return h.Update(func(d *doc.Document) { d.State, d.Failure = state, document.Reason(cause) })
}
