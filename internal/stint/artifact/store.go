// Package artifact keeps the run artifacts of one project: what an agent did,
// as a patch that can be looked at, applied or discarded when the worktree is
// long gone.
//
// It decodes nothing itself, and knows a session only by its id.
package artifact

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
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

var (
	// ErrNotFound is a run of which there is no manifest.
	ErrNotFound = errors.New("there is no such run: see stint runs list")
	// ErrRevision is a write on top of another revision than the one that was
	// read.
	ErrRevision = errors.New("the manifest was changed since it was read")
)

// Store is the artifacts of one project.
type Store struct {
	ProjectID string
	StateDir  string // the project's state folder, absolute: documents are written there
	Docs      fs.FS  // the same folder for reading
	Now       func() time.Time
}

// Skipped is a manifest that nothing is done by.
type Skipped struct {
	Path string // absolute
	Err  error  // why
}

// Manifests reads all manifests of the project, sorted by the time of creation.
// One that does not read is skipped and stands in nobody's way.
func (s *Store) Manifests() ([]*artifact.Manifest, []Skipped, error) {
	dirs, err := fs.ReadDir(s.Docs, "runs")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var all []*artifact.Manifest
	var skipped []Skipped
	for _, dir := range dirs {
		m, err := s.read(dir.Name())
		switch {
		case err == nil:
			all = append(all, m)
		case !errors.Is(err, ErrNotFound):
			skipped = append(skipped, Skipped{s.path(artifact.ManifestFile(dir.Name())), err})
		}
	}
	slices.SortStableFunc(all, func(a, b *artifact.Manifest) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	return all, skipped, nil
}

// Get reads the manifest of one run.
func (s *Store) Get(id string) (*artifact.Manifest, error) {
	m, err := s.read(id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, fmt.Errorf("run %q: %w", id, err)
	case err != nil:
		return nil, fmt.Errorf("run %q: %w", id, s.refused(id, err))
	}
	return m, nil
}

// refused says of which file a manifest was refused, and what to do about it.
func (s *Store) refused(id string, err error) error {
	name := s.path(artifact.ManifestFile(id))
	var newer *readers.NewerError
	var corrupt *readers.CorruptError
	switch {
	case errors.As(err, &newer):
		newer.Path = name
		return err
	case errors.As(err, &corrupt):
		corrupt.Path = name
		return fmt.Errorf("%w: mend it, or apply the patch beside it by git apply", err)
	}
	return fmt.Errorf("manifest %q: %w", name, err)
}

// read takes a folder without a manifest for no run: the manifest is written
// last, so a process ended before there was one.
func (s *Store) read(id string) (*artifact.Manifest, error) {
	if !readers.ID(id) {
		return nil, ErrNotFound
	}
	m, err := artifact.Read(s.Docs, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNotFound
	case err != nil:
		return nil, err
	case m.ProjectID != s.ProjectID:
		return nil, fmt.Errorf("it belongs elsewhere: %w", &readers.BindingError{Field: "project_id", Got: m.ProjectID, Want: s.ProjectID})
	}
	return m, nil
}

// Patch reads the patch of a run, which is the one the manifest was written
// for, or an error.
func (s *Store) Patch(m *artifact.Manifest) ([]byte, error) {
	b, err := artifact.ReadPatch(s.Docs, m)
	if err != nil {
		return nil, fmt.Errorf("run %q: patch: %w", m.ID, err)
	}
	return b, nil
}

// Create writes a new artifact: first the patch, and then the manifest that
// speaks of it.
func (s *Store) Create(ctx context.Context, m artifact.Manifest, patch []byte) (*artifact.Manifest, error) {
	lock, err := document.Acquire(ctx, s.lockFile(m.ID), document.Patience)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	m.Schema, m.Revision, m.State = artifact.Schema, 1, artifact.Pending
	m.PatchSHA256, m.PatchSize = artifact.Sum(patch), int64(len(patch))
	m.CreatedAt = s.Now().Unix()
	m.UpdatedAt = m.CreatedAt
	if err := document.Write(s.path(artifact.PatchFile(m.ID)), patch, 0o600); err != nil {
		return nil, err
	}
	return &m, s.write(&m)
}

// Held is a run that no other process can change.
type Held struct {
	*artifact.Manifest
	store *Store
	lock  *document.Lock
}

// Hold locks a run and reads its manifest.
func (s *Store) Hold(ctx context.Context, id string) (*Held, error) {
	if _, err := s.Get(id); err != nil {
		return nil, err
	}
	lock, err := document.Acquire(ctx, s.lockFile(id), document.Patience)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", id, err)
	}
	// Only what is read under the lock counts.
	m, err := s.Get(id)
	if err != nil {
		lock.Release()
		return nil, err
	}
	return &Held{Manifest: m, store: s, lock: lock}, nil
}

// Update changes the manifest by one revision. It refuses to write on another
// revision than the one that was read.
func (h *Held) Update(change func(m *artifact.Manifest)) error {
	now, err := h.store.Get(h.ID)
	if err != nil {
		return err
	}
	if now.Revision != h.Revision {
		return fmt.Errorf("run %q: %w: revision %d, not %d; look at it again", h.ID, ErrRevision, now.Revision, h.Revision)
	}
	next := *h.Manifest
	change(&next)
	next.Revision++
	next.UpdatedAt = h.store.Now().Unix()
	if err := h.store.write(&next); err != nil {
		return err
	}
	*h.Manifest = next
	return nil
}

// Release lets other processes at the run.
func (h *Held) Release() { h.lock.Release() }

func (s *Store) write(m *artifact.Manifest) error {
	b, err := m.Encode()
	if err == nil {
		// What could not be read again is not written.
		_, err = artifact.Parse(artifact.ManifestFile(m.ID), b)
	}
	if err == nil {
		err = document.Write(s.path(artifact.ManifestFile(m.ID)), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("run %q: its manifest cannot be written: %w", m.ID, err)
	}
	return nil
}

func (s *Store) path(name string) string { return filepath.Join(s.StateDir, filepath.FromSlash(name)) }

func (s *Store) lockFile(id string) string { return s.path(path.Join("runs", id, "lock")) }
