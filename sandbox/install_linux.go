package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Install copies the content of dir over the box's bin/, each file by a
// rename, so that a running program keeps what it has. What was installed is
// the subject's CLI: the caller that a fault kills is one of these files.
func (b *Box) Install(dir string) error {
	if err := b.folder.check(); err != nil {
		return err
	}
	return b.place.install(dir)
}

// Install copies the content of dir over the box's bin/, as Box.Install does.
func (in *Inside) Install(dir string) error { return in.place().install(dir) }

func (p place) install(dir string) error {
	root, err := os.OpenRoot(string(p))
	if err != nil {
		return err
	}
	defer root.Close()
	list, err := p.lockFile(p.cli())
	if err != nil {
		return err
	}
	defer list.Close()
	known, err := readLines(list)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "." {
			return err
		}
		if !d.IsDir() && !slices.Contains(known, name) {
			if _, err := fmt.Fprintln(list, name); err != nil {
				return err
			}
		}
		return p.installOne(root, path, name, d.Type())
	})
	if err != nil {
		return fmt.Errorf("installing %q: %w", dir, err)
	}
	return nil
}

func (p place) installOne(root *os.Root, from, name string, kind fs.FileMode) error {
	to := p.rel(filepath.Join(p.bin(), name))
	if p.isFaulty(name) {
		to = p.rel(filepath.Join(p.real(), name))
	}
	if kind.IsDir() {
		if err := root.Mkdir(to, 0o755); err != nil && !os.IsExist(err) {
			return err
		}
		return nil
	}
	next := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".new")
	switch {
	case kind&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		if p.isFaulty(name) {
			target = p.seenFromBin(target)
		}
		if err := root.Symlink(target, next); err != nil {
			return err
		}
	case kind.IsRegular():
		info, err := os.Stat(from)
		if err != nil {
			return err
		}
		if err := copyInto(root, from, next, info.Mode().Perm()); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%q is neither a file nor a folder nor a link", from)
	}
	return root.Rename(next, to)
}

// programsOfCLI are the paths of all that was installed, also where a fault
// has put them.
func (p place) programsOfCLI() ([]string, error) {
	list, err := openRegular(unix.AT_FDCWD, p.cli(), p.cli(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer list.Close()
	names, err := readLines(list)
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(p.bin(), name), filepath.Join(p.real(), name))
	}
	return paths, err
}

// lockFile opens a file that several processes of the box add to. It is locked
// until it is closed.
func (p place) lockFile(path string) (*os.File, error) {
	root, err := os.OpenRoot(string(p))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(p.rel(path), os.O_RDWR|os.O_CREATE|os.O_APPEND|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	if err := wantRegular(f); err != nil {
		f.Close()
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %q: %w", path, err)
	}
	return f, nil
}

// mostList is far beyond what faults, firings and names of programs take, in
// bytes.
const mostList = 4 << 20

func readLines(f *os.File) ([]string, error) {
	b, err := readBounded(f, mostList)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(b), "\n"), func(s string) bool { return s == "" }), nil
}
