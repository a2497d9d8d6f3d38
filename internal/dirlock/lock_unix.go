//go:build unix

package dirlock

import (
	"errors"
	"os"
	"syscall"
)

// Lock opens a folder with the one lock on it, which ends with the process; it
// waits for that or is refused it.
func Lock(dir string, wait bool) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(&os.PathError{Op: "flock", Path: dir, Err: err}, f.Close())
	}
	return f, nil
}
