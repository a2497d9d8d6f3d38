package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/shell"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
)

// Mended is what recovering runs came to.
type Mended struct {
	Runs    []*Turned // that were interrupted, or whose workspace was left
	Running []Ongoing // that are in progress, and were left alone
	Unmade  []string  // that never came to be, and of which there was something
}

// Ongoing is a turn that is in progress.
type Ongoing struct {
	*manifest.Manifest
	// Processes are those that are left of it, by number and name: that of stint
	// itself unless it was killed, the agent and what it started. There are none
	// where it cannot be told.
	Processes []string
}

// RecoverRuns brings order where a turn was cut off: work that is still in its
// worktree is saved, and the workspace is removed if nothing is lost with it
// that is not of a kind in discard. An empty id means all runs. What fails with
// one run keeps none of the others from it, and is an error beside what was
// done.
func (r *Runner) RecoverRuns(ctx context.Context, id string, discard []Kind) (*Mended, error) {
	all, unread, err := r.Runs.Manifests()
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
	mended := new(Mended)
	var failed []error
	for _, m := range all {
		if m.Kind == manifest.Checkpoint || id != "" && m.ID != id {
			continue
		}
		if m.State == manifest.Running || remains(m) {
			failed = append(failed, r.mend(ctx, m.ID, discard, mended))
		}
	}
	if id == "" {
		failed = append(failed, r.forgetUnmade(ctx, mended))
		for _, s := range unread {
			failed = append(failed, fmt.Errorf("document %q: it does not read, so nothing is known of its run: %w", s.Path, s.Err))
		}
	}
	return mended, errors.Join(failed...)
}

func (r *Runner) forgetUnmade(ctx context.Context, mended *Mended) error {
	all, lost, err := r.Unmade()
	failed := []error{err}
	for _, id := range lost {
		file := r.Runs.Path(id, path.Base(manifest.PatchFile(id)))
		failed = append(failed, fmt.Errorf("run %q: its manifest is gone, and its patch may be all that is left of its work: take what you want of it by git apply %s, and remove %s then", id, shell.Word(file), shell.Word(filepath.Dir(file))))
	}
	for _, id := range all {
		was, err := r.forget(ctx, id)
		failed = append(failed, err)
		if was {
			mended.Unmade = append(mended.Unmade, id)
		}
	}
	return errors.Join(failed...)
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
	lock, err := r.turnLock(ctx, id, 0)
	if err != nil && !errors.Is(err, document.ErrLocked) {
		return err
	}
	held := err == nil
	if held {
		defer lock.Release()
	}
	m, err := r.Runs.Get(id)
	if err != nil {
		return err
	}
	if due, err := r.due(m); err != nil || !due {
		return err
	}
	if !held {
		mended.Running = append(mended.Running, Ongoing{m, holders(r.Runs.Path(id, "running.lock"))})
		return nil
	}
	w, err := r.ofTurn(m)
	if err != nil {
		return err
	}
	var unsaved error
	if m.State == manifest.Running || stuck(m) {
		saved, err := r.rescue(ctx, m, w, discard)
		switch {
		case err == nil:
			m = saved
		case !errors.Is(err, errUnsaved):
			return err
		}
		unsaved = err
	}
	t, err := r.clear(ctx, m, w, discard)
	switch {
	case err != nil:
		return errors.Join(unsaved, fmt.Errorf("run %q: workspace: %w", id, err))
	case unsaved != nil && t.Workspace != "":
		return unsaved
	}
	mended.Runs = append(mended.Runs, t)
	return nil
}

// due tells whether there is anything to recover of a turn. Several turns of a
// conversation may have had one workspace, and what is there is the last one's.
// The conversation says which that is: the times do not where the clock was put
// back. None can have come to have the workspace since it was seen to be there.
func (r *Runner) due(m *manifest.Manifest) (bool, error) {
	if m.State == manifest.Running || !remains(m) {
		return m.State == manifest.Running, nil
	}
	c, err := r.Conversations.Get(m.Conversation)
	if err != nil {
		return false, fmt.Errorf("run %q: it is not known whether %q is its workspace or a later turn's: %w", m.ID, filepath.Dir(m.Root), err)
	}
	for _, id := range c.Runs[slices.Index(c.Runs, m.ID)+1:] {
		later, err := r.Runs.Get(id)
		switch {
		case errors.Is(err, artifact.ErrNotFound):
			continue // It was pruned.
		case err != nil || later.Root == m.Root:
			return false, err
		}
	}
	return true, nil
}

// rescue saves what is left of a turn. That a manifest does not say that the
// agent began is no proof that it did not, so the worktree is judged by what is
// in it.
func (r *Runner) rescue(ctx context.Context, m *manifest.Manifest, w *workspace, discard []Kind) (*manifest.Manifest, error) {
	at, err := r.listed(ctx, w)
	if err != nil {
		return nil, err
	}
	there, err := r.look(ctx, w, at)
	if err != nil {
		return nil, err
	}
	untouched := false
	if !w.begun {
		if untouched, err = r.untouched(ctx, w); err != nil {
			return nil, err
		}
	}
	interrupted := func(m *manifest.Manifest) { m.State = manifest.Interrupted }
	switch {
	case untouched:
		// It goes before the run says that it is over.
		if err := r.dismantle(ctx, w); err != nil {
			return nil, fmt.Errorf("run %q: %w", m.ID, err)
		}
	case there:
		return r.save(ctx, m, w, discard, interrupted)
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

// untouched tells whether a workspace holds nothing but the worktree's base, and
// what of an earlier run was laid in, which may have been cut off.
func (r *Runner) untouched(ctx context.Context, w *workspace) (bool, error) {
	losses, err := r.losses(ctx, w)
	if err != nil || len(losses) == 0 {
		return err == nil, err
	}
	if slices.ContainsFunc(losses, func(l Loss) bool { return l.Kind != Changes && l.Kind != Untracked }) {
		return false, nil
	}
	work, err := artifact.Take(ctx, r.tree(w), w.base)
	if err != nil {
		return false, nil // It is for save to say so.
	}
	return r.Runs.Lays(w.own, w.base, work)
}
