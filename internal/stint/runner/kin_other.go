//go:build !linux

package runner

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"github.com/freeze-contracts/permafrost/internal/tmux"
)

// kin is the program of a pane alone, where no /proc lists what it started.
func kin(sid int, _ []*os.Process) ([]*os.Process, error) {
	p, err := os.FindProcess(sid)
	if err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return nil, nil
	}
	return []*os.Process{p}, nil
}

// ofPane believes tmux, where no /proc tells otherwise and no process is counted
// in two ways.
func ofPane(*tmux.Marked) error { return nil }

// survivors are not looked for where no /proc shows what a process runs on.
func survivors(string, *tmux.Marked, []int) (left, elsewhere []*os.Process, err error) {
	return nil, nil, nil
}

// holders are not known where no /proc shows what a process has open.
func holders(string) []string { return nil }

func named(pid int) string { return strconv.Itoa(pid) }

// under tells whether process pid started this one.
func under(pid int) bool { return os.Getppid() == pid }
