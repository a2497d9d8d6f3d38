package runner

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/freeze-contracts/permafrost/readers"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// beginConversation writes down the conversation of a session before its
// program is started, by the name that the program is told.
func (r *Runner) beginConversation(ctx context.Context, d *doc.Document, provider string) error {
	h, err := r.Conversations.Create(ctx, talk.Document{
		Head: readers.Head{ID: d.Conversation, ProjectID: d.ProjectID}, State: talk.Open,
		Harness: d.Harness, Session: d.ID, ProviderSession: provider, Runs: []string{},
	})
	if err != nil {
		return err
	}
	h.Release()
	return nil
}

// endConversation closes the conversation of a session that never came to be
// open. One that is not there, or does not read, is in nobody's way.
func (r *Runner) endConversation(ctx context.Context, d *doc.Document) error {
	if _, err := r.Conversations.Get(d.Conversation); err != nil {
		return nil
	}
	h, err := r.Conversations.Hold(ctx, d.Conversation)
	if err != nil {
		return err
	}
	defer h.Release()
	if h.State == talk.Closed {
		return nil
	}
	return h.Update(func(c *talk.Document) { c.State, c.ClosedAt = talk.Closed, readers.At(r.Now()) })
}

// newUUID is one of version 4 (RFC 9562), as agents name their conversations.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
