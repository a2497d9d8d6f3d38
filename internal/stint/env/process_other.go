//go:build !linux

package env

import "fmt"

// Process is one process for good: the number alone is given to another one
// when it has ended.
type Process struct{ PID int }

// Hold takes hold of the running process of that number. The error is
// [ErrGone] if there is none, and [ErrUnsupported] where the system tells
// nothing.
func Hold(pid int) (Process, error) {
	return Process{PID: pid}, fmt.Errorf("process %d: %w", pid, ErrUnsupported)
}

func (p Process) environ() ([]string, error) { return nil, ErrUnsupported }
