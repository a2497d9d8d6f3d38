//go:build !linux

package runner

import (
	"errors"
	"os"
	"syscall"
)

// kin is the program of a pane alone, where no /proc lists what it started.
func kin(sid int, _ []*os.Process) ([]*os.Process, error) {
	p, err := os.FindProcess(sid)
	if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return nil, nil
	}
	return []*os.Process{p}, nil
}

// under tells whether process pid started this one.
func under(pid int) bool { return os.Getppid() == pid }
