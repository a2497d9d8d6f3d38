package contracts

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/freeze-contracts/permafrost/internal/dirlock"
)

// folder is one of this process, for files of which none is run: where it
// lies, in memory, that may be forbidden.
type folder struct {
	dir  string
	lock *os.File // held as long as there is somebody who removes it
}

// ownFolder is the name of one. A folder with another name is nobody's here.
var ownFolder = regexp.MustCompile(`^((hostile )?(thaw|place|program)-\.[0-9]+|r-\.[0-9a-z]{3})$`)

// newFolder makes an empty one in the first of the folders parents that has
// room for it; without any, below the folder that ThawEnv names, in memory, or
// for temporary files. The first of a process removes those that killed
// processes left.
func newFolder(name string, parents ...string) (*folder, error) {
	if parents == nil {
		parents = []string{cmp.Or(os.Getenv(ThawEnv), memory), os.TempDir()}
	}
	var all []error
	for _, parent := range parents {
		p, err := newFolderIn(parent, func() (string, error) { return os.MkdirTemp(parent, name+"-.") })
		if err == nil {
			return p, nil
		}
		all = append(all, err)
	}
	return nil, errors.Join(all...)
}

// newShortFolder makes an empty one with a path that is shorter than that of a
// box, fz. and eight letters in /tmp.
func newShortFolder() (*folder, error) {
	parent := memory
	if _, err := os.Stat(parent); err != nil {
		parent = os.TempDir()
	}
	return newFolderIn(parent, func() (string, error) {
		for {
			dir := filepath.Join(parent, "r-."+strconv.FormatUint(36*36+rand.Uint64N(35*36*36), 36))
			if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
				return dir, err
			}
		}
	})
}

// newFolderIn holds the folder that makeIn makes in parent.
func newFolderIn(parent string, makeIn func() (string, error)) (*folder, error) {
	if _, did := current.swept.LoadOrStore(parent, true); !did {
		sweep(parent)
	}
	dir, lock, err := dirlock.Make(makeIn)
	switch {
	case dir == "":
		return nil, err
	case err != nil:
		return nil, errors.Join(err, os.Remove(dir))
	}
	return &folder{dir, lock}, nil
}

func (p *folder) remove() error { return errors.Join(removeAll(p.dir), p.lock.Close()) }

// sweep removes the places in a folder that no process holds any more.
func sweep(parent string) { dirlock.Sweep(parent, ownFolder, removeAll) }
