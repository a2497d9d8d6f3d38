// Package document puts the documents of a project on disk: whole or not at
// all, for their owner only, and by one process at a time.
//
// It knows nothing of what is in them. Reading is the readers' part.
package document

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write puts b in the place of the file name. After a crash the file is the
// old one or the new one; when Write has returned nil it is the new one, power
// loss included. Missing folders are made, with mode 0700.
//
// The caller holds the lock that covers name: the new file is written under
// one fixed name beside it, so that a killed process leaves at most that one,
// and the next Write takes it away.
func Write(name string, b []byte, mode fs.FileMode) error {
	dir := filepath.Dir(name)
	if err := MakeDir(dir); err != nil {
		return err
	}
	tmp := pending(name)
	if err := create(tmp, b, mode); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(dir)
}

// Pend leaves what a Write of the file name that was killed would. Whoever has to
// make something else before it can be told from one whose file is gone.
func Pend(name string) error { return create(pending(name), nil, 0o600) }

// Pending tells whether a Write of the file name was begun and is not done.
func Pending(name string) bool {
	_, err := os.Lstat(pending(name))
	return err == nil
}

func pending(name string) string {
	return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".new")
}

// create never writes through a symlink that somebody left in the place.
func create(name string, b []byte, mode fs.FileMode) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// MakeDir makes the folder and those above it that are missing, each with mode
// 0700, and sees to it that they survive a power loss.
func MakeDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("a file is in its place")}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := MakeDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// syncDir makes a rename last. Windows has no such call for folders.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
