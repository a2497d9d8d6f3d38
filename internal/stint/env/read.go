package env

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// Read reads the env file at path. It may be a symlink. What it refuses is an
// error that is one of [ErrMissing], [ErrUnreadable], [ErrNotRegular],
// [ErrTooLarge], [ErrTooMany] and [ErrEmpty]; a bad line is a warning.
func Read(path string) (*File, error) {
	b, mode, err := content(path)
	if err != nil {
		return nil, fmt.Errorf("env file %q: %w", path, err)
	}
	f := Parse(b)
	f.Path = path
	switch n := len(f.Variables); {
	case n > MaxVariables:
		return nil, fmt.Errorf("env file %q: %w", path, ErrTooMany)
	case n == 0:
		return nil, fmt.Errorf("env file %q: %w%s: write NAME=value lines", path, ErrEmpty, badLines(f.Warnings))
	}
	// Windows has no such bits.
	if mode&0o077 != 0 && runtime.GOOS != "windows" {
		f.Warnings = append(f.Warnings, Warning{Text: fmt.Sprintf("others can get at the file, its mode is %04o: chmod 600 it", mode.Perm())})
	}
	return f, nil
}

// badLines are at most ten numbers.
func badLines(ws []Warning) string {
	var lines []string
	for _, w := range ws {
		lines = append(lines, strconv.Itoa(w.Line))
	}
	switch {
	case len(lines) == 0:
		return ""
	case len(lines) > 10:
		lines = append(lines[:10], "...")
	}
	return ", line " + strings.Join(lines, ", ") + " cannot be read"
}

// content neither waits for the writer of a fifo nor opens a device: some of
// them act when they are opened.
func content(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, refusal(err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, ErrNotRegular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, refusal(err)
	}
	defer f.Close()
	// Another file may be in the place by now.
	if info, err = f.Stat(); err != nil {
		return nil, 0, refusal(err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, ErrNotRegular
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return nil, 0, refusal(err)
	case len(b) > MaxFile:
		return nil, 0, ErrTooLarge
	}
	return b, info.Mode(), nil
}

// refusal leaves out the path, which the message has already.
func refusal(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrMissing
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}
