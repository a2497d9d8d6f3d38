package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// scratch is an index and a place for objects that nobody else sees, so that
// git can be asked about a work tree without a trace in its repository.
type scratch struct {
	tree  Tree
	dir   string
	env   []string
	index string // the work tree's own
}

func (t Tree) scratch(ctx context.Context) (*scratch, error) {
	index, objects, err := t.store(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := t.scratchDir()
	if err != nil {
		return nil, err
	}
	own := filepath.Join(dir, "objects")
	if err := os.Mkdir(own, 0o700); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &scratch{tree: t, dir: dir, index: index, env: []string{
		"GIT_INDEX_FILE=" + filepath.Join(dir, "index"),
		"GIT_OBJECT_DIRECTORY=" + own,
		// Quoted, since it is a list with colons in between.
		`GIT_ALTERNATE_OBJECT_DIRECTORIES="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(objects) + `"`,
	}}, nil
}

// store is the index and the folder of objects of a work tree.
func (t Tree) store(ctx context.Context) (index, objects string, err error) {
	if dir := t.mainDir(); dir != "" {
		return filepath.Join(dir, "index"), filepath.Join(dir, "objects"), nil
	}
	if dir := t.linkedDir(); dir != "" {
		return filepath.Join(dir, "index"), filepath.Join(dir, "../../objects"), nil
	}
	paths, err := t.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index", "--git-path", "objects")
	if err != nil {
		return "", "", err
	}
	index, objects, two := strings.Cut(paths, "\n")
	if !two || strings.Contains(objects, "\n") {
		return "", "", fmt.Errorf("%q: the path of its repository has a newline: move it", t.Dir)
	}
	return index, objects, nil
}

func (t Tree) scratchDir() (string, error) {
	if t.Scratch == "" {
		return os.MkdirTemp("", "stint-")
	}
	if err := os.RemoveAll(t.Scratch); err != nil {
		return "", err
	}
	return t.Scratch, os.Mkdir(t.Scratch, 0o700)
}

func (s *scratch) remove() { os.RemoveAll(s.dir) }

func (s *scratch) out(ctx context.Context, args ...string) (string, error) {
	return s.tree.run(ctx, s.env, "", args)
}

// feed runs git with the paths on its standard input, each ended by a NUL.
func (s *scratch) feed(ctx context.Context, paths []string, args ...string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.tree.run(ctx, s.env, strings.Join(paths, "\x00")+"\x00", args)
	return err
}

// copyIndex starts from the work tree's own index, which knows what was added
// in spite of being ignored, and forgets what the user told git to overlook. It
// returns what git lists besides, where that is asked for.
func (s *scratch) copyIndex(ctx context.Context, besides ...string) (others []string, err error) {
	if err := copyFile(s.index, filepath.Join(s.dir, "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, others, err := s.tree.entries(ctx, besides...)
	if err != nil {
		return nil, err
	}
	var present, assumed []string
	for _, e := range entries {
		if e.overlooked() && exists(filepath.Join(s.tree.Dir, e.path)) {
			present = append(present, e.path)
		}
		if e.assumed() {
			assumed = append(assumed, e.path)
		}
	}
	// One after the other: git takes one of them at a time.
	if err := s.feed(ctx, present, "update-index", "--no-skip-worktree", "-z", "--stdin"); err != nil {
		return nil, err
	}
	return others, s.feed(ctx, assumed, "update-index", "--no-assume-unchanged", "-z", "--stdin")
}

// copyFile keeps the time of the last change: git takes a file that is older
// than the index for unchanged if its size is the same.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// entry is one file of an index.
type entry struct{ tag, mode, path string }

func (e entry) assumed() bool    { return e.tag != strings.ToUpper(e.tag) }
func (e entry) overlooked() bool { return e.assumed() || e.tag == "S" }

// entries lists the index and, where besides asks for it, other files.
func (t Tree) entries(ctx context.Context, besides ...string) (all []entry, others []string, err error) {
	out, err := t.Out(ctx, append([]string{"ls-files", "-z", "-v", "--stage"}, besides...)...)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		if other, is := strings.CutPrefix(line, "? "); is {
			others = append(others, other)
			continue
		}
		head, path, ok := strings.Cut(line, "\t")
		if f := strings.Fields(head); ok && len(f) > 1 {
			all = append(all, entry{tag: f[0], mode: f[1], path: path})
		}
	}
	return all, others, nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
