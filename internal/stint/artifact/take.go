package artifact

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	if len(snap.Files) == 0 {
		return nil, ErrNothing
	}
	for _, f := range snap.Files {
		switch {
		case !utf8.ValidString(f.Path):
			return nil, fmt.Errorf("%q: its name is not UTF-8, which a manifest cannot hold: rename it", f.Path)
		case f.OldMode == "160000" || f.NewMode == "160000":
			return nil, fmt.Errorf("%q is a repository of its own, whose work a patch cannot hold: commit and push there, and take it out of this worktree's changes", f.Path)
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
	all, _, err := s.Manifests()
	if err != nil {
		return false, err
	}
	sum := artifact.Sum(w.Patch)
	return slices.ContainsFunc(all, func(m *artifact.Manifest) bool {
		if !these(m) || m.Base != base || m.State == artifact.Discarded || m.PatchSHA256 != sum {
			return false
		}
		_, err := s.Patch(m)
		return err == nil
	}), nil
}
