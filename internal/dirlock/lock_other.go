//go:build !unix

package dirlock

import (
	"errors"
	"os"
)

// Lock opens a folder. Without locks nobody can tell that a process is no more, so
// who does not wait is refused it.
func Lock(dir string, wait bool) (*os.File, error) {
	if !wait {
		return nil, errors.ErrUnsupported
	}
	return os.Open(dir)
}
