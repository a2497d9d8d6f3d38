package mutate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/freeze-contracts/permafrost/internal/dirlock"
)

// scratch are the folders of one run, in which all lies that it writes. They
// are short, since tests make sockets below them, and open to other users,
// since suites run themselves as another to see permissions hold.
type scratch struct {
	dir    string
	memory string // in memory where that can be had: fixtures are thawed there
	locks  []*os.File
}

// memory is where Linux keeps files in memory. Programs do not run there on
// every machine.
const memory = "/dev/shm"

// newScratch makes the folders of a run. Those that killed runs have left
// beside them are removed first.
func newScratch() (_ *scratch, err error) {
	s := new(scratch)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.remove())
		}
	}()
	if s.dir, err = s.folder(os.TempDir()); err != nil {
		return nil, err
	}
	if dir, err := s.folder(memory); err == nil {
		s.memory = dir
	} else {
		s.memory = filepath.Join(s.dir, "memory")
	}
	return s, errors.Join(os.MkdirAll(s.memory, 0o755), os.Chmod(s.dir, 0o755), os.Chmod(s.memory, 0o755))
}

// folder makes a folder, which is locked as long as this process lives.
func (s *scratch) folder(parent string) (string, error) {
	dirlock.Sweep(parent, ownFolder, removeAll)
	dir, lock, err := dirlock.Make(func() (string, error) { return os.MkdirTemp(parent, fmt.Sprintf("fzm%d.", os.Getpid())) })
	switch {
	case dir == "":
		return "", err
	case err == nil: // where nothing can be locked, nothing is swept
		s.locks = append(s.locks, lock)
	}
	return dir, nil
}

// ownFolder is the name of a run's folder. A folder with another is nobody's here.
var ownFolder = regexp.MustCompile(`^fzm[0-9]+\.[0-9]+$`)

func (s *scratch) remove() (err error) {
	for _, dir := range []string{s.memory, s.dir} {
		if dir != "" {
			err = errors.Join(err, removeAll(dir))
		}
	}
	for _, lock := range s.locks {
		err = errors.Join(err, lock.Close())
	}
	return err
}

// removeAll removes a folder, also where tests have left folders in it that
// are not writable.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// sub makes a folder in it.
func (s *scratch) sub(elem ...string) (string, error) {
	dir := filepath.Join(append([]string{s.dir}, elem...)...)
	return dir, os.MkdirAll(dir, 0o755)
}

// everyone makes a folder in which every user may write, as in /tmp.
func everyone(dir string) error {
	return errors.Join(os.MkdirAll(dir, 0o777), os.Chmod(dir, 0o777|os.ModeSticky))
}
