package skeleton

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Free requires that none of the files is there.
func Free(dir string, files []File) error {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path))); err == nil {
			there = append(there, f.Path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(there) > 0 {
		return fmt.Errorf("%s: there already, and nothing is overwritten; move it away, or go on from it", strings.Join(there, ", "))
	}
	return nil
}

// Write makes all of the files, with the folders that they need, or none. What
// is there is never touched.
func Write(dir string, files []File) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var made []string
	defer func() {
		if err == nil {
			return
		}
		for _, name := range slices.Backward(made) {
			err = errors.Join(err, root.Remove(name))
		}
	}()
	for _, f := range files {
		name := filepath.FromSlash(f.Path)
		folders, err := mkdirAll(root, filepath.Dir(name))
		made = append(made, folders...)
		if err != nil {
			return err
		}
		to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		made = append(made, name)
		_, err = to.WriteString(f.Text)
		if err := errors.Join(err, to.Close()); err != nil {
			return err
		}
	}
	return nil
}

// mkdirAll makes a folder and those above it, and returns what it made, the
// uppermost first.
func mkdirAll(root *os.Root, name string) (made []string, err error) {
	if info, err := root.Stat(name); err == nil && info.IsDir() {
		return nil, nil
	}
	if above := filepath.Dir(name); above != name {
		if made, err = mkdirAll(root, above); err != nil {
			return made, err
		}
	}
	if err := root.Mkdir(name, 0o777); err != nil {
		return made, err
	}
	return append(made, name), nil
}
