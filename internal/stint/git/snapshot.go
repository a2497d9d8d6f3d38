package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Change is one file that differs between a commit and a work tree. A side
// where the file is not there has neither mode nor hash.
type Change struct {
	Path             string
	OldMode, NewMode string // 100644, 100755, 120000, 160000
	OldHash, NewHash string // names of git objects
}

// Snapshot is all that a work tree has other than a commit: tracked and
// untracked files, whatever was staged or committed since, but nothing that
// git ignores.
type Snapshot struct {
	Files []Change // sorted by path
	Patch string   // what git apply makes the same files from
}

// ErrRepository is matched by the refusal of a repository inside of a work
// tree, which neither an index nor a patch holds the work of.
var ErrRepository = errors.New("is a repository of its own")

// Snapshot compares the work tree with commit. It leaves index and objects of
// the repository as they are.
func (t Tree) Snapshot(ctx context.Context, commit string) (*Snapshot, error) {
	s, err := t.added(ctx)
	if err != nil {
		return nil, err
	}
	defer s.remove()
	return s.snapshot(ctx, commit)
}

// Changes are the files of Snapshot, for those who need no patch.
func (t Tree) Changes(ctx context.Context, commit string) ([]Change, error) {
	s, err := t.added(ctx)
	if err != nil {
		return nil, err
	}
	defer s.remove()
	return s.changes(ctx, commit)
}

// SnapshotWithout is Snapshot but for the repositories inside of the work tree,
// which it returns: what is in their places counts as not changed.
func (t Tree) SnapshotWithout(ctx context.Context, commit string) (snap *Snapshot, left []string, err error) {
	s, inside, err := t.copied(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer s.remove()
	if err := s.add(ctx, inside); err != nil {
		return nil, nil, err
	}
	known, err := s.forget(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	snap, err = s.snapshot(ctx, commit)
	return snap, append(inside, known...), err
}

// added is a scratch index of all that is in the work tree.
func (t Tree) added(ctx context.Context) (*scratch, error) {
	s, inside, err := t.copied(ctx)
	if err != nil {
		return nil, err
	}
	if err = s.addable(ctx, inside); err == nil {
		err = s.add(ctx, nil)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// copied is a scratch index that is as the work tree's own, and the repositories
// that git was not told of.
func (t Tree) copied(ctx context.Context) (s *scratch, inside []string, err error) {
	if s, err = t.scratch(ctx); err != nil {
		return nil, nil, err
	}
	others, err := s.copyIndex(ctx, "--others", "--exclude-standard")
	if err != nil {
		s.remove()
		return nil, nil, err
	}
	for _, path := range others {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			inside = append(inside, dir)
		}
	}
	return s, inside, nil
}

// add takes all that is in the work tree into the scratch index, but for what
// is at some paths.
func (s *scratch) add(ctx context.Context, without []string) error {
	args := []string{"add", "--sparse", "--all", "--", "."}
	if len(without) > 0 {
		args = append([]string{"--no-literal-pathspecs"}, args...)
	}
	for _, path := range without {
		args = append(args, ":(exclude,literal)"+path)
	}
	_, err := s.out(ctx, args...)
	return err
}

// forget has the scratch index hold what commit does in the places of
// repositories that git was told of, and returns them.
func (s *scratch) forget(ctx context.Context, commit string) (known []string, err error) {
	files, err := s.changes(ctx, commit)
	if err != nil {
		return nil, err
	}
	var back strings.Builder
	for _, c := range files {
		if c.OldMode != link && c.NewMode != link {
			continue
		}
		known = append(known, c.Path)
		if c.OldMode == "" {
			c.OldMode, c.OldHash = "0", strings.Repeat("0", len(c.NewHash))
		}
		fmt.Fprintf(&back, "%s %s\t%s\x00", c.OldMode, c.OldHash, c.Path)
	}
	if known == nil {
		return nil, nil
	}
	_, err = s.tree.run(ctx, s.env, back.String(), []string{"update-index", "-z", "--index-info"})
	return known, err
}

// snapshot is what the scratch index has other than commit.
func (s *scratch) snapshot(ctx context.Context, commit string) (*Snapshot, error) {
	files, err := s.changes(ctx, commit)
	if err != nil || len(files) == 0 {
		return new(Snapshot), err
	}
	patch, err := s.patch(ctx, commit)
	return &Snapshot{Files: files, Patch: patch}, err
}

// patch is what the scratch index has other than commit. Neither the user's
// attributes, which say what is text, nor his taste in compression change it.
func (s *scratch) patch(ctx context.Context, commit string) (string, error) {
	return s.tree.run(ctx, append(slices.Clone(s.env), "GIT_ATTR_NOSYSTEM=1"), "", []string{
		"-c", "core.attributesFile=" + os.DevNull, "-c", "core.compression=-1", "-c", "core.looseCompression=-1",
		"diff-index", "--cached", "--patch", "--binary", "--full-index", "--unified=3", "--no-renames",
		"--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/",
		"--ignore-submodules=none", commit})
}

// addable refuses a repository without a commit, of which git cannot say in
// an index what is in it.
func (s *scratch) addable(ctx context.Context, inside []string) error {
	for _, path := range inside {
		head, err := Tree{Dir: filepath.Join(s.tree.Dir, path), Env: s.tree.Env}.Head(ctx)
		if err != nil {
			return err
		}
		if head == "" {
			return fmt.Errorf("%q %w and has no commit: move it away", path, ErrRepository)
		}
	}
	return nil
}

// changes lists what the scratch index has other than commit.
func (s *scratch) changes(ctx context.Context, commit string) ([]Change, error) {
	out, err := s.out(ctx, "diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none", commit)
	if err != nil {
		return nil, err
	}
	var all []Change
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-index in %q: %q is no change", s.tree.Dir, fields[i])
		}
		c := Change{Path: fields[i+1], OldMode: f[0], NewMode: f[1], OldHash: f[2], NewHash: f[3]}
		if c.OldMode == absent {
			c.OldMode, c.OldHash = "", ""
		}
		if c.NewMode == absent {
			c.NewMode, c.NewHash = "", ""
		}
		all = append(all, c)
	}
	return all, nil
}

const (
	absent = "000000" // the mode by which git says that a side has no such file
	link   = "160000" // that of a repository
)
