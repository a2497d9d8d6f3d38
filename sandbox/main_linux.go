package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Main must be the first thing that a program which starts boxes does, a test
// binary in its TestMain too. Where this process is a box's supervisor, tmux,
// fault or role it does that work and never returns. It knows by where its own
// binary lies, since the environment is the subject's to change.
func Main(roles ...Role) {
	exe, err := os.Executable()
	if err != nil {
		return
	}
	if work := workOf(exe, roles); work != nil {
		// Not os.Exit, which in a build with the race detector waits for a
		// second: the proof waits for the init's end.
		syscall.Exit(work())
	}
}

// workOf returns nil for a binary that is not a box's own.
func workOf(exe string, roles []Role) func() int {
	dir, name := filepath.Split(exe)
	dir = filepath.Clean(dir)
	p := place(filepath.Dir(dir))
	switch filepath.Base(dir) {
	case "role":
		p = place(filepath.Dir(string(p)))
		if p.owns(exe) {
			return func() int {
				os.Exit(playRole(p, name, roles)) // a role may have more to do at its end
				return 0
			}
		}
	case "self":
		if p.owns(exe) && name == filepath.Base(p.supervisor()) {
			return func() int { return supervise(p) }
		}
		if p.owns(exe) && name == filepath.Base(p.init()) {
			return runInit
		}
	case "bin":
		if p.owns(exe) && p.isFaulty(name) {
			return func() int { return runFaulty(p, name, os.Args[1:]) }
		}
		fallthrough
	case "real":
		if p.owns(exe) && name == "tmux" {
			return func() int { return runTmux(p, os.Args[1:]) }
		}
	}
	return nil
}

// isMachinery tells whether this process should never have come past Main.
func isMachinery() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	p := place(filepath.Dir(filepath.Dir(exe)))
	return (exe == p.supervisor() || exe == p.init()) && p.owns(exe)
}

// owns tells whether exe is a name of the copy that lies in this box.
func (p place) owns(exe string) bool {
	self, err := os.Stat(p.self())
	if err != nil {
		return false
	}
	info, err := os.Stat(exe)
	return err == nil && os.SameFile(info, self)
}

func playRole(p place, name string, roles []Role) int {
	i := slices.IndexFunc(roles, func(r Role) bool { return r.Name == name })
	if i < 0 {
		fmt.Fprintf(os.Stderr, "sandbox: role %q is not one of those that this program names to sandbox.Main\n", name)
		return 2
	}
	return roles[i].Run(&Inside{Root: string(p)}, os.Args[1:])
}
