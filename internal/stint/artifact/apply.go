package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// Validate looks whether a run can be applied to the main work tree, and
// returns its patch and the files that are as it makes them already: all of
// them if an earlier apply ended before it could say so.
func (s *Store) Validate(ctx context.Context, main git.Tree, m *artifact.Manifest) (patch []byte, done []git.Change, err error) {
	if err := waits(m, "applied"); err != nil {
		return nil, nil, err
	}
	if patch, err = s.Patch(m); err != nil {
		return nil, nil, err
	}
	head, err := main.Head(ctx)
	if err != nil {
		return nil, nil, err
	}
	if head != m.Base {
		return nil, nil, fmt.Errorf("run %q: it was made on commit %.12s, and %q is at %.12s: check that commit out, or look at stint runs diff %s and apply it by hand", m.ID, m.Base, main.Dir, head, m.ID)
	}
	if done, err = place(ctx, main, changes(m.Files), head); err != nil {
		return nil, nil, fmt.Errorf("run %q: %w", m.ID, err)
	}
	return patch, done, nil
}

// waits refuses a run that has no work for anybody to decide on.
func waits(m *artifact.Manifest, done string) error {
	switch {
	case m.State == artifact.Interrupted && m.PatchSHA256 == "":
		return fmt.Errorf("run %q: it was interrupted and holds no work that could be %s: see stint runs recover %[1]s", m.ID, done)
	case m.State == artifact.Running:
		return fmt.Errorf("run %q: it is running: wait for its end, or run stint runs recover %[1]s if it was cut off", m.ID)
	case m.State != artifact.Pending && m.State != artifact.Interrupted:
		return fmt.Errorf("run %q: it is %s, and only a pending one, or an interrupted one that holds work, can be %s", m.ID, m.State, done)
	}
	return nil
}

// place holds the files of the main work tree against what they are before
// and after the patch. Any that is neither is somebody's work.
func place(ctx context.Context, main git.Tree, want []git.Change, base string) (done []git.Change, err error) {
	differ, err := main.Changes(ctx, base)
	if err != nil {
		return nil, err
	}
	var taken []string
	for _, c := range want {
		i := slices.IndexFunc(differ, func(is git.Change) bool { return is.Path == c.Path })
		switch {
		case i >= 0 && differ[i] == c:
			done = append(done, c)
		case i >= 0:
			taken = append(taken, c.Path)
		case c.OldMode == "":
			at, err := main.InTheWay(c.Path, deleted(want))
			if err != nil {
				return nil, err
			}
			// One that git ignores is in no snapshot.
			made, err := main.Is(ctx, c)
			switch {
			case err != nil:
				return nil, err
			case made:
				done = append(done, c)
			case at != "":
				taken = append(taken, at)
			}
		}
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		return nil, fmt.Errorf("%q has changes of its own in %s: commit them, stash them or move them away", main.Dir, quoted(slices.Compact(taken)))
	}
	return done, nil
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strconv.Quote(name)
	}
	return strings.Join(all, ", ")
}

func deleted(files []git.Change) []string {
	var paths []string
	for _, c := range files {
		if c.NewMode == "" {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// stage is where files are made before they are moved to their places, in the
// one folder of the main work tree that is the project's own.
const stage = ".stint/apply"

// Apply makes the files of a pending run in the main work tree, all of them or
// none, and leaves the run applied. One that was killed is finished by the
// next; one that fails leaves nothing to be finished.
func (s *Store) Apply(ctx context.Context, main git.Tree, id string) (*artifact.Manifest, error) {
	// One at a time: two runs may have the same files.
	one, err := document.Acquire(ctx, s.path("apply.lock"), document.Patience)
	if err != nil {
		return nil, err
	}
	defer one.Release()
	main.Scratch, main.Stage = s.path("scratch"), stage
	// A git that outlives this process keeps the next one from its files.
	main.Hold = one.File()
	h, err := s.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if err := s.apply(ctx, main, h); err != nil {
		// By the judgement of Discard, which is for whoever was killed.
		if s.half(context.WithoutCancel(ctx), main, h.Manifest) == nil {
			err = errors.Join(err, s.applied(id))
		}
		return nil, err
	}
	return h.Manifest, s.applied(id)
}

// apply is Apply for a run that no other process can change.
func (s *Store) apply(ctx context.Context, main git.Tree, h *Held) error {
	id := h.ID
	patch, done, err := s.Validate(ctx, main, h.Manifest)
	if err != nil {
		return err
	}
	if err := document.Write(s.applying(id), nil, 0o600); err != nil {
		return err
	}
	tree, err := main.Apply(ctx, h.Base, string(patch), changes(h.Files), done)
	if err != nil {
		return fmt.Errorf("run %q: not applied: %w", id, err)
	}
	return h.Update(func(m *artifact.Manifest) {
		m.State = artifact.Applied
		m.AppliedAt = readers.At(s.Now())
		m.Receipt = &artifact.Receipt{Base: m.Base, Tree: tree, PatchSHA256: m.PatchSHA256, AppliedAt: m.AppliedAt}
	})
}

// applying is there from before the first file of a run is moved to its place
// until the run is applied, or was not.
func (s *Store) applying(id string) string { return s.Path(id, "applying") }

// applied says that nothing of a run is on its way.
func (s *Store) applied(id string) error {
	if err := os.Remove(s.applying(id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Discard says that a run is not wanted. Manifest and patch stay. One that a
// killed apply left half made in the main work tree is refused.
func (s *Store) Discard(ctx context.Context, main git.Tree, id string) (*artifact.Manifest, error) {
	h, err := s.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer h.Release()
	if err := waits(h.Manifest, "discarded"); err != nil {
		return nil, err
	}
	if err := s.half(ctx, main, h.Manifest); err != nil {
		return nil, fmt.Errorf("run %q: %w", id, err)
	}
	err = h.Update(func(m *artifact.Manifest) {
		m.State = artifact.Discarded
		m.DiscardedAt = readers.At(s.Now())
	})
	if err == nil {
		err = s.applied(id)
	}
	return h.Manifest, err
}

// half refuses a run of which a killed apply left something in the main work
// tree. That some of its files are there is not enough: they may be another
// run's.
func (s *Store) half(ctx context.Context, main git.Tree, m *artifact.Manifest) error {
	if left := leftover(main, m.Files); left != "" {
		return fmt.Errorf("an apply of it was killed and left %q in %q: finish it by stint runs apply %s, or put back what it changed, remove %[2]q and discard it then", left, stage, m.ID)
	}
	if _, err := os.Lstat(s.applying(m.ID)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	differ, err := main.Changes(ctx, m.Base)
	if err != nil {
		return err
	}
	for _, c := range changes(m.Files) {
		made, err := slices.Contains(differ, c), error(nil)
		// One that git ignores is in no snapshot.
		if !made && c.OldMode == "" {
			made, err = main.Is(ctx, c)
		}
		if err != nil {
			return err
		}
		if made {
			return fmt.Errorf("an apply of it was killed and left %q as it makes it: finish it by stint runs apply %s, or put back what it changed (or remove %q to leave all as it is) and discard it then", c.Path, m.ID, s.applying(m.ID))
		}
	}
	return nil
}

// leftover is the first of the files that was made for the main work tree and
// not moved to its place.
func leftover(main git.Tree, files []artifact.File) string {
	for _, f := range files {
		info, err := os.Lstat(filepath.Join(main.Dir, stage, filepath.FromSlash(f.Path)))
		if err == nil && !info.IsDir() {
			return f.Path
		}
	}
	return ""
}

// Lay makes the files of a run in a worktree that is as the run's base.
func (s *Store) Lay(ctx context.Context, worktree git.Tree, m *artifact.Manifest) error {
	patch, err := s.Patch(m)
	if err != nil {
		return err
	}
	worktree.Stage = stage
	if _, err := worktree.Apply(ctx, m.Base, string(patch), changes(m.Files), nil); err != nil {
		return fmt.Errorf("work of run %q: %w", m.ID, err)
	}
	// What is left of the stage, unless the commit has something there.
	os.Remove(filepath.Join(worktree.Dir, filepath.Dir(stage)))
	return worktree.Intend(ctx)
}
