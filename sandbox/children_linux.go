package sandbox

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// program is one program to start.
type program struct {
	Path     string   `json:"path"`
	Args     []string `json:"args"`
	Env      []string `json:"env"`
	Dir      string   `json:"dir"`
	Terminal bool     `json:"terminal,omitempty"` // its standard input becomes its controlling terminal
}

// children starts programs and collects every process that ends, the ones it
// adopted too. It belongs to one goroutine, so that no status of a program can
// be collected before the program is known.
type children struct {
	caller *wire // gets the replies; nil where nobody asks
	asked  map[int]uint64
	closed bool // no further program is started
	// onExit is told of the processes that nobody asked for.
	onExit func(pid int)
}

func (c *children) handle(r request) {
	defer closeAll(r.files)
	switch {
	case r.Run != nil:
		if err := c.start(r); err != nil {
			c.answer(reply{ID: r.ID, Error: err.Error()})
		}
	case r.Signal != 0:
		for pid, id := range c.asked {
			if id == r.ID { // not collected yet, so the pid is still its own
				unix.Kill(pid, r.Signal)
			}
		}
	}
}

func (c *children) start(r request) error {
	if c.closed {
		return fmt.Errorf("the box is closing")
	}
	p := r.Run
	if len(r.files) != 3 {
		return fmt.Errorf("%d streams came along, want 3", len(r.files))
	}
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("working folder %q is not there", p.Dir)
	}
	attr := &syscall.ProcAttr{Dir: p.Dir, Env: p.Env, Sys: &syscall.SysProcAttr{Setsid: true, Setctty: p.Terminal}}
	for _, f := range r.files {
		// Programs expect streams that wait, and a pipe of Go's does not.
		if err := unix.SetNonblock(int(f.Fd()), false); err != nil {
			return err
		}
		attr.Files = append(attr.Files, f.Fd())
	}
	pid, err := syscall.ForkExec(p.Path, p.Args, attr)
	if err != nil {
		return fmt.Errorf("%q: %w", p.Path, err)
	}
	c.asked[pid] = r.ID
	return nil
}

// reap collects what has ended and tells whether no child is left: then no
// descendant is, since all that lose their parent come here.
func (c *children) reap() (none bool) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ECHILD:
			return true
		case pid <= 0:
			return false
		}
		id, asked := c.asked[pid]
		delete(c.asked, pid)
		if asked {
			c.answer(reply{ID: id, Code: exitCode(status)})
		} else if c.onExit != nil {
			c.onExit(pid)
		}
	}
}

func (c *children) answer(r reply) {
	// A caller that is gone is noticed where its requests are read.
	_ = c.caller.send(r)
}

func exitCode(s unix.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}
