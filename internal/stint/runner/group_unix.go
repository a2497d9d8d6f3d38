//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// lead has a program start as the leader of a group of its own, so that what
// the terminal sends reaches this process only, which then sees to the rest.
// It has no terminal at all: one that asked something there would be stopped
// for good, since its group is in the background.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// signalGroup returns an error where nothing of the group is left. Signal 0
// only asks.
func signalGroup(pid int, sig syscall.Signal) error { return syscall.Kill(-pid, sig) }
