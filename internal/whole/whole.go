// Package whole writes a file that a user has named: whole or not at all.
package whole

import (
	"errors"
	"os"
	"path/filepath"
)

// Write puts data in the place of the file, which other processes see as it was
// or as it is then. Where it fails, nothing of it is left. Whoever is killed in
// it leaves a file beside, whose name begins with Unfinished of the file's.
//
// What is there and is no regular file, such as a pipe, a device or a symbolic
// link, is written into.
func Write(file string, data []byte) error {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(file, data, 0o644)
	}
	f, err := os.CreateTemp(filepath.Dir(file), Unfinished(filepath.Base(file))+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Unfinished is how the names begin under which a file of this name is written.
func Unfinished(name string) string { return "." + name + "." }
