package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
)

// Unmade lists the runs that never came to be: whoever was about to make one was
// killed before its manifest was written. Of a turn nothing was made yet, and
// what a checkpoint was to save is in its worktree still. Where a workspace of
// that name is there, the manifest was, too. So it was where a patch is there and
// no manifest is pending: those are lost, and may have work that is nowhere else.
func (r *Runner) Unmade() (all, lost []string, err error) {
	dirs, err := fs.ReadDir(r.state.FS(), "runs")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, dir := range dirs {
		id := dir.Name()
		if !dir.IsDir() || !readers.ID(id) || document.Busy(r.Runs.Path(id, "running.lock")) || document.Busy(r.Runs.Path(id, "lock")) {
			continue
		}
		switch {
		case r.unmade(id):
			all = append(all, id)
		case r.lost(id):
			lost = append(lost, id)
		}
	}
	return all, lost, nil
}

func (r *Runner) unmade(id string) bool {
	return !r.there(manifest.ManifestFile(id)) && !r.inUse(id) && !r.lost(id)
}

// lost is asked for the manifest last: while one is written, it is pending, and
// then it is there.
func (r *Runner) lost(id string) bool {
	return r.there(manifest.PatchFile(id)) && !document.Pending(r.Runs.Path(id, path.Base(manifest.ManifestFile(id)))) && !r.there(manifest.ManifestFile(id))
}

// there tells whether something is, or may be, in the place of a file.
func (r *Runner) there(name string) bool {
	_, err := r.state.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// forget removes what there is of a run that never came to be, and its name from
// the conversation that was to have it. It tells whether it was such a one.
func (r *Runner) forget(ctx context.Context, id string) (bool, error) {
	for _, name := range []string{"running.lock", "lock"} {
		lock, err := document.AcquireIn(ctx, r.Runs.Path(id, name), 0)
		switch {
		case errors.Is(err, document.ErrLocked), errors.Is(err, fs.ErrNotExist):
			return false, nil // Somebody is just at it, or was.
		case err != nil:
			return false, fmt.Errorf("run %q: %w", id, err)
		}
		defer lock.Release()
	}
	if !r.unmade(id) {
		return false, nil
	}
	all, _, err := r.Conversations.Documents()
	if err != nil {
		return false, err
	}
	for _, c := range all {
		if slices.Contains(c.Runs, id) {
			if err := r.unname(ctx, c.ID, id); err != nil {
				return false, err
			}
		}
	}
	return r.removeRun(id)
}

// unname takes a run that never came to be out of a conversation, and closes one
// that was made for it.
func (r *Runner) unname(ctx context.Context, conversation, run string) error {
	h, err := r.Conversations.Hold(ctx, conversation)
	if err != nil {
		return err
	}
	defer h.Release()
	return h.Update(func(c *talk.Document) {
		c.Runs = slices.DeleteFunc(slices.Clone(c.Runs), func(id string) bool { return id == run })
		if len(c.Runs) == 0 && c.State == talk.Open && !r.current(c) {
			c.State, c.ClosedAt = talk.Closed, readers.At(r.Now())
		}
	})
}

// current tells whether a conversation is the one that its session is in, as it
// may be where that does not read.
func (r *Runner) current(c *talk.Document) bool {
	d, err := r.Sessions.Get(c.Session)
	if err != nil {
		return !errors.Is(err, session.ErrNotFound)
	}
	return d.Conversation == c.ID
}
