//go:build unix

package runner

import (
	"os/exec"
	"syscall"
)

// lead has a program start as the leader of a group of its own, so that what
// the terminal sends reaches this process only, which then sees to the rest.
func lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup returns an error where nothing of the group is left. Signal 0
// only asks.
func signalGroup(pid int, sig syscall.Signal) error { return syscall.Kill(-pid, sig) }
