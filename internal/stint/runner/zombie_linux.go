package runner

import (
	"bytes"
	"fmt"
	"os"
)

// zombie tells whether a process has ended and nobody has asked how: in a
// container whose first process does not, it stays for ever.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The state is behind the program's name, which may have anything in it.
	after := stat[bytes.LastIndexByte(stat, ')')+1:]
	return bytes.HasPrefix(after, []byte(" Z ")) || bytes.HasPrefix(after, []byte(" X "))
}
