package sandbox

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// faulty is one call of a program that has faults.
type faulty struct {
	place   place
	program string
	args    []string

	firings *os.File // locked while it is settled what fires
	wasRead bool     // standard input
	input   string   // what it was
	stdin   *os.File // the same, to be read again; nil if nothing was read
}

// runFaulty does what the first matching fault says, or becomes the program.
func runFaulty(p place, program string, args []string) int {
	f := &faulty{place: p, program: program, args: args}
	code, err := f.run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: fault on %q: %v\n", program, err)
		return 1
	}
	return code
}

func (f *faulty) run() (int, error) {
	fault, err := f.match()
	if err != nil {
		return 0, err
	}
	if fault == nil {
		f.firings.Close()
		return 0, f.become()
	}
	switch fault.Action {
	case Fail:
		if fault.Message != "" {
			fmt.Fprintln(os.Stderr, fault.Message)
		}
		return fault.Code, f.firedHere(*fault)
	case Hang:
		if err := f.firedHere(*fault); err != nil {
			return 0, err
		}
		for {
			unix.Pause()
		}
	case KillCallerAfter:
		return f.killCallerAfter(*fault)
	}
	return 1, f.killCaller(*fault)
}

// killCallerAfter lets go of the lock meanwhile, since the program may call
// others that have faults. If the fault was spent by another call then, this
// call is like any other.
func (f *faulty) killCallerAfter(fault Fault) (int, error) {
	f.firings.Close()
	code, err := f.runReal()
	if err != nil {
		return 0, err
	}
	spent, err := f.spent()
	if err != nil || spent[fault.ID] >= fault.Count {
		return code, err
	}
	return code, f.killCaller(fault)
}

// match returns the fault that fires, or nil, and keeps the firings locked.
// Standard input is read only for a fault that asks for it and still can fire,
// and not under the lock: who writes it may have faults, too.
func (f *faulty) match() (*Fault, error) {
	faults, err := f.faults()
	if err != nil {
		return nil, err
	}
	for {
		spent, err := f.spent()
		if err != nil {
			return nil, err
		}
		fault, unread, err := f.first(faults, spent)
		if err != nil || !unread {
			return fault, err
		}
		f.firings.Close()
		if err := f.read(); err != nil {
			return nil, err
		}
	}
}

func (f *faulty) faults() ([]Fault, error) {
	list, err := f.place.lockFile(f.place.faults())
	if err != nil {
		return nil, err
	}
	defer list.Close()
	return decodeLines[Fault](list)
}

// first is the first fault that matches and can fire. That standard input is
// still unread is told where the answer depends on it.
func (f *faulty) first(faults []Fault, spent map[int]int) (match *Fault, unread bool, err error) {
	for _, fault := range faults {
		if fault.Program != f.program || spent[fault.ID] >= fault.Count {
			continue
		}
		subject := strings.Join(f.args, " ")
		if fault.Stdin {
			if !f.wasRead {
				return nil, true, nil
			}
			subject = f.input
		}
		pattern, err := regexp.Compile(fault.Pattern)
		if err != nil {
			return nil, false, err
		}
		if pattern.MatchString(subject) {
			return &fault, false, nil
		}
	}
	return nil, false, nil
}

// spent locks the firings and counts them by fault.
func (f *faulty) spent() (map[int]int, error) {
	var err error
	if f.firings, err = f.place.lockFile(f.place.firings()); err != nil {
		return nil, err
	}
	firings, err := decodeLines[Firing](f.firings)
	spent := map[int]int{}
	for _, firing := range firings {
		spent[firing.Fault]++
	}
	return spent, err
}

// read takes in standard input. A terminal is left to the program: it has no
// end to wait for.
func (f *faulty) read() error {
	f.wasRead = true
	if term.IsTerminal(0) {
		return nil
	}
	all, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	// A file of memory and not a pipe: it holds any amount with nobody writing.
	fd, err := unix.MemfdCreate("stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	f.input, f.stdin = string(all), os.NewFile(uintptr(fd), "stdin")
	if _, err := f.stdin.Write(all); err != nil {
		return err
	}
	_, err = f.stdin.Seek(0, io.SeekStart)
	return err
}

func (f *faulty) path() string { return filepath.Join(f.place.real(), f.program) }

// become turns this process into the program.
func (f *faulty) become() error {
	if f.stdin != nil {
		if err := unix.Dup3(int(f.stdin.Fd()), 0, 0); err != nil {
			return err
		}
	}
	return fmt.Errorf("%q: %w", f.path(), unix.Exec(f.path(), append([]string{f.program}, f.args...), os.Environ()))
}

// runReal runs the program to its end and returns its exit code.
func (f *faulty) runReal() (int, error) {
	cmd := exec.Command(f.path(), f.args...)
	cmd.Args[0] = f.program
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if f.stdin != nil {
		cmd.Stdin = f.stdin
	}
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return 0, err
	}
	return exitCode(unix.WaitStatus(cmd.ProcessState.Sys().(syscall.WaitStatus))), nil
}

// killCaller records the firing after the signal and under the lock: who sees
// the caller dead and asks for the firings gets this one too.
func (f *faulty) killCaller(fault Fault) error {
	catchSignals() // the end of the caller may hang up this process's terminal
	caller, err := f.place.caller(os.Getpid())
	if err != nil {
		return err
	}
	command := commandLine(caller.pid)
	if err := signalProcess(caller.pid, caller.start, unix.SIGKILL); err != nil {
		return fmt.Errorf("ending the caller, pid %d: %w", caller.pid, err)
	}
	return f.fired(Firing{Fault: fault.ID, PID: caller.pid, Command: command, Signal: "SIGKILL"})
}

// firedHere records a fault that ends no other process.
func (f *faulty) firedHere(fault Fault) error {
	return f.fired(Firing{Fault: fault.ID, PID: os.Getpid(), Command: strings.Join(append([]string{f.program}, f.args...), " ")})
}

func (f *faulty) fired(firing Firing) error {
	firing.Program = f.program
	firing.Time = time.Now().UTC()
	defer f.firings.Close()
	return appendLine(f.firings, firing)
}
