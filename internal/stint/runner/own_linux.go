package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"golang.org/x/sys/unix"
)

// ofPane refuses a process that is not the program of a pane: it leads the
// terminal session of the pane's terminal, and the server started it. What
// another way of counting calls by the same number is something else here, or
// nothing.
func ofPane(p *tmux.Marked) error {
	var at syscall.Stat_t
	if err := syscall.Stat(p.TTY, &at); err != nil {
		return fmt.Errorf("its terminal %q is not here: %w", p.TTY, err)
	}
	s, err := statOf(p.PID)
	switch {
	case err != nil:
		return fmt.Errorf("its process %d is not here", p.PID)
	case s.state == 'Z', s.state == 'X', s.session != p.PID, s.tty != device(at.Rdev), s.parent != p.Server:
		return fmt.Errorf("process %d here is not its program", p.PID)
	}
	return nil
}

// device is a device as /proc writes it: the low bits of the minor number, the
// major one, and the rest of the minor one (man 5 proc, tty_nr).
func device(rdev uint64) int {
	major, minor := unix.Major(rdev), unix.Minor(rdev)
	return int(minor&0xff | major<<8 | minor&^0xff<<12)
}

// survivors are the processes that the program of a dead pane has left: those of
// the terminal session that it led, and those elsewhere, which may be daemons or
// an agent that a wrapper ran in a terminal session of its own. They are known
// by the variable mark, as NAME=value, in what they run on; what panes of others
// have by it is theirs, and what the server started itself is nobody's that has
// ended. A process of the terminal session of which it cannot be
// told is an error.
func survivors(mark string, p *tmux.Marked, others []int) (left, elsewhere []*os.Process, err error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, nil, err
	}
	// The kernel gives the number of a session's leader to nobody as long as one
	// is left of the session: whoever else has it is proof that none is.
	leader, ours, _ := marked(p.PID, mark)
	taken := leader != nil && !ours && parent(p.PID) != p.Server
	if leader != nil {
		leader.Release()
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		sid, err := unix.Getsid(pid)
		inside := err == nil && sid == p.PID && !taken
		process, ours, err := marked(pid, mark)
		// In the middle of its exec one shows nothing.
		for end := time.Now().Add(shown); inside && err != nil && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			process.Release()
			process, ours, err = marked(pid, mark)
		}
		switch {
		case process == nil:
		case inside && ours:
			left = append(left, process)
		case inside:
			return nil, nil, fmt.Errorf("process %s is in the terminal session of its old program, and what it runs on cannot be read: end it", named(pid))
		case ours && !job(pid, p.Server) && !slices.ContainsFunc(others, func(other int) bool { return of(pid, other, nil, parent) }):
			elsewhere = append(elsewhere, process)
		default:
			process.Release() // There may be more processes than files to be open.
		}
	}
	return left, elsewhere, nil
}

// job tells whether a process was started by the server, or by one that was: what
// it runs in a popup or on a key has the session's environment, too. What a
// program left is a child of whoever takes in orphans, which a server may be that
// is the first of its container.
func job(pid, server int) bool {
	if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", server)); server <= 1 || err != nil || !strings.HasPrefix(string(name), "tmux") {
		return false
	}
	for range deepest {
		if pid = parent(pid); pid <= 1 || pid == server {
			return pid == server
		}
	}
	return false
}

// marked takes hold of a process that runs, and tells whether it runs on an
// environment with the variable mark. It is nil where there is none, and the
// error is that of one that runs and shows no environment.
func marked(pid int, mark string) (p *os.Process, has bool, err error) {
	p, err = os.FindProcess(pid)
	if err != nil {
		return nil, false, nil
	}
	at, err := env.Hold(pid)
	if err == nil {
		has, err = at.Has(mark)
	}
	if vanished(p) {
		p.Release()
		return nil, false, nil
	}
	return p, has, err
}

// named is a process by its number and its name.
func named(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return strconv.Itoa(pid)
	}
	return fmt.Sprintf("%d (%q)", pid, strings.TrimSpace(string(name)))
}
