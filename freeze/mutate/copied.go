package mutate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/otiai10/copy"

	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
)

// copied copies the tree into a folder of the run, and returns it. Without
// .git: in a linked work tree it leads back to the original.
func (s *site) copied(ctx context.Context, elem ...string) (string, error) {
	to := filepath.Join(append([]string{s.scratch.dir}, elem...)...)
	skip := func(info os.FileInfo, from, name string) (bool, error) {
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case info.Name() == ".git" || from == s.scratch.dir || from == s.scratch.memory:
			return true, nil
		case info.Mode()&os.ModeSymlink == 0:
			return false, nil
		}
		target, err := s.target(from)
		if err != nil {
			return false, err
		}
		if rel, inside := below(s.dir, target); inside {
			// From the copy, so that nothing is written to the tree.
			if target, err = filepath.Rel(filepath.Dir(name), filepath.Join(to, rel)); err != nil {
				return false, err
			}
		}
		return true, os.Symlink(target, name)
	}
	err := copy.Copy(s.dir, to, copy.Options{
		Skip: skip,
		// What is built already stays newer than what it is built of.
		PreserveTimes: true,
	})
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("copy of the tree: %w", err)
	}
	return to, nil
}

// target is the absolute path to which a link of the tree leads: as it is
// written where it leads there by that, and otherwise as it really is.
func (s *site) target(link string) (string, error) {
	target, err := os.Readlink(link)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(link), target)
	}
	target = filepath.Clean(target)
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return target, nil // it leads nowhere
	}
	if written, err := filepath.EvalSymlinks(target); err != nil || written != real {
		target = real
	}
	if _, inside := below(s.dir, target); inside {
		return target, nil
	}
	// The tree may go by several names.
	tree, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return "", err
	}
	if rel, inside := below(tree, real); inside {
		target = filepath.Join(s.dir, rel)
	}
	return target, nil
}

// below is a path from a folder, and whether it lies in it.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// edit makes the edit of a regression in a copy, or returns a
// *source.StaleError. No link leads it out of the copy.
func edit(dir string, r *regression.Regression) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(r.File)
	data, err := root.ReadFile(name)
	if err != nil {
		return &source.StaleError{Why: fmt.Sprintf("%s: cannot be read in a copy of the tree: %v", r.File, err)}
	}
	switch n := strings.Count(string(data), r.Find); {
	case n == 0:
		return &source.StaleError{Why: fmt.Sprintf("%s does not contain the text to find", r.File)}
	case n > 1:
		return &source.StaleError{Why: fmt.Sprintf("%s contains the text to find %d times", r.File, n)}
	}
	return root.WriteFile(name, []byte(strings.Replace(string(data), r.Find, r.Replace, 1)), 0o666)
}
