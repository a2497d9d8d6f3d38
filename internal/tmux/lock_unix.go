//go:build unix

package tmux

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lock has one batch at a time on a server: a hook of the user's can have the
// server do a second one's commands between those of the first. It is on the
// socket's folder, so that nothing is left there, and waits for as long as a
// command may take.
func (u User) lock(ctx context.Context) (io.Closer, error) {
	dir, err := os.Open(filepath.Dir(u.Socket))
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(u.limit()); ; {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(&os.PathError{Op: "lock", Path: dir.Name(), Err: err}, dir.Close())
		case time.Now().After(end):
			return nil, errors.Join(errLocked, dir.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), dir.Close())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
