package document

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/readers"
)

// ErrRevision is a write on top of another revision than the one that was
// read.
var ErrRevision = errors.New("it was changed since it was read")

// Of is a pointer to a document of the kind T.
type Of[T any] interface {
	*T
	Header() *readers.Head
	Encode() ([]byte, error)
}

// Store is the documents of one kind in one project.
type Store[T any, D Of[T]] struct {
	ProjectID string // a document of another project is refused
	StateDir  string // the project's state folder, absolute: documents are written there
	Docs      fs.FS  // the same folder for reading
	Now       func() time.Time

	Kind     string                     // as messages name one, as in session
	Folder   string                     // in which the documents lie
	Suffix   string                     // behind an id, as the folder lists it
	File     func(id string) string     // place of a document
	Lock     func(id string) string     // place of its lock
	Read     func(id string) (D, error) // reads a document
	Parse    func(name string, b []byte) (D, error)
	NotFound error  // there is no document
	Mend     string // what to do about one that does not read
}

// Skipped is a document that nothing is done by.
type Skipped struct {
	Path string // absolute
	Err  error  // why
}

// OtherProject is what to do about a document of another project.
const OtherProject = "move it to the folder of that project, or remove it if it is there, too"

// List reads all documents, sorted by the time of creation. One that does not
// read or belongs elsewhere is skipped and stands in nobody's way.
func (s *Store[T, D]) List() ([]D, []Skipped, error) {
	entries, err := fs.ReadDir(s.Docs, s.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var docs []D
	var skipped []Skipped
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), s.Suffix)
		if !ok {
			continue
		}
		d, err := s.read(id)
		switch {
		case err == nil:
			docs = append(docs, d)
		case !errors.Is(err, s.NotFound):
			skipped = append(skipped, Skipped{s.path(s.File(id)), err})
		}
	}
	slices.SortStableFunc(docs, func(a, b D) int { return a.Header().CreatedAt.Compare(b.Header().CreatedAt.Time) })
	return docs, skipped, nil
}

func (s *Store[T, D]) read(id string) (D, error) {
	if !readers.ID(id) {
		return nil, s.NotFound
	}
	d, err := s.Read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.NotFound
	case err != nil:
		return nil, err
	}
	if of := d.Header().ProjectID; of != s.ProjectID {
		return nil, fmt.Errorf("it belongs elsewhere: %w: %s", &readers.BindingError{Field: "project_id", Got: of, Want: s.ProjectID}, OtherProject)
	}
	return d, nil
}

// Get reads one document.
func (s *Store[T, D]) Get(id string) (D, error) {
	d, err := s.read(id)
	switch {
	case errors.Is(err, s.NotFound):
		return nil, fmt.Errorf("%s %q: %w", s.Kind, id, err)
	case err != nil:
		return nil, fmt.Errorf("%s %q: %w", s.Kind, id, s.refused(id, err))
	}
	return d, nil
}

// refused says of which file a document was refused, and what to do about it.
func (s *Store[T, D]) refused(id string, err error) error {
	name := s.path(s.File(id))
	var newer *readers.NewerError
	var corrupt *readers.CorruptError
	switch {
	case errors.As(err, &newer):
		newer.Path = name
		return err
	case errors.As(err, &corrupt):
		corrupt.Path = name
		return fmt.Errorf("%w: %s", err, s.Mend)
	}
	return fmt.Errorf("document %q: %w", name, err)
}

// Held is a document that no other process can change.
type Held[T any, D Of[T]] struct {
	Doc D // as it is on disk

	store *Store[T, D]
	lock  *Lock
}

// Hold locks a document and reads it.
func (s *Store[T, D]) Hold(ctx context.Context, id string) (*Held[T, D], error) {
	if _, err := s.Get(id); err != nil {
		return nil, err
	}
	// A folder that was removed meanwhile is not made again.
	lock, err := AcquireIn(ctx, s.path(s.Lock(id)), Patience)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s %q: %w", s.Kind, id, s.NotFound)
	case err != nil:
		return nil, fmt.Errorf("%s %q: %w", s.Kind, id, err)
	}
	// Only what is read under the lock counts.
	d, err := s.Get(id)
	if err != nil {
		lock.Release()
		return nil, err
	}
	return &Held[T, D]{d, s, lock}, nil
}

// Create writes the first revision of a new document and holds it. Before that,
// and with the lock held, it does what is to be there first.
func (s *Store[T, D]) Create(ctx context.Context, d D, first ...func() error) (*Held[T, D], error) {
	id := d.Header().ID
	lock, err := Acquire(ctx, s.path(s.Lock(id)), Patience)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", s.Kind, id, err)
	}
	if err := s.create(d, first); err != nil {
		lock.Release()
		return nil, err
	}
	return &Held[T, D]{d, s, lock}, nil
}

func (s *Store[T, D]) create(d D, first []func() error) error {
	head := d.Header()
	_, err := fs.Lstat(s.Docs, s.File(head.ID))
	switch {
	case err == nil:
		return fmt.Errorf("%s %q: there is one already", s.Kind, head.ID)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %q: %w", s.Kind, head.ID, err)
	}
	for _, do := range first {
		if err := do(); err != nil {
			return err
		}
	}
	head.Revision, head.CreatedAt = 1, readers.At(s.Now())
	head.UpdatedAt = head.CreatedAt
	return s.write(d)
}

// Update changes the document, as it is on disk, by one revision. It refuses to
// write on another revision than the one that was read.
func (h *Held[T, D]) Update(change func(d D)) error {
	id := h.Doc.Header().ID
	next, err := h.store.Get(id)
	if err != nil {
		return err
	}
	if is, was := next.Header().Revision, h.Doc.Header().Revision; is != was {
		return fmt.Errorf("%s %q: %w: revision %d, not %d; look at it again", h.store.Kind, id, ErrRevision, is, was)
	}
	change(next)
	next.Header().Revision++
	next.Header().UpdatedAt = readers.At(h.store.Now())
	if err := h.store.write(next); err != nil {
		return err
	}
	*h.Doc = *next
	return nil
}

// write refuses to write what could not be read again, and leaves in d what
// will be read.
func (s *Store[T, D]) write(d D) error {
	id := d.Header().ID
	var written D
	b, err := d.Encode()
	if err == nil && len(b) > readers.MaxDocument {
		err = readers.ErrTooLarge
	}
	if err == nil {
		written, err = s.Parse(s.File(id), b)
	}
	if err == nil {
		err = Write(s.path(s.File(id)), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("%s %q: its document cannot be written: %w", s.Kind, id, err)
	}
	*d = *written
	return nil
}

// Release lets other processes at the document.
func (h *Held[T, D]) Release() { h.lock.Release() }

func (s *Store[T, D]) path(name string) string {
	return filepath.Join(s.StateDir, filepath.FromSlash(name))
}
