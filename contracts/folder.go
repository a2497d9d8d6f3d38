package contracts

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// folder is one of this process, for files of which none is run: where it
// lies, in memory, that may be forbidden.
type folder struct {
	dir  string
	lock *os.File // held as long as there is somebody who removes it
}

// ownFolder is the name of one. A folder with another name is nobody's here.
var ownFolder = regexp.MustCompile(`^(hostile )?(thaw|place)-\.[0-9]+$`)

// newFolder makes an empty one. The first of a process removes those that killed
// processes left.
func newFolder(name string) (*folder, error) {
	parent := cmp.Or(os.Getenv(ThawEnv), memory)
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = os.TempDir()
	}
	if _, did := current.swept.LoadOrStore(parent, true); !did {
		if err := sweep(parent); err != nil {
			return nil, err
		}
	}
	for {
		dir, err := os.MkdirTemp(parent, name+"-.")
		if errors.Is(err, fs.ErrPermission) && parent != os.TempDir() {
			parent = os.TempDir()
			continue
		}
		if err != nil {
			return nil, err
		}
		lock, err := lockFolder(dir, true)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, os.Remove(dir))
		}
		// Before it had its lock, another process may have swept it away.
		if err == nil && isAt(lock, dir) {
			return &folder{dir, lock}, nil
		}
		if lock != nil {
			lock.Close()
		}
	}
}

func (p *folder) remove() error { return errors.Join(removeAll(p.dir), p.lock.Close()) }

// sweep removes the places in a folder that no process holds any more.
func sweep(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	var all []error
	for _, e := range entries {
		if !e.IsDir() || !ownFolder.MatchString(e.Name()) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		lock, err := lockFolder(dir, false)
		if err != nil {
			continue // somebody has it, it is another user's, or it is gone by now
		}
		if isAt(lock, dir) {
			all = append(all, removeAll(dir))
		}
		lock.Close()
	}
	return errors.Join(all...)
}

func isAt(open *os.File, dir string) bool {
	here, err := open.Stat()
	there, lookErr := os.Lstat(dir)
	return err == nil && lookErr == nil && os.SameFile(here, there)
}
