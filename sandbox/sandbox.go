// Package sandbox runs programs in a box: a folder that holds everything they
// may touch (HOME, XDG folders, TMPDIR, a project, a PATH of its own, a tmux
// server of its own), and proves that all of them are gone before it removes
// anything.
//
// It knows nothing of fixtures or releases. A box needs Linux; elsewhere Start
// says so.
//
// A program that starts boxes calls Main first of all, also a test binary in
// its TestMain: the box's supervisor, its tmux and its faults are copies of
// the running binary, found again by where they lie.
package sandbox

import (
	"io"
	"time"
)

// Config says what is in a box.
type Config struct {
	// Root is the folder to make. It must not exist, is absolute, at most 40
	// bytes of [A-Za-z0-9._/-], and ends in a word that occurs nowhere else,
	// see FreshRoot. Empty means FreshRoot(8).
	Root string
	// CLI is a folder whose whole content is copied into the box's bin/: the
	// programs of the subject. Empty for none.
	CLI string
	// Tools names programs of this machine, found on the caller's PATH, that
	// are linked into bin/.
	Tools []string
	// StandIns are scripts copied into bin/ under the name of the program
	// that they stand in for.
	StandIns map[string]string
	// Tmux puts the tmux shim into bin/: the machine's tmux on the box's own
	// socket, with no configuration of the user or the system.
	Tmux bool
	// Env is added to the environment of everything that runs in the box.
	Env map[string]string
	// FirstPID is where the numbering of processes starts in a box with a PID
	// namespace, so that two boxes show different pids. 0 leaves it alone. Where it
	// has no effect, Box.FirstPID says so.
	FirstPID int
	// NoNamespace does without layer E even where it can be had.
	NoNamespace bool
	// Patience is how long Stop tries before it gives up on the proof.
	// 0 means 10 seconds.
	Patience time.Duration

	without layer // layers of the proof switched off, for the tests that show what each one is for
}

// Cmd is one program run in a box.
type Cmd struct {
	// Role runs this very binary in the box, in the named role (see Main).
	// Otherwise Args[0] is looked up in the box's bin/.
	Role string
	Args []string
	// Dir is relative to the box's root; empty means the project.
	Dir string
	// Env is added to the box's environment.
	Env []string
	// An *os.File is handed to the program as it is, for interactive use.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal gives the program a terminal of its own for all three streams,
	// joined to Stdin and Stdout. Where Stdin is a terminal it is raw
	// meanwhile, and its size is followed.
	Terminal bool
}

// Role is something that a program's own binary can be asked to do inside of a
// box. Run gets the box as it is seen from within and the arguments after the
// role's name, and returns an exit code.
type Role struct {
	Name string
	Run  func(in *Inside, args []string) int
}

// Inside is a box seen from a process that runs in it.
type Inside struct{ Root string }

// Process is one process that holds a box.
type Process struct {
	PID     int       `json:"pid"`   // in the outer namespace
	Start   uint64    `json:"start"` // in clock ticks since boot: with PID, one process for good
	Since   time.Time `json:"since"` // Start as a time of day
	UID     int       `json:"uid"`
	Command string    `json:"command"`
	Why     []string  `json:"why"`  // which layer saw it: lease, descendant, listens, marker, cwd
	Ours    bool      `json:"ours"` // a descendant or a holder that runs as the box's user: it was signalled
}

// HeldError says that a box could not be proved empty. Nothing was removed, and
// nothing is by itself when the holder has gone: Stop and Close may be tried
// again. When the caller ends, the box's supervisor tries once more, and keeps
// the box if it is still held; then it is for Boxes and Reap.
type HeldError struct {
	Root string
	Left []Process
	Why  string
}

// FaultAction is what a fault does.
type FaultAction string

const (
	KillCaller      FaultAction = "kill-caller"       // before the program runs; the caller is the nearest ancestor that is the subject's CLI
	KillCallerAfter FaultAction = "kill-caller-after" // when it has run
	Fail            FaultAction = "fail"
	Hang            FaultAction = "hang"
)

// Fault makes one program of the box misbehave when it is called.
type Fault struct {
	ID      int         `json:"id"` // unique in the box
	Program string      `json:"program"`
	Stdin   bool        `json:"stdin,omitempty"` // match standard input rather than the arguments joined by a space
	Pattern string      `json:"pattern"`
	Action  FaultAction `json:"action"`
	Code    int         `json:"code,omitempty"`
	Message string      `json:"message,omitempty"`
	Count   int         `json:"count"` // how often it fires before it stands aside; at least 1
}

// Firing records one fault that fired.
type Firing struct {
	Fault   int       `json:"fault"`
	Time    time.Time `json:"time"`
	Program string    `json:"program"`
	PID     int       `json:"pid"`     // of the caller that was ended, else of the program that failed or hangs; as the box numbers it
	Command string    `json:"command"` // of that process
	Signal  string    `json:"signal,omitempty"`
}
