package runner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// kin are the processes of the terminal session that process sid leads or led:
// the program of a pane and all that it started, but for what left the
// terminal for good. The number is no other session's as long as one is left.
func kin(sid int) ([]*os.Process, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var all []*os.Process
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || !of(pid, sid) {
			continue
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
		// The handle is that of whoever has the number by now.
		if of(pid, sid) {
			all = append(all, p)
		}
	}
	return all, nil
}

func of(pid, sid int) bool {
	got, err := unix.Getsid(pid)
	return err == nil && got == sid && !zombie(pid)
}

// under tells whether this process was started by process pid, or by one that
// was, or is in the terminal session that it leads.
func under(pid int) bool {
	if sid, err := unix.Getsid(0); err == nil && sid == pid {
		return true
	}
	for at := os.Getpid(); at > 1; at = parent(at) {
		if at == pid {
			return true
		}
	}
	return false
}

// parent is 0 where it is not known.
func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// Behind the program's name, which may have anything in it, are the state
	// and the parent.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return n
}
