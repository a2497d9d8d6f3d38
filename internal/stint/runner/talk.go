package runner

import (
	"context"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
)

// CloseConversation says that a conversation is over. One that was closed
// before is returned as it is.
func (r *Runner) CloseConversation(ctx context.Context, id string) (c *talk.Document, already bool, err error) {
	h, err := r.Conversations.Hold(ctx, id)
	if err != nil {
		return nil, false, err
	}
	defer h.Release()
	if h.State == talk.Closed {
		return h.Document, true, nil
	}
	err = h.Update(func(c *talk.Document) { c.State, c.ClosedAt = talk.Closed, readers.At(r.Now()) })
	return h.Document, false, err
}

// join adds a checkpoint to the conversation of its session.
func (r *Runner) join(ctx context.Context, conversation, run string) error {
	h, err := r.Conversations.Hold(ctx, conversation)
	if err != nil {
		return err
	}
	defer h.Release()
	return h.Update(func(c *talk.Document) { c.Runs = append(slices.Clone(c.Runs), run) })
}

// converse makes a conversation for the checkpoint of a session that has none:
// an earlier release opened it, or opening it was cut off.
func (r *Runner) converse(ctx context.Context, h *session.Held, id, run string) error {
	c, err := r.Conversations.Create(ctx, talk.Document{
		Head: readers.Head{ID: id, ProjectID: h.ProjectID}, State: talk.Open, Harness: h.Harness, Session: h.ID, Runs: []string{run},
	})
	if err != nil {
		return err
	}
	c.Release()
	return nil
}
