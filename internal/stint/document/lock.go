package document

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrLocked is a lock that another process holds.
var ErrLocked = errors.New("another stint is at work on it")

const (
	// Patience is how long to wait for what takes moments.
	Patience = 10 * time.Second
	pause    = 20 * time.Millisecond
)

// Lock is held by one process at a time, and by none when its holder is gone.
type Lock struct{ f *os.File }

// Acquire takes the lock file name, which is made if it is missing, and waits
// for another process to let go of it.
//
// The lock file is never removed but with the folder it is in, by who holds it:
// a second process could otherwise lock a new inode of the same name. Who waited
// for such a one takes the new one.
func Acquire(ctx context.Context, name string, patience time.Duration) (*Lock, error) {
	for end := time.Now().Add(patience); ; {
		if err := MakeDir(filepath.Dir(name)); err != nil {
			return nil, err
		}
		l, err := AcquireIn(ctx, name, time.Until(end))
		if !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			return l, err
		}
	}
}

// AcquireIn is Acquire in a folder that is there, and makes none. The error is
// [fs.ErrNotExist] where it has gone, also while the lock was waited for.
func AcquireIn(ctx context.Context, name string, patience time.Duration) (*Lock, error) {
	l, err := acquire(ctx, name, patience)
	if err == nil && !l.is(name) {
		l.Release()
		return nil, &fs.PathError{Op: "lock", Path: name, Err: fs.ErrNotExist}
	}
	return l, err
}

// is tells whether the lock is that of the file which has its name now.
func (l *Lock) is(name string) bool {
	held, err := l.f.Stat()
	there, gone := os.Stat(name)
	return err == nil && gone == nil && os.SameFile(held, there)
}

// acquire locks the file that has the name now, and may have it no more when the
// lock is held.
func acquire(ctx context.Context, name string, patience time.Duration) (*Lock, error) {
	// Go marks it close-on-exec, so that no tmux server and no hook of git
	// inherits the lock.
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; {
		held, err := tryLock(f)
		switch {
		case err != nil:
			return nil, errors.Join(fmt.Errorf("lock %q: %w", name, err), f.Close())
		case held:
			return &Lock{f}, nil
		case time.Now().After(end):
			return nil, errors.Join(fmt.Errorf("%w (it holds %q); try again when it is done", ErrLocked, name), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(pause):
		}
	}
}

// File is for a program that is to hold the lock, too: it does as long as it
// has the file open, and so does whatever it starts.
func (l *Lock) File() *os.File { return l.f }

// Release lets go.
func (l *Lock) Release() { l.f.Close() }

// Busy tells whether a process holds the lock file name. It makes none.
func Busy(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryLock(f)
	return err == nil && !free
}
