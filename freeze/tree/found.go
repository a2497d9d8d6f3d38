package tree

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// found is something that a walk has come to, not read yet.
type found struct {
	root string // of the walk
	path string // relative to it
	dir  *os.Root
	info fs.FileInfo
}

func (f found) entry() (Entry, error) {
	e := Entry{Path: f.path, Type: typeOf(f.info.Mode()), Born: born(filepath.Join(f.root, filepath.FromSlash(f.path)))}
	base := path.Base(f.path)
	switch e.Type {
	case Symlink:
		var err error
		e.Target, err = f.dir.Readlink(base)
		return e, err
	case File:
		data, err := f.read()
		if err != nil {
			return e, err
		}
		settled, is, err := SettleIndex(data)
		if err != nil {
			return e, err
		}
		if e.Data = data; is {
			e.Data = settled
		}
	}
	e.Mode = f.info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	return e, nil
}

func (f found) read() ([]byte, error) {
	file, err := f.dir.Open(path.Base(f.path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLimited(file, f.info.Size(), LargestFile)
}

// States tells, for each path that lies at the places below root, what stands
// there: two states that differ are different things. Content counts, and of
// a file larger than LargestFile the size and time of its last change.
func States(root string, under []string) (map[string]string, error) {
	states := make(map[string]string)
	err := visit(root, under, func(f found) error {
		e, err := f.entry()
		if large, ok := errors.AsType[*SizeError](err); ok {
			states[f.path] = fmt.Sprintf("%s %v %d %v", e.Type, f.info.Mode(), large.Size, f.info.ModTime())
			return nil
		}
		states[f.path] = fmt.Sprintf("%s %v %q %x", e.Type, e.Mode, e.Target, sha256.Sum256(e.Data))
		return err
	})
	return states, err
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
