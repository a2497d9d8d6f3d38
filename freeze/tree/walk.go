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

// Walk captures what lies at the given box-relative places below root, sorted
// by Path. A place that is not there gives no entries: a scenario may leave
// one of its family's roots untouched. A hard link is captured as a file of
// its own. What cannot be read, or vanishes while it is read, is an error that
// names it: nothing may run in the tree any more. A place that a symlink leads
// out of root is an error too.
func Walk(root string, under []string) ([]Entry, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	defer r.Close()
	w := walker{root: r}
	for _, place := range under {
		if !filepath.IsLocal(place) {
			return nil, fmt.Errorf("capture %q: not a place below the box", place)
		}
		if err := w.place(path.Clean(filepath.ToSlash(place))); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(w.entries, func(a, b Entry) bool { return a.Path == b.Path }), nil
}

type walker struct {
	root    *os.Root
	entries []Entry
}

func (w *walker) place(name string) error {
	if _, err := w.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return w.walk(name)
}

func (w *walker) walk(name string) error {
	e, err := w.entry(name)
	if err != nil {
		return fmt.Errorf("capture %q: %w; what is captured must be at rest, and readable by the box's user", name, err)
	}
	if name != "." {
		w.entries = append(w.entries, e)
	}
	if e.Type != Dir {
		return nil
	}
	names, err := w.names(name)
	if err != nil {
		return fmt.Errorf("capture %q: %w; what is captured must be at rest, and readable by the box's user", name, err)
	}
	for _, child := range names {
		if err := w.walk(path.Join(name, child)); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) names(dir string) ([]string, error) {
	d, err := w.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func (w *walker) entry(name string) (Entry, error) {
	info, err := w.root.Lstat(name)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Path: name, Type: typeOf(info.Mode()), Born: born(filepath.Join(w.root.Name(), name))}
	switch e.Type {
	case Symlink:
		e.Target, err = w.root.Readlink(name)
		return e, err
	case File:
		if e.Data, err = w.root.ReadFile(name); err != nil {
			return e, err
		}
		settled, is, err := SettleIndex(e.Data)
		if err != nil {
			return e, err
		}
		if is {
			e.Data = settled
		}
	}
	e.Mode = info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	return e, nil
}

func typeOf(m fs.FileMode) Type {
	switch m.Type() {
	case 0:
		return File
	case fs.ModeDir:
		return Dir
	case fs.ModeSymlink:
		return Symlink
	case fs.ModeSocket:
		return Socket
	case fs.ModeNamedPipe:
		return Fifo
	}
	return Device
}
