package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// setup is what the caller tells the supervisor before anything runs.
type setup struct {
	Namespace bool  `json:"namespace"`
	FirstPID  int   `json:"firstPID"`
	Without   layer `json:"without"`
	// Patience for an end that nobody asked for: the caller is gone.
	Patience nanoseconds `json:"patience"`
}

// supervisor is the process that everything in a box descends from. It lives
// outside of the box's namespace, where all of /proc can be read, starts no
// thread of its own accord that would collect children, and ends the box when
// its caller is gone.
type supervisor struct {
	place    place
	folder   *folder
	caller   *wire
	programs *os.File // the socket for programs, until somebody serves it
	setup    setup
	record   record

	children children
	runs     <-chan request // nil where the init serves them
	init     *initProcess   // nil without a namespace
	childEnd chan os.Signal
	lookout  lookout
	proved   bool
}

// Descriptors of the supervisor: its caller's requests, and those for programs.
const (
	fdCaller   = 3
	fdPrograms = 4
)

// supervise is the whole life of the supervisor. It returns its exit code,
// which nobody reads but a person at a debugger.
func supervise(p place) int {
	// What the caller had open and did not mark goes no further.
	unix.CloseRange(fdCaller, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	// The init ends with the thread that started it.
	runtime.LockOSThread()
	s := &supervisor{place: p, childEnd: catchSignals()}
	if err := s.open(); err != nil {
		return 1
	}
	requests := s.caller.requests()
	for {
		select {
		case r, open := <-requests:
			if !open {
				return s.leave()
			}
			if s.serve(r) {
				return 0
			}
		case r, open := <-s.runs:
			s.startProgram(r, open)
		case <-s.childEnd:
			s.children.reap()
		}
	}
}

// catchSignals leaves only SIGKILL to end this process, and makes what it
// starts begin with the default for each signal, whatever the caller ignored.
func catchSignals() (childEnd chan os.Signal) {
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGPIPE,
		unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
	childEnd = make(chan os.Signal, 1)
	signal.Notify(childEnd, unix.SIGCHLD)
	return childEnd
}

func (s *supervisor) open() error {
	var err error
	if s.caller, err = newWire(os.NewFile(fdCaller, "caller")); err != nil {
		return err
	}
	s.programs = os.NewFile(fdPrograms, "programs")
	if s.folder, err = openFolder(s.place); err != nil {
		return err
	}
	if err := s.folder.keepLocks(); err != nil {
		return err
	}
	// Its lock says that the supervisor lives. Waits, since who lists boxes tries
	// it for a moment.
	if err := unix.Flock(int(s.folder.owner.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if s.lookout, err = newLookout(s.folder, os.Getpid()); err != nil {
		return err
	}
	s.lookout.none = s.children.reap
	s.children = children{asked: map[int]uint64{}, onExit: s.exited}
	s.setup.Patience = nanoseconds(defaultPatience) // the caller may be gone before it says more
	unix.Umask(0o022)
	// A core file is nothing that a program persists.
	unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	if s.record, err = s.folder.readRecord(); err != nil {
		return err
	}
	if s.record.Supervisor, err = anchorOf(os.Getpid()); err != nil {
		return err
	}
	var leaseErr, ownerErr error
	s.record.Lease, leaseErr = inodeOf(s.folder.lease)
	s.record.Owner, ownerErr = inodeOf(s.folder.owner)
	return errors.Join(leaseErr, ownerErr, s.record.write(s.folder))
}

func newLookout(f *folder, root int) (lookout, error) {
	lease, err := f.open("lease", os.O_RDWR)
	if err != nil {
		return lookout{}, err
	}
	return lookout{place: f.place, folder: f, lease: lease, uid: os.Getuid(), root: root, own: map[int]bool{}}, nil
}

// serve answers one request of the caller and tells whether it was the last.
func (s *supervisor) serve(r request) (done bool) {
	answer := reply{ID: r.ID}
	switch {
	case r.Setup != nil:
		s.setup = *r.Setup
		s.lookout.without = s.setup.Without
		if err := s.begin(); err != nil {
			answer.Error = err.Error()
		}
		if s.init != nil {
			answer.Kind, answer.FirstPID, answer.Init = s.init.name, s.init.firstPID, s.init.anchor
		}
	case r.Stop != nil:
		came, err := s.end(r.Stop.Patience)
		if err != nil {
			answer.Error = err.Error()
		}
		answer.Report = &came
	case r.Remove:
		done = s.proved
		if err := s.remove(); err != nil {
			answer.Error = err.Error()
			done = false
		}
	}
	s.caller.send(answer)
	return done
}

// begin hands the socket for programs to an init in namespaces of its own, or
// serves it here where there can be none.
func (s *supervisor) begin() error {
	if s.setup.Namespace {
		s.init = startInit(s.place, s.programs, s.setup.FirstPID)
	}
	if s.init != nil {
		s.programs.Close()
		s.lookout.own[s.init.pid] = true
		s.record.Init = s.init.anchor
		return s.record.write(s.folder)
	}
	programs, err := newWire(s.programs)
	if err != nil {
		return err
	}
	s.children.caller = programs
	s.runs = programs.requests()
	return nil
}

func (s *supervisor) exited(pid int) {
	delete(s.lookout.own, pid) // another process may get the number
}

// end empties the box and proves it.
func (s *supervisor) end(patience nanoseconds) (report, error) {
	s.children.closed = true
	if s.init != nil {
		s.init.drain()
	}
	s.killServer()
	e := ending{lookout: &s.lookout, pause: s.pause, killAll: s.killOwn}
	came, err := e.run(context.Background(), time.Duration(patience))
	s.proved = err == nil && !came.Held
	return came, err
}

// killOwn ends what the box's machinery has running: the init, and with it all
// in its namespace, and a tmux client that nobody answers.
func (s *supervisor) killOwn() {
	for pid := range s.lookout.own {
		unix.Kill(pid, unix.SIGKILL) // not collected yet, so the pid is still its own
	}
}

// killServer asks the box's tmux server to end, and does not wait: where the
// server does not answer, the client is ended with the rest.
func (s *supervisor) killServer() {
	program, err := os.Readlink(s.place.realTmux())
	if err != nil {
		return // a box without tmux
	}
	if _, err := os.Lstat(s.place.socket()); err != nil {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	pid, err := syscall.ForkExec(program, boxServer(s.place).Argv("kill-server"), &syscall.ProcAttr{
		Dir: "/", Env: []string{"LC_ALL=C.UTF-8"}, Files: []uintptr{null.Fd(), null.Fd(), null.Fd()},
	})
	if err == nil {
		s.lookout.own[pid] = true
	}
}

// pause waits for a moment or the end of a child, and refuses programs that
// are asked for meanwhile.
func (s *supervisor) pause(d time.Duration) {
	select {
	case r, open := <-s.runs:
		s.startProgram(r, open)
	case <-s.childEnd:
	case <-time.After(d):
	}
}

func (s *supervisor) startProgram(r request, open bool) {
	if !open {
		s.runs = nil // the caller is gone, which is seen where its requests are read
		return
	}
	s.children.handle(r)
}

func (s *supervisor) remove() error {
	if !s.proved {
		return fmt.Errorf("the box was not proved empty")
	}
	s.record.Proved = true
	if err := s.record.write(s.folder); err != nil {
		return err
	}
	return s.folder.remove()
}

// leave is what happens when the caller is gone: the box goes too, or is kept
// for a later run to look at where it cannot be proved empty.
func (s *supervisor) leave() int {
	came, err := s.end(s.setup.Patience)
	if err == nil && !came.Held && s.remove() == nil {
		return 0
	}
	s.record.Emptied = s.children.reap()
	s.record.write(s.folder)
	return 3
}
