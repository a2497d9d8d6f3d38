// Package dirlock has folders of a process removed by the next one if it was
// killed: they are locked as long as it lives.
package dirlock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// Make locks the folder that makeIn makes, and has it make another where a
// process swept that away before it had its lock. A folder that cannot be locked
// is returned with the error.
func Make(makeIn func() (string, error)) (dir string, lock *os.File, err error) {
	for {
		if dir, err = makeIn(); err != nil {
			return "", nil, err
		}
		lock, err = Lock(dir, true)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return dir, nil, err
		case IsAt(lock, dir):
			return dir, lock, nil
		default:
			lock.Close()
		}
	}
}

// IsAt reports whether the open folder is the one at dir still: before it had its
// lock, another process may have swept it away.
func IsAt(open *os.File, dir string) bool {
	is, err := open.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(dir)
	return err == nil && os.SameFile(is, now)
}

// Sweep removes the folders in parent that have such a name and that nobody
// holds any more. What it may not look at, lock or remove is another user's, and
// none of our business.
func Sweep(parent string, name *regexp.Regexp, remove func(dir string) error) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if !e.IsDir() || !name.MatchString(e.Name()) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		lock, err := Lock(dir, false)
		if err != nil {
			continue // somebody has it, or it is gone by now
		}
		if IsAt(lock, dir) {
			_ = remove(dir)
		}
		lock.Close()
	}
}
