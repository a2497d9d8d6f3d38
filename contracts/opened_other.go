//go:build !unix

package contracts

import (
	"io/fs"
	"os"
	"path/filepath"
)

// opened is a folder by its path.
type opened struct{ path string }

func openFolder(path string) (opened, error)                         { return opened{path}, nil }
func (o opened) folder(name string) (opened, error)                  { return opened{o.at(name)}, nil }
func (o opened) at(name string) string                               { return filepath.Join(o.path, name) }
func (o opened) close() error                                        { return nil }
func (o opened) readlink(name string, _ []byte) (string, error)      { return os.Readlink(o.at(name)) }
func (o opened) read(name string, _ int64, _ []byte) ([]byte, error) { return os.ReadFile(o.at(name)) }

func (o opened) names([]byte) (names []string, err error) {
	entries, err := os.ReadDir(o.path)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// attrs are without what Windows makes of the rights to a file.
func (o opened) attrs(name string) (attrs, error) {
	info, err := os.Lstat(o.at(name))
	if err != nil {
		return attrs{}, err
	}
	return attrs{mode: info.Mode() &^ fs.ModePerm, size: info.Size(), changed: info.ModTime()}, nil
}
