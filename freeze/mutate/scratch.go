package mutate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// scratch are the folders of one run, in which all lies that it writes. They
// are short, since tests make sockets below them, and open to other users,
// since suites run themselves as another to see permissions hold.
type scratch struct {
	dir    string
	memory string // in memory where that can be had: fixtures are thawed there
}

// memory is where Linux keeps files in memory. Programs do not run there on
// every machine.
const memory = "/dev/shm"

func newScratch() (*scratch, error) {
	pattern := fmt.Sprintf("fzm%d-", os.Getpid())
	dir, err := os.MkdirTemp("", pattern)
	if err != nil {
		return nil, err
	}
	s := &scratch{dir, filepath.Join(dir, "memory")}
	if dir, err = os.MkdirTemp(memory, pattern); err == nil {
		s.memory = dir
	}
	err = errors.Join(os.MkdirAll(s.memory, 0o755), os.Chmod(s.dir, 0o755), os.Chmod(s.memory, 0o755))
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

func (s *scratch) remove() error { return errors.Join(removeAll(s.dir), removeAll(s.memory)) }

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
