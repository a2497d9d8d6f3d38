package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
)

// remove deletes the box, its record last: what an interrupted removal leaves
// is still known for a box.
func (p place) remove() error {
	names, err := readNames(string(p))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if p.at(name) == p.record() {
			continue
		}
		if err := removeAll(p.at(name)); err != nil {
			return err
		}
	}
	return removeAll(string(p))
}

// removeAll also removes folders that their owner may not write.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
			if err != nil {
				// Now it can be read.
				return filepath.SkipDir
			}
		}
		return nil
	})
	return os.RemoveAll(path)
}
