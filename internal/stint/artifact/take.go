package artifact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// ErrNothing is a worktree that is as the commit it started from.
var ErrNothing = errors.New("there is nothing to save: the worktree is as its base")

// Work is what a worktree has other than a commit, in a form that a manifest
// and a patch can hold.
type Work struct {
	Files []artifact.File
	Patch []byte
}

// Take looks at the worktree and refuses what manifest and patch cannot hold.
func Take(ctx context.Context, worktree git.Tree, base string) (*Work, error) {
	snap, err := worktree.Snapshot(ctx, base)
	if err != nil {
		return nil, err
	}
	return holdable(snap)
}

// TakeWithout is Take but for the repositories inside of the worktree, which it
// returns.
func TakeWithout(ctx context.Context, worktree git.Tree, base string) (w *Work, left []string, err error) {
	snap, left, err := worktree.SnapshotWithout(ctx, base)
	if err != nil {
		return nil, nil, err
	}
	w, err = holdable(snap)
	return w, left, err
}

func holdable(snap *git.Snapshot) (*Work, error) {
	if len(snap.Files) == 0 {
		return nil, ErrNothing
	}
	for _, f := range snap.Files {
		switch {
		case !utf8.ValidString(f.Path):
			return nil, fmt.Errorf("%q: its name is not UTF-8, which a manifest cannot hold: rename it", f.Path)
		case f.OldMode == "160000" || f.NewMode == "160000":
			return nil, fmt.Errorf("%q %w, whose work a patch cannot hold: commit and push there, and take it out of this worktree's changes", f.Path, git.ErrRepository)
		}
	}
	if len(snap.Patch) > readers.MaxDocument {
		return nil, fmt.Errorf("the patch has %d bytes, more than the %d that are kept: commit the work and take it from the branch", len(snap.Patch), readers.MaxDocument)
	}
	return &Work{Files: files(snap.Files), Patch: []byte(snap.Patch)}, nil
}

func files(changes []git.Change) []artifact.File {
	all := make([]artifact.File, len(changes))
	for i, c := range changes {
		all[i] = artifact.File{Path: c.Path, OldMode: c.OldMode, NewMode: c.NewMode, OldHash: c.OldHash, NewHash: c.NewHash}
	}
	return all
}

func changes(files []artifact.File) []git.Change {
	all := make([]git.Change, len(files))
	for i, f := range files {
		all[i] = git.Change{Path: f.Path, OldMode: f.OldMode, NewMode: f.NewMode, OldHash: f.OldHash, NewHash: f.NewHash}
	}
	return all
}

// Holds tells whether one of these artifacts, which was not discarded, holds
// this very work, patch included.
func (s *Store) Holds(these func(*artifact.Manifest) bool, base string, w *Work) (bool, error) {
	sum := artifact.Sum(w.Patch)
	return s.any(these, base, func(m *artifact.Manifest) bool { return m.PatchSHA256 == sum })
}

// Lays tells whether all of this work is what Lay makes, or has on its way, of
// one of these artifacts, which was not discarded.
func (s *Store) Lays(these func(*artifact.Manifest) bool, base string, w *Work) (bool, error) {
	return s.any(these, base, func(m *artifact.Manifest) bool {
		made := changes(m.Files)
		foreign := func(c git.Change) bool {
			if staged, ok := strings.CutPrefix(c.Path, stage+"/"); ok {
				return !slices.ContainsFunc(made, func(of git.Change) bool { return of.Path == staged && of.NewMode != "" })
			}
			return !slices.Contains(made, c)
		}
		return !slices.ContainsFunc(changes(w.Files), foreign)
	})
}

// any tells whether there is an artifact of the kind that is asked for, whose
// patch is there, too.
func (s *Store) any(these func(*artifact.Manifest) bool, base string, holds func(*artifact.Manifest) bool) (bool, error) {
	all, _, err := s.Manifests()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all, func(m *artifact.Manifest) bool {
		if !these(m) || m.Base != base || m.State == artifact.Discarded || m.PatchSHA256 == "" || !holds(m) {
			return false
		}
		_, err := s.Patch(m)
		return err == nil
	}), nil
}
