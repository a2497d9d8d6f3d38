package env

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Process is one process for good: the number alone is given to another one
// when it has ended.
type Process struct {
	PID   int
	start string // clock ticks from boot
}

// Hold takes hold of the running process of that number. The error is
// [ErrGone] if there is none, and [ErrUnsupported] where the system tells
// nothing.
func Hold(pid int) (Process, error) {
	dir, err := os.OpenRoot(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return Process{}, fmt.Errorf("process %d: %w", pid, gone(err))
	}
	defer dir.Close()
	start, err := started(dir)
	if err != nil {
		return Process{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Process{PID: pid, start: start}, nil
}

// environ reads through one handle of the process's folder, which leads to no
// other process.
func (p Process) environ() ([]string, error) {
	dir, err := os.OpenRoot(fmt.Sprintf("/proc/%d", p.PID))
	if err != nil {
		return nil, gone(err)
	}
	defer dir.Close()
	start, err := started(dir)
	if err != nil {
		return nil, err
	}
	if start != p.start {
		return nil, ErrReused
	}
	b, err := read(dir, "environ")
	if err != nil {
		return nil, err
	}
	return entries(string(b))
}

// started is when a process was, which ended ones are not any more.
func started(dir *os.Root) (string, error) {
	stat, err := read(dir, "stat")
	if err != nil {
		return "", err
	}
	// Behind the program's name, which may have anything in it, the state is
	// the first field, and the 20th is when it started.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "", fmt.Errorf("its stat has %d fields", len(fields))
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return "", ErrGone
	}
	return string(fields[19]), nil
}

func read(dir *os.Root, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, gone(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return b, gone(err)
}

// gone tells the end of a process from other errors.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return ErrGone
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("its %s cannot be read: %w", at.Path, at.Err)
	}
	return err
}
