package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// initProcess is the first process of a box's PID namespace, seen from the
// supervisor.
type initProcess struct {
	pid    int
	name   string // which namespaces
	anchor *anchor
	link   *wire
	// firstPID is where the numbering of processes began, 0 if it was left alone.
	firstPID int
}

// drain makes it end as soon as nothing runs in the namespace any more. One that
// was stopped is woken up; where that does not help it is ended with the rest.
func (i *initProcess) drain() {
	i.link.send(request{Stop: &stop{}})
	signalProcess(i.anchor.PID, i.anchor.Start, unix.SIGCONT)
}

// namespaces to try, in this order. Inside of a user namespace the user keeps
// the own id; the capability is for mounting /proc and dropped after it.
func namespaces() []namespace {
	id := func(n int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: n, HostID: n, Size: 1}}
	}
	return []namespace{
		{"pid, mount", syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}},
		{"user, pid, mount", syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS,
			UidMappings: id(os.Getuid()), GidMappings: id(os.Getgid()),
			AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
		}},
	}
}

type namespace struct {
	name string
	attr syscall.SysProcAttr
}

// startInit returns nil where this machine gives no namespace with a fresh
// /proc: a box can do without.
func startInit(p place, programs *os.File, firstPID int) *initProcess {
	for _, n := range namespaces() {
		if i, err := n.start(p, programs, firstPID); err == nil {
			return i
		}
	}
	return nil
}

func (n namespace) start(p place, programs *os.File, firstPID int) (*initProcess, error) {
	link, there, err := wirePair("init")
	if err != nil {
		return nil, err
	}
	defer there.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	attr := n.attr
	attr.Setsid = true
	attr.Pdeathsig = unix.SIGKILL
	pid, err := syscall.ForkExec(p.init(), []string{"init"}, &syscall.ProcAttr{
		Dir: "/", Sys: &attr,
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd(), there.Fd(), programs.Fd()},
	})
	if err != nil {
		return nil, err
	}
	there.Close() // else a failing init would not be noticed
	var ready reply
	if err = link.send(request{Setup: &setup{FirstPID: firstPID}}); err == nil {
		_, err = link.receive(&ready)
	}
	if err == nil {
		err = ready.err("init")
	}
	i := &initProcess{pid: pid, name: n.name, link: link, firstPID: ready.FirstPID}
	if err == nil {
		i.anchor, err = anchorOf(pid)
	}
	if err != nil {
		unix.Kill(pid, unix.SIGKILL) // not collected yet, so the pid is still its own
		link.conn.Close()
		return nil, err
	}
	return i, nil
}

// runInit is the whole life of the init: it starts what the caller asks for,
// collects what ends, and ends by itself once told to and alone.
func runInit() int {
	unix.CloseRange(fdCaller, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	// All programs are started by this thread, the one that drops its
	// capabilities.
	runtime.LockOSThread()
	childEnd := catchSignals()
	link, err := newWire(os.NewFile(fdCaller, "supervisor"))
	if err != nil {
		return 1
	}
	programs, err := newWire(os.NewFile(fdPrograms, "programs"))
	if err != nil {
		return 1
	}
	var first request
	if _, err := link.receive(&first); err != nil || first.Setup == nil {
		return 1
	}
	var ready reply
	if ready.FirstPID, err = enterNamespace(first.Setup.FirstPID); err != nil {
		ready.Error = err.Error()
	}
	link.send(ready)
	c := children{caller: programs, asked: map[int]uint64{}}
	runs, orders := programs.requests(), link.requests()
	for {
		select {
		case r, open := <-runs:
			if !open {
				runs = nil // the supervisor sees it too and decides
				continue
			}
			c.handle(r)
		case _, open := <-orders:
			if !open {
				return 1
			}
			c.closed = true
		case <-childEnd:
		}
		if none := c.reap(); none && c.closed {
			return 0
		}
	}
}

// enterNamespace gives the namespace a /proc of its own, without which tmux
// finds no pane's folder, and lets go of what that took. It tells where the
// numbering of processes begins if that is where it was asked to.
func enterNamespace(firstPID int) (began int, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return 0, fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return 0, fmt.Errorf("mounting /proc: %w", err)
	}
	if firstPID > 1 {
		// A kernel without CONFIG_CHECKPOINT_RESTORE cannot, and a box is of
		// use without.
		if os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(firstPID-1)), 0) == nil {
			began = firstPID
		}
	}
	if os.Getuid() == 0 {
		return began, nil
	}
	return began, dropCapabilities()
}

func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("dropping ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}
