// Package session keeps the session documents of one project, and asks tmux
// and git what no document can tell: whether a session lives, and whether its
// repository has moved on.
//
// It decodes nothing itself, and does nothing to what the documents speak of.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/session"
)

var (
	// ErrNotFound is a session of which there is no document.
	ErrNotFound = errors.New("there is no such session: see stint session list --all")
	// ErrRevision is a write on top of another revision than the one that was
	// read.
	ErrRevision = errors.New("the document was changed since it was read")
)

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

// Skipped is a document that nothing is done by.
type Skipped struct {
	Path string // absolute
	Err  error  // why
}

// Documents reads all documents that belong to the project, sorted by the time
// of creation. One that does not read or belongs elsewhere is skipped and
// stands in nobody's way.
func (s *Store) Documents() ([]*session.Document, []Skipped, error) {
	dirs, err := fs.ReadDir(s.Docs, "sessions")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var docs []*session.Document
	var skipped []Skipped
	for _, dir := range dirs {
		d, err := s.read(dir.Name())
		switch {
		case err == nil:
			docs = append(docs, d)
		case !errors.Is(err, ErrNotFound):
			skipped = append(skipped, Skipped{filepath.Join(s.Place.StateDir, filepath.FromSlash(session.File(dir.Name()))), err})
		}
	}
	slices.SortStableFunc(docs, func(a, b *session.Document) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	return docs, skipped, nil
}

// Get reads the document of one session.
func (s *Store) Get(id string) (*session.Document, error) {
	d, err := s.read(id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, fmt.Errorf("session %q: %w", id, err)
	case err != nil:
		return nil, fmt.Errorf("session %q: %w", id, s.refused(id, err))
	}
	return d, nil
}

// refused says of which file a document was refused, and what to do about it.
func (s *Store) refused(id string, err error) error {
	name := s.path(session.File(id))
	var newer *readers.NewerError
	var corrupt *readers.CorruptError
	switch {
	case errors.As(err, &newer):
		newer.Path = name
		return err
	case errors.As(err, &corrupt):
		corrupt.Path = name
		return fmt.Errorf("%w: mend it, or end the session by hand as the manual tells", err)
	}
	return fmt.Errorf("document %q: %w", name, err)
}

// read reads and binds. A folder without a document is that of a session that
// ended before its first document, and before anything was made for it.
func (s *Store) read(id string) (*session.Document, error) {
	if !readers.ID(id) {
		return nil, ErrNotFound
	}
	d, err := session.Read(s.Docs, id)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := fs.Lstat(s.Docs, path.Join("workspaces", id)); err == nil {
			return nil, fmt.Errorf("it is gone, and the session's workspace %q is not: end the session by hand as the manual tells", s.Place.WorkspaceRoot(id))
		}
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if err := d.Bind(s.Place); err != nil {
		err = fmt.Errorf("it belongs elsewhere: %w", err)
		if d.ProjectID == s.Place.ProjectID && d.Repository != s.Place.Repository {
			err = fmt.Errorf("%w: if the repository was moved, move it back", err)
		}
		return nil, err
	}
	return d, nil
}

// Held is a session that no other process can change.
type Held struct {
	*session.Document
	store *Store
	lock  *document.Lock
}

// Hold locks a session and reads its document.
func (s *Store) Hold(ctx context.Context, id string) (*Held, error) {
	if _, err := s.Get(id); err != nil {
		return nil, err
	}
	lock, err := document.Acquire(ctx, s.lockFile(id), document.Patience)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", id, err)
	}
	// Only what is read under the lock counts.
	d, err := s.Get(id)
	if err != nil {
		lock.Release()
		return nil, err
	}
	return &Held{Document: d, store: s, lock: lock}, nil
}

// Create writes the first revision of a new document and holds its session.
func (s *Store) Create(ctx context.Context, d session.Document) (*Held, error) {
	lock, err := document.Acquire(ctx, s.lockFile(d.ID), document.Patience)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", d.ID, err)
	}
	h := &Held{Document: &d, store: s, lock: lock}
	if _, err := fs.Lstat(s.Docs, session.File(d.ID)); err == nil {
		h.Release()
		return nil, fmt.Errorf("session %q: there is one already", d.ID)
	}
	d.Schema, d.Revision = session.Schema, 1
	d.CreatedAt = s.Now().Unix()
	d.UpdatedAt = d.CreatedAt
	if err := h.write(&d); err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// Update changes the document by one revision. It refuses to write on another
// revision than the one that was read.
func (h *Held) Update(change func(d *session.Document)) error {
	now, err := h.store.Get(h.ID)
	if err != nil {
		return err
	}
	if now.Revision != h.Revision {
		return fmt.Errorf("session %q: %w: revision %d, not %d; look at it again", h.ID, ErrRevision, now.Revision, h.Revision)
	}
	next := *h.Document
	change(&next)
	next.Revision++
	next.UpdatedAt = h.store.Now().Unix()
	if err := h.write(&next); err != nil {
		return err
	}
	*h.Document = next
	return nil
}

func (h *Held) write(d *session.Document) error {
	b, err := d.Encode()
	if err == nil {
		// What could not be read again is not written.
		_, err = session.Parse(session.File(d.ID), b)
	}
	if err == nil {
		err = document.Write(h.store.path(session.File(d.ID)), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("session %q: its document cannot be written: %w", d.ID, err)
	}
	return nil
}

// Release lets other processes at the session.
func (h *Held) Release() { h.lock.Release() }

func (s *Store) path(name string) string {
	return filepath.Join(s.Place.StateDir, filepath.FromSlash(name))
}

func (s *Store) lockFile(id string) string { return s.path(path.Join("sessions", id, "lock")) }
