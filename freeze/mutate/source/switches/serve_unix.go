//go:build unix

package switches

import (
	"os"
	"syscall"
)

// open opens the commands. What the tests start does not get them.
func open() *os.File {
	syscall.CloseOnExec(Commands)
	return os.NewFile(Commands, "commands")
}

func umask() int {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return mask
}
