package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
)

// Mended is what recovering runs came to.
type Mended struct {
	Runs    []*Turned            // that were interrupted, or whose workspace was left
	Running []*manifest.Manifest // that are in progress, and were left alone
}

// RecoverRuns brings order where a turn was cut off: work that is still in its
// worktree is saved, and the workspace is removed if nothing is lost with it
// that is not of a kind in discard. An empty id means all runs. What fails with
// one run keeps none of the others from it, and is an error beside what was
// done.
func (r *Runner) RecoverRuns(ctx context.Context, id string, discard []Kind) (*Mended, error) {
	all, _, err := r.Runs.Manifests()
	if err != nil {
		return nil, err
	}
	if id != "" {
		m, err := r.Runs.Get(id)
		switch {
		case err != nil:
			return nil, err
		case m.Kind == manifest.Checkpoint:
			return nil, fmt.Errorf("run %q: it is a checkpoint, of which there is nothing to recover: see stint session recover %s", id, m.Session)
		}
	}
	// Several turns of a conversation may have had one workspace: what is there
	// is the last one's.
	last := make(map[string]string)
	for _, m := range all {
		last[m.Root] = m.ID
	}
	mended := new(Mended)
	var failed []error
	for _, m := range all {
		if m.Kind == manifest.Checkpoint || id != "" && m.ID != id {
			continue
		}
		if m.State == manifest.Running || last[m.Root] == m.ID && remains(m) {
			failed = append(failed, r.mend(ctx, m.ID, discard, mended))
		}
	}
	return mended, errors.Join(failed...)
}

// stuck tells whether a turn is over whose work could not be saved.
func stuck(m *manifest.Manifest) bool {
	return m.State == manifest.Interrupted && m.PatchSHA256 == "" && m.Failure != ""
}

// remains tells whether a workspace is, or may be, where that of a turn was.
func remains(m *manifest.Manifest) bool {
	_, err := os.Lstat(filepath.Dir(m.Root))
	return !errors.Is(err, fs.ErrNotExist)
}

// mend recovers one run, unless a process of it is left.
func (r *Runner) mend(ctx context.Context, id string, discard []Kind, mended *Mended) error {
	lock, err := r.turnLock(ctx, id)
	if err != nil && !errors.Is(err, document.ErrLocked) {
		return err
	}
	m, again := r.Runs.Get(id)
	if again != nil {
		return again
	}
	if err != nil {
		mended.Running = append(mended.Running, m)
		return nil
	}
	defer lock.Release()
	w, err := r.ofTurn(m)
	if err != nil {
		return err
	}
	if m.State == manifest.Running || stuck(m) {
		if m, err = r.rescue(ctx, m, w); err != nil {
			return err
		}
	}
	t, err := r.clear(ctx, m, w, discard)
	if err != nil {
		return fmt.Errorf("run %q: workspace: %w", id, err)
	}
	mended.Runs = append(mended.Runs, t)
	return nil
}

// rescue saves what is left of a turn.
func (r *Runner) rescue(ctx context.Context, m *manifest.Manifest, w *workspace) (*manifest.Manifest, error) {
	at, err := r.listed(ctx, w)
	if err != nil {
		return nil, err
	}
	there, err := r.look(ctx, w, at)
	if err != nil {
		return nil, err
	}
	interrupted := func(m *manifest.Manifest) { m.State = manifest.Interrupted }
	if there && w.begun {
		return r.save(ctx, m, w, interrupted)
	}
	// Before its agent began, there was at most the work of another run. It
	// goes before the run says that it is over.
	if !w.begun {
		if err := r.dismantle(ctx, w); err != nil {
			return nil, fmt.Errorf("run %q: %w", m.ID, err)
		}
	}
	m, err = r.Runs.Update(ctx, m.ID, func(m *manifest.Manifest) {
		interrupted(m)
		m.FinishedAt = readers.At(r.Now())
	})
	if err != nil {
		return nil, err
	}
	return m, r.noteProvider(ctx, m)
}
