//go:build unix

package tmux

import (
	"os/exec"
	"syscall"
)

// apart has a client run in a group of its own: what a terminal sends to the
// caller, as at C-c or when it is closed, would end the client before the
// server has its commands.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
