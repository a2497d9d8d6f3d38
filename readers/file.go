package readers

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// MaxDocument is the largest document that is read, in bytes.
const MaxDocument = 16 << 20

// File returns the content of the regular file name. It refuses a name that
// leads out of fsys ([fs.ErrInvalid]), a symlink anywhere on the way and
// anything but a regular file ([ErrNotRegular]), and more than [MaxDocument]
// bytes ([ErrTooLarge]). An fsys that is no [fs.ReadLinkFS] shows it no
// symlinks.
func File(fsys fs.FS, name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	if err := noSymlink(fsys, name); err != nil {
		return nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q: %w", name, ErrNotRegular)
	}
	if info.Size() > MaxDocument {
		return nil, fmt.Errorf("%q: %w", name, ErrTooLarge)
	}
	// It may grow meanwhile.
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, MaxDocument+1)); err != nil {
		return nil, err
	}
	if b.Len() > MaxDocument {
		return nil, fmt.Errorf("%q: %w", name, ErrTooLarge)
	}
	return b.Bytes(), nil
}

// noSymlink looks at every component of name: an os.Root keeps a symlink from
// leading out, but not from leading to the neighbour's document.
func noSymlink(fsys fs.FS, name string) error {
	elems := strings.Split(name, "/")
	for i := range elems {
		at := path.Join(elems[:i+1]...)
		info, err := fs.Lstat(fsys, at)
		if err != nil {
			return err
		}
		if last := i == len(elems)-1; last && !info.Mode().IsRegular() || info.Mode().Type() == fs.ModeSymlink {
			return fmt.Errorf("%q: %w: it is %s", at, ErrNotRegular, kind(info.Mode()))
		}
	}
	return nil
}

func kind(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeSymlink:
		return "a symlink"
	case fs.ModeDir:
		return "a folder"
	default:
		return "a special file"
	}
}
