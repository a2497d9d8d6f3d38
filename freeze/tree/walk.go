package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What a capture takes.
const (
	LargestFile    = 64 << 20  // bytes of one file
	LargestCapture = 512 << 20 // bytes of all files of a Walk
	// LongestPath is in bytes: macOS takes no more in a whole path, and a
	// fixture is read there too.
	LongestPath = 1024
)

// Walk captures what lies at the given box-relative places below root, sorted
// by Path. A place that is not there gives no entries: a scenario may leave
// one of its family's roots untouched. A hard link is captured as a file of
// its own. What cannot be read, or vanishes while it is read, is an error that
// names it: nothing may run in the tree any more. A place that a symlink leads
// out of root is an error too, and so is what is larger than LargestFile,
// LargestCapture or LongestPath allow.
func Walk(root string, under []string) ([]Entry, error) {
	var entries []Entry
	seen := make(map[string]bool)
	total := int64(0)
	err := visit(root, under, func(f found) error {
		if seen[f.path] {
			return nil
		}
		seen[f.path] = true
		e, err := f.entry()
		if err != nil {
			return err
		}
		if total += int64(len(e.Data)); total > LargestCapture {
			return fmt.Errorf("with it the files have %d bytes, more than the limit of %d for one capture", total, LargestCapture)
		}
		entries = append(entries, e)
		return nil
	})
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries, err
}

// visit calls see for all that lies at the places, a folder before its content.
func visit(root string, under []string, see func(found) error) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	defer r.Close()
	for _, place := range under {
		if !filepath.IsLocal(place) {
			return fmt.Errorf("capture %q: not a place below the box", place)
		}
		w := walker{root, see}
		if err := w.place(r, path.Clean(filepath.ToSlash(place))); err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	root string
	see  func(found) error
}

func (w walker) place(r *os.Root, name string) error {
	if _, err := r.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return unreadable(name, err)
	}
	dir, err := r.OpenRoot(path.Dir(name))
	if err != nil {
		return unreadable(name, err)
	}
	defer dir.Close()
	return w.walk(dir, name)
}

// walk opens each folder from the one above it: a whole path would be resolved
// anew from the top for each entry, which deep trees make slow.
func (w walker) walk(dir *os.Root, name string) error {
	if len(name) > LongestPath {
		return fmt.Errorf("capture %q...: the path has %d bytes, more than the limit of %d", name[:64], len(name), LongestPath)
	}
	info, err := dir.Lstat(path.Base(name))
	if err != nil {
		return unreadable(name, err)
	}
	if name != "." {
		err := w.see(found{root: w.root, path: name, dir: dir, info: info})
		if _, ok := errors.AsType[*SizeError](err); ok {
			return fmt.Errorf("capture %q: %w", name, err)
		}
		if err != nil {
			return unreadable(name, err)
		}
	}
	if !info.IsDir() {
		return nil
	}
	return w.children(dir, name)
}

func (w walker) children(dir *os.Root, name string) error {
	folder, err := dir.OpenRoot(path.Base(name))
	if err != nil {
		return unreadable(name, err)
	}
	defer folder.Close()
	names, err := namesIn(folder)
	if err != nil {
		return unreadable(name, err)
	}
	for _, child := range names {
		if err := w.walk(folder, path.Join(name, child)); err != nil {
			return err
		}
	}
	return nil
}

func namesIn(folder *os.Root) ([]string, error) {
	d, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func unreadable(name string, err error) error {
	return fmt.Errorf("capture %q: %w; what is captured must be at rest, and readable by the box's user", name, err)
}
