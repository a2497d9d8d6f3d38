package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
)

// finish saves the work of a turn that is over, and then removes its workspace
// if nothing is lost with it. An agent that failed is an error, and so is one
// that was interrupted: their work is saved as well. What the turn came to is
// returned with each error, if its manifest still reads.
func (r *Runner) finish(ctx context.Context, m *manifest.Manifest, w *workspace, e ended, discard []Kind) (*Turned, error) {
	saved, err := r.save(ctx, m, w, discard, func(m *manifest.Manifest) {
		m.State, m.Exit = manifest.Pending, &e.exit
		if e.cut {
			m.State = manifest.Interrupted
		}
		if e.provider != "" {
			m.ProviderSession = e.provider
		}
	})
	if err != nil {
		return r.stands(m.ID, w), err
	}
	m = saved
	t, err := r.clear(ctx, m, w, discard)
	switch {
	case err != nil:
		return r.stands(m.ID, w), fmt.Errorf("run %q: %s; but its workspace %q could not be removed: %w; run stint runs recover %s", m.ID, outcome(m), w.paths.WorkspaceRoot, err, m.ID)
	case e.cut:
		return t, fmt.Errorf("run %q: interrupted; %s%s", m.ID, outcome(m), stays(t))
	case e.exit != 0:
		return t, fmt.Errorf("run %q: %s ended with exit status %d; %s%s", m.ID, m.Harness, e.exit, outcome(m), stays(t))
	}
	return t, nil
}

// stands is a turn that is over and left its workspace, as it stands now.
func (r *Runner) stands(id string, w *workspace) *Turned {
	m, err := r.Runs.Get(id)
	if err != nil {
		return nil
	}
	return &Turned{Manifest: m, Workspace: w.paths.WorkspaceRoot}
}

// outcome says where the work of a turn is.
func outcome(m *manifest.Manifest) string {
	if m.PatchSHA256 == "" {
		return "it changed no file"
	}
	return fmt.Sprintf("its work is saved: look at it by stint runs diff %s, take it by stint runs apply %[1]s", m.ID)
}

// stays says what else there is, if there is.
func stays(t *Turned) string {
	if len(t.Kept) == 0 {
		return ""
	}
	kept := make([]string, len(t.Kept))
	for i, l := range t.Kept {
		kept[i] = l.String()
	}
	return fmt.Sprintf("; %q stays for what is nowhere else: %s", t.Workspace, strings.Join(kept, ", "))
}

// errUnsaved is matched by the refusal of work that no artifact can hold.
var errUnsaved = errors.New("its work cannot be saved")

// save takes what a turn did into its artifact, without the repositories inside
// of the worktree where they are given up. One that changed nothing has nothing
// to be decided on.
func (r *Runner) save(ctx context.Context, m *manifest.Manifest, w *workspace, discard []Kind, settle func(*manifest.Manifest)) (*manifest.Manifest, error) {
	now := readers.At(r.Now())
	over := func(m *manifest.Manifest) {
		m.FinishedAt, m.Failure = now, ""
		settle(m)
	}
	// An agent may have removed it.
	if _, err := r.Runs.Get(w.id); errors.Is(err, artifact.ErrNotFound) {
		return nil, fmt.Errorf("run %q: its manifest is gone, so that its work cannot be saved: what there is of it is in %q: take it from there; stint doctor says how to remove the rest", w.id, w.paths.Worktree)
	}
	work, err := r.take(ctx, w, discard)
	switch {
	case err == nil:
		m, err = r.Runs.Save(ctx, m.ID, work, over)
	case errors.Is(err, artifact.ErrNothing):
		m, err = r.Runs.Update(ctx, m.ID, func(m *manifest.Manifest) {
			if over(m); m.State == manifest.Pending {
				m.State, m.DiscardedAt = manifest.Discarded, now
			}
		})
	default:
		cause := err
		_, err = r.Runs.Update(ctx, m.ID, func(m *manifest.Manifest) {
			over(m)
			m.State, m.Failure = manifest.Interrupted, document.Reason(cause)
		})
		way := "give it up by stint runs recover " + m.ID + " --discard"
		if errors.Is(cause, git.ErrRepository) {
			way = "give up the repository and save the rest by stint runs recover " + m.ID + " --discard=" + string(Submodules)
		}
		return nil, errors.Join(fmt.Errorf("run %q: %w: %w; it is in %q: mend that there and run stint runs recover %s, or %s", m.ID, errUnsaved, cause, w.paths.Worktree, m.ID, way), err)
	}
	if err != nil {
		return nil, fmt.Errorf("run %q: its work was not saved: %w; it is in %q: mend that, and run stint runs recover %s", w.id, err, w.paths.Worktree, w.id)
	}
	return m, r.noteProvider(ctx, m)
}

// take looks first whether the agent left the worktree one of this repository:
// git would take the next one that it finds above it.
func (r *Runner) take(ctx context.Context, w *workspace, discard []Kind) (*artifact.Work, error) {
	if err := r.Project.Tree.Linked(ctx, w.paths.Worktree); err != nil {
		return nil, err
	}
	work, err := artifact.Take(ctx, r.tree(w), w.base)
	if errors.Is(err, git.ErrRepository) && slices.Contains(discard, Submodules) {
		work, _, err = artifact.TakeWithout(ctx, r.tree(w), w.base)
	}
	return work, err
}

// noteProvider keeps the name by which the agent continues the conversation,
// which may be another one after each turn.
func (r *Runner) noteProvider(ctx context.Context, m *manifest.Manifest) error {
	if m.ProviderSession == "" {
		return nil
	}
	h, err := r.Conversations.Hold(ctx, m.Conversation)
	if err == nil {
		defer h.Release()
		if h.ProviderSession == m.ProviderSession {
			return nil
		}
		err = h.Update(func(c *talk.Document) { c.ProviderSession = m.ProviderSession })
	}
	if err != nil {
		return fmt.Errorf("run %q: %s; but its conversation was not told of it: %w", m.ID, outcome(m), err)
	}
	return nil
}

// clear removes the workspace of a turn unless work would be lost with it that
// is not of a kind in discard.
func (r *Runner) clear(ctx context.Context, m *manifest.Manifest, w *workspace, discard []Kind) (*Turned, error) {
	losses, err := r.losses(ctx, w)
	if err != nil {
		return nil, err
	}
	keep := slices.DeleteFunc(slices.Clone(losses), func(l Loss) bool { return slices.Contains(discard, l.Kind) })
	if len(keep) > 0 {
		return &Turned{Manifest: m, Kept: keep, Workspace: w.paths.WorkspaceRoot}, nil
	}
	return &Turned{Manifest: m, Discarded: losses}, r.dismantle(ctx, w)
}
