// Package session keeps the session documents of one project, and asks tmux
// and git what no document can tell: whether a session lives, and whether its
// repository has moved on.
//
// It decodes nothing itself, and does nothing to what the documents speak of.
package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers/session"
)

// ErrNotFound is a session of which there is no document.
var ErrNotFound = errors.New("there is no such session: see stint session list --all")

// byHand names a section of the manual.
const byHand = "end the session by hand as docs/stint.md tells under A session whose document is lost"

// Store is the session documents of one project.
type Store struct {
	Place session.Place
	// Docs is the project's state folder for reading. Documents are written
	// under Place.StateDir.
	Docs fs.FS
	Now  func() time.Time
	// Panes lists the panes of the server on a socket. No server is nil and
	// nil; an error means that nothing is known.
	Panes func(ctx context.Context, socket string) ([]tmux.Marked, error)
	// Fingerprint computes that of the repository as it is now, in a version.
	Fingerprint func(ctx context.Context, version string) (string, error)
}

type (
	documents = document.Store[session.Document, *session.Document]
	held      = document.Held[session.Document, *session.Document]
)

func (s *Store) documents() *documents {
	return &documents{
		ProjectID: s.Place.ProjectID, StateDir: s.Place.StateDir, Docs: s.Docs, Now: s.Now,
		Kind: "session", Folder: "sessions", File: session.File,
		Lock:     func(id string) string { return path.Join(path.Dir(session.File(id)), "lock") },
		Read:     s.read,
		Parse:    session.Parse,
		NotFound: ErrNotFound,
		Mend:     "mend it, or " + byHand,
	}
}

// Documents reads all documents that belong to the project, sorted by the time
// of creation. One that does not read or belongs elsewhere is skipped and
// stands in nobody's way.
func (s *Store) Documents() ([]*session.Document, []document.Skipped, error) {
	return s.documents().List()
}

// Get reads the document of one session.
func (s *Store) Get(id string) (*session.Document, error) { return s.documents().Get(id) }

// read reads and binds. A folder without a document is that of a session that
// ended before its first document, and before anything was made for it. A
// workspace without one may be a turn's.
func (s *Store) read(id string) (*session.Document, error) {
	d, err := session.Read(s.Docs, id)
	if errors.Is(err, fs.ErrNotExist) {
		_, turn := fs.Lstat(s.Docs, path.Join("runs", id))
		if _, err := fs.Lstat(s.Docs, path.Join("workspaces", id)); err == nil && turn != nil {
			return nil, fmt.Errorf("it is gone, and the session's workspace %q is not: %s", s.Place.WorkspaceRoot(id), byHand)
		}
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if err := d.Bind(s.Place); err != nil {
		return nil, s.elsewhere(d, err)
	}
	return d, nil
}

// Held is a session that no other process can change.
type Held struct {
	*session.Document
	*held
}

// Hold locks a session and reads its document.
func (s *Store) Hold(ctx context.Context, id string) (*Held, error) {
	return hold(s.documents().Hold(ctx, id))
}

// Create writes the first revision of a new document and holds its session.
func (s *Store) Create(ctx context.Context, d session.Document) (*Held, error) {
	return hold(s.documents().Create(ctx, &d))
}

func hold(h *held, err error) (*Held, error) {
	if err != nil {
		return nil, err
	}
	return &Held{h.Doc, h}, nil
}
