// Package artifact keeps the run artifacts of one project: what an agent did,
// as a patch that can be looked at, applied or discarded when the worktree is
// long gone.
//
// It decodes nothing itself, and knows a session only by its id.
package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// ErrNotFound is a run of which there is no manifest.
var ErrNotFound = errors.New("there is no such run: see stint runs list")

// Store is the artifacts of one project.
type Store struct {
	ProjectID string
	StateDir  string // the project's state folder, absolute: documents are written there
	Docs      fs.FS  // the same folder for reading
	Now       func() time.Time
}

type (
	manifests = document.Store[artifact.Manifest, *artifact.Manifest]
	held      = document.Held[artifact.Manifest, *artifact.Manifest]
)

func (s *Store) manifests() *manifests {
	return &manifests{
		ProjectID: s.ProjectID, StateDir: s.StateDir, Docs: s.Docs, Now: s.Now,
		Kind: "run", Folder: "runs", File: artifact.ManifestFile,
		Lock: func(id string) string { return path.Join(path.Dir(artifact.ManifestFile(id)), "lock") },
		// A folder without a manifest is no run: the manifest is written last, so a
		// process ended before there was one.
		Read:     func(id string) (*artifact.Manifest, error) { return artifact.Read(s.Docs, id) },
		Parse:    artifact.Parse,
		NotFound: ErrNotFound,
		Mend:     "mend it, or apply the patch beside it by git apply",
	}
}

// Manifests reads all manifests of the project, sorted by the time of creation.
// One that does not read is skipped and stands in nobody's way.
func (s *Store) Manifests() ([]*artifact.Manifest, []document.Skipped, error) {
	return s.manifests().List()
}

// Get reads the manifest of one run.
func (s *Store) Get(id string) (*artifact.Manifest, error) { return s.manifests().Get(id) }

// Patch reads the patch of a run, which is the one the manifest was written
// for, or an error.
func (s *Store) Patch(m *artifact.Manifest) ([]byte, error) {
	b, err := artifact.ReadPatch(s.Docs, m)
	if err != nil {
		return nil, fmt.Errorf("run %q: patch: %w", m.ID, err)
	}
	return b, nil
}

// Held is a run that no other process can change.
type Held struct {
	*artifact.Manifest
	*held
}

// Hold locks a run and reads its manifest.
func (s *Store) Hold(ctx context.Context, id string) (*Held, error) {
	h, err := s.manifests().Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Held{h.Doc, h}, nil
}

// Create writes a new artifact: first the patch, then what named does, and then
// the manifest that speaks of it. The lock is held from before the patch, and the
// manifest is pending: what is there like that, and is free, never came to be a
// run. Nothing is left of one that fails.
func (s *Store) Create(ctx context.Context, m artifact.Manifest, patch []byte, named func() error) (*artifact.Manifest, error) {
	m.State = artifact.Pending
	m.PatchSHA256, m.PatchSize = artifact.Sum(patch), int64(len(patch))
	name, file := s.path(artifact.ManifestFile(m.ID)), s.path(artifact.PatchFile(m.ID))
	pend := func() error { return document.Pend(name) }
	write := func() error { return document.Write(file, patch, 0o600) }
	h, err := s.manifests().Create(ctx, &m, pend, write, named)
	if err != nil {
		if _, none := os.Lstat(name); errors.Is(none, fs.ErrNotExist) {
			os.Remove(file) // It is said that nothing was saved.
		}
		return nil, err
	}
	h.Release()
	return &m, nil
}

// Begin writes the manifest of a turn that is about to be made.
func (s *Store) Begin(ctx context.Context, m artifact.Manifest) (*artifact.Manifest, error) {
	m.State = artifact.Running
	h, err := s.manifests().Create(ctx, &m)
	if err != nil {
		return nil, err
	}
	h.Release()
	return &m, nil
}

// Update changes the manifest of a run by one revision.
func (s *Store) Update(ctx context.Context, id string, change func(m *artifact.Manifest)) (*artifact.Manifest, error) {
	h, err := s.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	err = h.Update(change)
	return h.Manifest, err
}

// Save gives a turn the work that was made in it: first the patch, and then
// the manifest that speaks of it.
func (s *Store) Save(ctx context.Context, id string, w *Work, change func(m *artifact.Manifest)) (*artifact.Manifest, error) {
	h, err := s.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if err := document.Write(s.path(artifact.PatchFile(id)), w.Patch, 0o600); err != nil {
		return nil, err
	}
	err = h.Update(func(m *artifact.Manifest) {
		m.Files, m.PatchSHA256, m.PatchSize = w.Files, artifact.Sum(w.Patch), int64(len(w.Patch))
		change(m)
	})
	return h.Manifest, err
}

// Path is the place of a file that lies beside the manifest of a run, absolute.
func (s *Store) Path(id, name string) string {
	return s.path(path.Join(path.Dir(artifact.ManifestFile(id)), name))
}

func (s *Store) path(name string) string { return filepath.Join(s.StateDir, filepath.FromSlash(name)) }
