//go:build !unix

package contracts

import (
	"errors"
	"os"
)

// lockFolder only opens it: where a folder has no lock, none is swept away.
func lockFolder(dir string, wait bool) (*os.File, error) {
	if !wait {
		return nil, errors.ErrUnsupported
	}
	return os.Open(dir)
}
