// Package begin makes a process of a script runner's binary a command of the
// script: it hands its two streams over to the runner and becomes the command.
//
// It does so in an init and imports only what nearly any program does. Go makes
// packages ready in the order of their import paths, each as soon as all that
// it imports is (Go specification, "Program initialization"), and for a binary
// as large as freeze that takes longer than all else of a command's beginning.
//
// It does nothing in any other process, and knows no limit: what a command may
// print is the runner's to say.
package begin

import (
	"errors"
	"strconv"
)

// Word is the first argument of a process that is to become a command. The
// number of the command's line and the command itself follow.
const Word = "begin"

// Socket is where a runner listens for the processes of its binary program, a
// role of a box. It is empty for a program that is none.
func Socket(program string) string {
	const role = "/self/role/"
	for at := len(program) - len(role); at >= 0; at-- {
		if program[at:at+len(role)] == role {
			return program[:at] + "/script/begin"
		}
	}
	return ""
}

// Message is what a process that begins says of itself.
type Message struct {
	PID, Line int
	None      string // the program that PATH does not have
	Why       string // why it could not be run
}

// text divides by NUL, which is in no argument and no name of a file.
func (m Message) text() []byte {
	return []byte(strconv.Itoa(m.PID) + "\x00" + strconv.Itoa(m.Line) + "\x00" + m.None + "\x00" + m.Why)
}

// Parse reads a message.
func Parse(text []byte) (Message, error) {
	pid, rest := cut(string(text), 0)
	line, rest := cut(rest, 0)
	none, why := cut(rest, 0)
	p, err := strconv.Atoi(pid)
	l, err2 := strconv.Atoi(line)
	return Message{PID: p, Line: l, None: none, Why: why}, errors.Join(err, err2)
}

// cut is strings.Cut, whose package is made ready late.
func cut(s string, at byte) (before, after string) {
	for i := range len(s) {
		if s[i] == at {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
