package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Closed is what closing a session came to.
type Closed struct {
	session.Entry
	Already   bool   // it was closed before, and nothing was done
	Discarded []Loss // the work that was given up
}

// CloseSession ends a session in whatever state it is: its tmux session, its
// worktree and its run root. The branch stays, and so does the document. Work
// that is nowhere else stays, too, and the session with it, unless its kind is
// in discard.
func (r *Runner) CloseSession(ctx context.Context, id string, discard []Kind) (*Closed, error) {
	h, err := r.Sessions.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if h.State == doc.Closed {
		return &Closed{Entry: r.Sessions.Probe(ctx, h.Document), Already: true}, nil
	}
	return r.closeHeld(ctx, h, discard)
}

// closeHeld closes a session that is held and is not closed.
func (r *Runner) closeHeld(ctx context.Context, h *session.Held, discard []Kind) (*Closed, error) {
	given, runs, err := r.mayClose(ctx, h.Document, discard)
	if err != nil {
		return nil, err
	}
	if h.State != doc.Closing {
		if err := h.Update(func(d *doc.Document) { d.State = doc.Closing }); err != nil {
			return nil, err
		}
	}
	if given, err = r.takeDown(ctx, h.Document, discard, given, runs); err != nil {
		if kept := r.fail(h, doc.Closing, err); kept != nil {
			return nil, fmt.Errorf("%w; and the reason could not be kept: %w", err, kept)
		}
		return nil, err
	}
	err = h.Update(func(d *doc.Document) { d.State, d.Failure, d.ClosedAt = doc.Closed, "", readers.At(r.Now()) })
	return &Closed{Entry: r.Sessions.Probe(ctx, h.Document), Discarded: given}, err
}

// mayClose refuses before anything is touched. It returns what is given up, and
// whether there are panes whose programs may add to it.
func (r *Runner) mayClose(ctx context.Context, d *doc.Document, discard []Kind) (given []Loss, runs bool, err error) {
	_, panes, err := r.marked(ctx, d)
	if err != nil {
		return nil, false, fmt.Errorf("session %q: not closed: %w; try again when it does", d.ID, err)
	}
	if _, err := r.ownAll(ctx, d, panes); err != nil {
		return nil, false, fmt.Errorf("session %q: not closed: %w", d.ID, err)
	}
	if r.inside(d, panes) {
		return nil, false, fmt.Errorf("session %q: this command runs in it and would end with it: close it from another terminal", d.ID)
	}
	given, err = r.judge(ctx, d, discard)
	return given, len(panes) > 0, err
}

// judge returns the losses if all of them may be discarded.
func (r *Runner) judge(ctx context.Context, d *doc.Document, discard []Kind) ([]Loss, error) {
	losses, err := r.losses(ctx, ofSession(d))
	if err != nil {
		return nil, err
	}
	keep := slices.DeleteFunc(slices.Clone(losses), func(l Loss) bool { return slices.Contains(discard, l.Kind) })
	if len(keep) > 0 {
		return nil, &UnsavedError{ID: d.ID, Losses: keep, Given: discard}
	}
	return losses, nil
}

// takeDown removes what the session has, and returns what was given up. Where any
// program of the session ran, work is judged a second time when none does any more.
func (r *Runner) takeDown(ctx context.Context, d *doc.Document, discard []Kind, given []Loss, ran bool) ([]Loss, error) {
	ended, err := r.end(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", d.ID, err)
	}
	if ran || ended {
		given, err = r.judge(ctx, d, discard)
		var unsaved *UnsavedError
		if errors.As(err, &unsaved) {
			unsaved.Ended = true
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.removeWorktree(ctx, ofSession(d)); err != nil {
		return nil, fmt.Errorf("session %q: worktree: %w", d.ID, err)
	}
	if err := r.removeWorkspace(ofSession(d)); err != nil {
		return nil, fmt.Errorf("session %q: workspace: %w", d.ID, err)
	}
	// One that never was open has these only because it was being made.
	if d.OpenedAt.IsZero() {
		if err := r.removeUnusedBranch(ctx, d); err != nil {
			return nil, fmt.Errorf("session %q: branch: %w", d.ID, err)
		}
		if err := r.endConversation(ctx, d); err != nil {
			return nil, fmt.Errorf("session %q: %w", d.ID, err)
		}
	}
	return given, nil
}
