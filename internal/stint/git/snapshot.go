package git

import (
	"context"
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

// Snapshot compares the work tree with commit. It leaves index and objects of
// the repository as they are.
func (t Tree) Snapshot(ctx context.Context, commit string) (*Snapshot, error) {
	s, err := t.scratch(ctx)
	if err != nil {
		return nil, err
	}
	defer s.remove()
	if err := s.copyIndex(ctx); err != nil {
		return nil, err
	}
	if err := s.addable(ctx); err != nil {
		return nil, err
	}
	if _, err := s.out(ctx, "add", "--sparse", "--all", "--", "."); err != nil {
		return nil, err
	}
	files, err := s.changes(ctx, commit)
	if err != nil {
		return nil, err
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
func (s *scratch) addable(ctx context.Context) error {
	out, err := s.out(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for path := range strings.SplitSeq(out, "\x00") {
		if !strings.HasSuffix(path, "/") {
			continue
		}
		head, err := Tree{Dir: filepath.Join(s.tree.Dir, path), Env: s.tree.Env}.Head(ctx)
		if err != nil {
			return err
		}
		if head == "" {
			return fmt.Errorf("%q is a repository of its own and has no commit: move it away", strings.TrimSuffix(path, "/"))
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

// absent is the mode by which git says that a side has no such file.
const absent = "000000"
