package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Apply makes the files of a patch on commit in the work tree, and leaves the
// index alone. The patch must give exactly the files of want. Those in done
// are passed over. What a failure left half made is put back.
//
// Whoever calls has looked that each file is as it is in commit.
func (t Tree) Apply(ctx context.Context, commit, patch string, want, done []Change) error {
	s, err := t.scratch(ctx)
	if err != nil {
		return err
	}
	defer s.remove()
	if err := s.load(ctx, commit, patch, want); err != nil {
		return err
	}
	todo := slices.DeleteFunc(slices.Clone(want), func(c Change) bool { return slices.Contains(done, c) })
	if err := s.write(ctx, todo); err != nil {
		return errors.Join(err, s.undo(ctx, commit, todo))
	}
	return nil
}

// load fills the scratch index with what the patch makes of commit.
func (s *scratch) load(ctx context.Context, commit, patch string, want []Change) error {
	if _, err := s.out(ctx, "read-tree", commit); err != nil {
		return err
	}
	if _, err := s.tree.run(ctx, s.env, patch, []string{"apply", "--cached", "--whitespace=nowarn", "--no-ignore-whitespace", "-"}); err != nil {
		return err
	}
	got, err := s.changes(ctx, commit)
	if err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return errors.New("the patch makes other files than its manifest lists")
	}
	return nil
}

// write makes files in the work tree what they are in the scratch index.
// Deletions come first: a file may take the place of a folder.
func (s *scratch) write(ctx context.Context, files []Change) error {
	root, err := os.OpenRoot(s.tree.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var paths []string
	for _, c := range files {
		if c.NewMode != "" {
			paths = append(paths, c.Path)
		} else if err := deleteFile(root, c.Path); err != nil {
			return err
		}
	}
	return s.feed(ctx, paths, "checkout-index", "--force", "--quiet", "-z", "--stdin")
}

// undo puts files back to what they are in commit.
func (s *scratch) undo(ctx context.Context, commit string, files []Change) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := s.out(ctx, "read-tree", commit); err != nil {
		return err
	}
	back := slices.Clone(files)
	for i, c := range files {
		back[i] = Change{Path: c.Path, OldMode: c.NewMode, OldHash: c.NewHash, NewMode: c.OldMode, NewHash: c.OldHash}
	}
	return s.write(ctx, back)
}

// deleteFile removes a file, and the folders that are empty without it, as git
// does.
func deleteFile(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}

// InTheWay returns what keeps the new file name from being made: something that
// git does not list, at its place or at the place of one of its folders. The
// files in leaving do not count, since they go first.
func (t Tree) InTheWay(name string, leaving []string) (string, error) {
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	elems := strings.Split(name, "/")
	for i := range elems {
		at := path.Join(elems[:i+1]...)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) || slices.Contains(leaving, at):
			return "", nil
		case err != nil:
			return "", err
		case !info.IsDir():
			return at, nil
		}
	}
	return stays(root, name, leaving)
}

// stays returns something in the folder dir that is not leaving.
func stays(root *os.Root, dir string, leaving []string) (string, error) {
	found := ""
	err := fs.WalkDir(root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains(leaving, name) {
			return err
		}
		found = name
		return fs.SkipAll
	})
	return found, err
}
