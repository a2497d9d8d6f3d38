//go:build !unix

package mutate

import (
	"errors"
	"os"
)

// lock opens a folder. Without locks nobody can tell that a run is no more, so
// who does not wait is refused it.
func lock(dir string, wait bool) (*os.File, error) {
	if !wait {
		return nil, errors.ErrUnsupported
	}
	return os.Open(dir)
}
