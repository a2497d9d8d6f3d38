package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rogpeppe/go-internal/txtar"
)

// CheckNames refuses an archive in which a file has no place of its own below
// the folder that it will be unpacked in.
func CheckNames(a *txtar.Archive) error {
	seen := make(map[string]bool)
	for _, f := range a.Files {
		switch {
		case !filepath.IsLocal(f.Name) || path.Clean(f.Name) != f.Name || f.Name == ".":
			return fmt.Errorf("file %q: not a plain relative path below the project", f.Name)
		case seen[f.Name]:
			return fmt.Errorf("file %q: is in the archive twice", f.Name)
		}
		seen[f.Name] = true
	}
	return nil
}

// unpack writes the files of the archive below dir. It is done here and not by
// testscript, which would make a folder of its own for them.
func unpack(dir string, a *txtar.Archive) error {
	if err := CheckNames(a); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range a.Files {
		if err := writeNew(root, f.Name, f.Data); err != nil {
			return fmt.Errorf("file %q of the archive: %w", f.Name, err)
		}
	}
	return nil
}

func writeNew(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
