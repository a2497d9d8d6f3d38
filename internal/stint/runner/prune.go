package runner

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
)

// Pruned is what pruning came to.
type Pruned struct {
	Removed []*manifest.Manifest
	Kept    []*manifest.Manifest // whose workspace is still there
}

// PruneRuns removes runs that nobody needs to decide on any more: those that
// were discarded or hold no work, and where that is wanted those that were
// applied. Conversations keep the ids of theirs. What fails with one run keeps
// none of the others from it, and is an error beside what was done.
func (r *Runner) PruneRuns(ctx context.Context, applied bool) (*Pruned, error) {
	all, _, err := r.Runs.Manifests()
	if err != nil {
		return nil, err
	}
	p, failed := new(Pruned), []error{r.sweep()}
	for _, m := range all {
		if !prunable(m, applied) {
			continue
		}
		if m.Kind == manifest.Turn && remains(m) {
			p.Kept = append(p.Kept, m)
			continue
		}
		removed, err := r.prune(ctx, m.ID, applied)
		switch {
		case errors.Is(err, artifact.ErrNotFound): // Another prune was faster.
		case err != nil:
			failed = append(failed, err)
		case removed:
			p.Removed = append(p.Removed, m)
		}
	}
	return p, errors.Join(failed...)
}

func prunable(m *manifest.Manifest, applied bool) bool {
	switch m.State {
	case manifest.Discarded:
		return true
	case manifest.Applied:
		return applied
	case manifest.Interrupted:
		return m.PatchSHA256 == ""
	}
	return false
}

// aside is what the name of a run's folder begins with as long as it is being
// removed. No id does, so that it is no run to anybody.
const aside = ".pruned-"

// prune removes one run, if it still is to be. It is gone at once, or not at
// all.
func (r *Runner) prune(ctx context.Context, id string, applied bool) (bool, error) {
	h, err := r.Runs.Hold(ctx, id)
	if err != nil {
		return false, err
	}
	defer h.Release()
	if !prunable(h.Manifest, applied) {
		return false, nil
	}
	return r.removeRun(id)
}

// removeRun removes the folder of a run: it is gone at once, or not at all.
func (r *Runner) removeRun(id string) (gone bool, err error) {
	if err := r.state.Rename(path.Join("runs", id), path.Join("runs", aside+id)); err != nil {
		return false, err
	}
	return true, r.state.RemoveAll(path.Join("runs", aside+id))
}

// sweep removes what is left of a prune that was killed.
func (r *Runner) sweep() error {
	entries, err := fs.ReadDir(r.state.FS(), "runs")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), aside) {
			if err := r.state.RemoveAll(path.Join("runs", e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
