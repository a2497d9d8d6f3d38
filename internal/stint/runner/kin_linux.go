package runner

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// deepest is how far up from a process its ancestors are looked for.
const deepest = 1 << 10

// kin are the processes of the terminal session that process sid leads or led,
// those that are known to be of it and still run, and what any of them started
// in a session of its own, as setsid and script do: an agent may be in there.
// What was left to somebody else, as a daemon is, is none of them. The number
// is no other session's as long as one is left.
func kin(sid int, known []*os.Process) ([]*os.Process, error) {
	left := slices.DeleteFunc(slices.Clone(known), vanished)
	has := make(map[int]bool)
	for _, p := range left {
		has[p.Pid] = true
	}
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	seen := make(map[int]int)
	up := func(pid int) int {
		if _, ok := seen[pid]; !ok {
			seen[pid] = parent(pid)
		}
		return seen[pid]
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || has[pid] || !of(pid, sid, has, up) {
			continue
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			return nil, fmt.Errorf("process %d: %w", pid, err)
		}
		// The handle is that of whoever has the number by now.
		if of(pid, sid, has, parent) {
			left = append(left, p)
		}
	}
	return left, nil
}

// of tells whether a process or one above it is in a terminal session, or is
// known.
func of(pid, sid int, known map[int]bool, up func(int) int) bool {
	at := pid
	for range deepest {
		if at <= 1 {
			return false
		}
		got, err := unix.Getsid(at)
		if known[at] || err == nil && got == sid {
			return !zombie(pid)
		}
		at = up(at)
	}
	return false
}

// under tells whether this process was started by process pid or in the
// terminal session that it leads, or by one that was.
func under(pid int) bool { return of(os.Getpid(), pid, nil, parent) }

// parent is 0 where it is not known.
func parent(pid int) int {
	s, err := statOf(pid)
	if err != nil {
		return 0
	}
	return s.parent
}

// stat is what /proc says of a process.
type stat struct {
	state   byte
	parent  int
	session int
	tty     int // device of its terminal; 0: it has none
}

func statOf(pid int) (stat, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// Behind the program's name, which may have anything in it, are the state,
	// the parent, the group, the session and the terminal.
	var s stat
	var group int
	_, err = fmt.Sscanf(string(b[bytes.LastIndexByte(b, ')')+1:]), " %c %d %d %d %d", &s.state, &s.parent, &group, &s.session, &s.tty)
	return s, err
}
