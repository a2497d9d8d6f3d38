// Package conversation keeps the conversations of one project: which turns an
// agent had, and by which name it knows them together.
//
// It decodes nothing itself, and knows sessions and runs only by their ids.
package conversation

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/readers/conversation"
)

// ErrNotFound is a conversation of which there is no document.
var ErrNotFound = errors.New("there is no such conversation: see stint conversations list")

// Store is the conversations of one project.
type Store struct {
	ProjectID string
	StateDir  string // the project's state folder, absolute: documents are written there
	Docs      fs.FS  // the same folder for reading
	Now       func() time.Time
}

type (
	documents = document.Store[conversation.Document, *conversation.Document]
	held      = document.Held[conversation.Document, *conversation.Document]
)

func (s *Store) documents() *documents {
	return &documents{
		ProjectID: s.ProjectID, StateDir: s.StateDir, Docs: s.Docs, Now: s.Now,
		Kind: "conversation", Folder: "conversations", Suffix: ".json", File: conversation.File,
		Lock:     func(id string) string { return path.Join("conversations", id+".lock") },
		Read:     func(id string) (*conversation.Document, error) { return conversation.Read(s.Docs, id) },
		Parse:    conversation.Parse,
		NotFound: ErrNotFound,
		Mend:     "mend it, or begin another conversation by stint run",
	}
}

// Documents reads all conversations of the project, sorted by the time of
// creation. One that does not read is skipped and stands in nobody's way.
func (s *Store) Documents() ([]*conversation.Document, []document.Skipped, error) {
	return s.documents().List()
}

// Get reads one conversation.
func (s *Store) Get(id string) (*conversation.Document, error) { return s.documents().Get(id) }

// Held is a conversation that no other process can change.
type Held struct {
	*conversation.Document
	*held
}

// Hold locks a conversation and reads its document.
func (s *Store) Hold(ctx context.Context, id string) (*Held, error) {
	return hold(s.documents().Hold(ctx, id))
}

// Create writes the first revision of a new conversation and holds it.
func (s *Store) Create(ctx context.Context, d conversation.Document) (*Held, error) {
	return hold(s.documents().Create(ctx, &d))
}

func hold(h *held, err error) (*Held, error) {
	if err != nil {
		return nil, err
	}
	return &Held{h.Doc, h}, nil
}
