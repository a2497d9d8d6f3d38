package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Apply makes the files of a patch on commit in the work tree, and leaves the
// index alone. The patch must give exactly the files of want. Those in done
// are passed over. What a failure left half made is put back; a process that
// is killed leaves each file as it was or as it is to be. It returns git's name
// of the tree that commit and patch make.
//
// Whoever calls has looked that each file is as it is in commit.
func (t Tree) Apply(ctx context.Context, commit, patch string, want, done []Change) (tree string, err error) {
	s, err := t.scratch(ctx)
	if err != nil {
		return "", err
	}
	defer s.remove()
	if err := s.load(ctx, commit, patch, want); err != nil {
		return "", err
	}
	if tree, err = s.out(ctx, "write-tree"); err != nil {
		return "", err
	}
	return strings.TrimSpace(tree), s.make(ctx, commit, want, done)
}

// make makes the files that are not done yet as they are in the scratch index.
func (s *scratch) make(ctx context.Context, commit string, want, done []Change) error {
	todo := slices.DeleteFunc(slices.Clone(want), func(c Change) bool { return slices.Contains(done, c) })
	root, err := os.OpenRoot(s.tree.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	defer root.RemoveAll(s.tree.Stage)
	if err := s.stage(ctx, root, todo); err != nil {
		return err
	}
	if err := s.install(root, todo); err != nil {
		return errors.Join(err, s.undo(ctx, root, commit, todo))
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

// stage makes files as they are in the scratch index, in a folder that is
// empty before.
func (s *scratch) stage(ctx context.Context, root *os.Root, files []Change) error {
	if err := root.RemoveAll(s.tree.Stage); err != nil {
		return err
	}
	if err := root.MkdirAll(s.tree.Stage, 0o700); err != nil {
		return err
	}
	var paths []string
	for _, c := range files {
		if c.NewMode != "" {
			paths = append(paths, c.Path)
		}
	}
	return s.feed(ctx, paths, "checkout-index", "--force", "--quiet", "--prefix="+s.tree.Stage+"/", "-z", "--stdin")
}

// install moves staged files to their places. Deletions come first: a file may
// take the place of a folder, and a folder that of a file.
func (s *scratch) install(root *os.Root, files []Change) error {
	for _, c := range files {
		if c.NewMode == "" {
			if err := deleteFile(root, c.Path); err != nil {
				return err
			}
		}
	}
	for _, c := range files {
		if c.NewMode == "" {
			continue
		}
		if err := root.MkdirAll(path.Dir(c.Path), 0o777); err != nil {
			return err
		}
		if err := removeHollow(root, c.Path); err != nil {
			return err
		}
		if err := root.Rename(path.Join(s.tree.Stage, c.Path), c.Path); err != nil {
			return err
		}
	}
	return nil
}

// undo puts files back to what they are in commit.
func (s *scratch) undo(ctx context.Context, root *os.Root, commit string, files []Change) error {
	ctx = context.WithoutCancel(ctx)
	if _, err := s.out(ctx, "read-tree", commit); err != nil {
		return err
	}
	back := slices.Clone(files)
	for i, c := range files {
		back[i] = Change{Path: c.Path, OldMode: c.NewMode, OldHash: c.NewHash, NewMode: c.OldMode, NewHash: c.OldHash}
	}
	if err := s.stage(ctx, root, back); err != nil {
		return err
	}
	return s.install(root, back)
}

// deleteFile removes a file, and the folders that are empty without it, as git
// does. A folder in its place is not what was made there.
func deleteFile(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
	case err != nil:
		return err
	case info.IsDir():
		return nil
	default:
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}

// removeHollow removes a folder in which there are at most empty folders, of
// which git knows nothing.
func removeHollow(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil
	}
	if err != nil {
		return err
	}
	inside, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return err
	}
	for _, e := range inside {
		if e.IsDir() {
			if err := removeHollow(root, path.Join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	return root.Remove(name)
}

// Is tells whether the file of c is as c makes it. It is for one that git
// ignores, which no snapshot has.
func (t Tree) Is(ctx context.Context, c Change) (bool, error) {
	name := filepath.Join(t.Dir, filepath.FromSlash(c.Path))
	info, err := os.Lstat(name)
	if err != nil || c.NewMode != mode(info.Mode()) {
		return false, nil
	}
	args, content := []string{"hash-object", "--", c.Path}, ""
	if c.NewMode == symlink {
		if content, err = os.Readlink(name); err != nil {
			return false, err
		}
		args = []string{"hash-object", "--no-filters", "--stdin"}
	}
	hash, err := t.run(ctx, nil, content, args)
	return strings.TrimSpace(hash) == c.NewHash, err
}

const symlink = "120000"

// mode is git's for a file, and empty for what it has no mode for.
func mode(m fs.FileMode) string {
	switch {
	case m.Type() == fs.ModeSymlink:
		return symlink
	case !m.IsRegular():
		return ""
	case m&0o100 != 0:
		return "100755"
	}
	return "100644"
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

// Intend tells git of the new files in a fresh worktree that it would ignore,
// as git add --force did where they come from.
func (t Tree) Intend(ctx context.Context) error {
	ignored, err := t.Out(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
	if err != nil || ignored == "" {
		return err
	}
	_, err = t.run(ctx, nil, ignored, []string{"add", "--force", "--intent-to-add", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"})
	return err
}
