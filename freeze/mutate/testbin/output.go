package testbin

import (
	"bytes"
	"regexp"
	"strings"
)

// Status is how a test ended.
type Status string

const (
	None    Status = "" // it was not run, or did not come to its end
	Passed  Status = "PASS"
	Failed  Status = "FAIL"
	Skipped Status = "SKIP"
)

// said is what the output of a test binary says.
type said struct {
	status   map[string]Status // by test
	messages []Message
}

// Message is what a test that failed said. Package testing does not tell what
// is logged from what is an error, so what is logged counts: the first message
// of a test has to be the one that is meant.
type Message struct {
	Test string
	At   string // file:line
	ID   string // of the assertion, where it has one
	Text string
}

// AssertAttr is the attribute under which a failing assertion names its id,
// just before its message.
const AssertAttr = "freeze.assert"

// maxMessage is about how much of a message is kept: the rest of a difference
// of a megabyte says nothing more.
const maxMessage = 16 << 10

// marker begins the lines of package testing, which no print can be taken for.
const marker = "\x16"

var (
	framing = regexp.MustCompile(`^(?:=== (RUN|NAME|ATTR|PAUSE|CONT) +|--- (PASS|FAIL|SKIP): )(\S*)(?: (.*))?$`)
	located = regexp.MustCompile(`^    ([^\s:]+\.go:\d+): (.*)$`)
)

// read reads the output of -test.v=test2json.
func read(output []byte) said {
	s := said{status: make(map[string]Status)}
	test, id := "", ""
	open := false // the last message may go on
	for line := range strings.Lines(string(output)) {
		line = strings.TrimSuffix(line, "\n")
		// What a program prints without an end of line stands before the marker.
		if _, after, ok := strings.Cut(line, marker); ok && framing.MatchString(after) {
			m := framing.FindStringSubmatch(after)
			open = false
			switch {
			case m[2] != "":
				s.status[m[3]] = Status(m[2])
				test = m[3]
			case m[1] == "ATTR":
				if key, value, _ := strings.Cut(m[4], " "); key == AssertAttr && id == "" {
					id = value
				}
				test = m[3]
			default:
				test = m[3]
			}
			continue
		}
		if m := located.FindStringSubmatch(line); m != nil {
			s.messages = append(s.messages, Message{Test: test, At: m[1], ID: id, Text: m[2]})
			id, open = "", true
			continue
		}
		if more, ok := strings.CutPrefix(line, "        "); ok && open {
			if last := &s.messages[len(s.messages)-1]; len(last.Text) < maxMessage {
				last.Text += "\n" + more
			}
			continue
		}
		open = false
	}
	return s
}

// Status is how a test ended.
func (s said) Status(test string) Status { return s.status[test] }

// Ran reports whether any test was run.
func (s said) Ran() bool { return len(s.status) > 0 }

// First is the first message, of whichever test.
func (s said) First() (Message, bool) {
	if len(s.messages) == 0 {
		return Message{}, false
	}
	return s.messages[0], true
}

// Crash is the line by which the runtime said why it ended the process, or
// empty.
func (r *Result) Crash() string {
	for _, prefix := range []string{"panic: ", "fatal error: ", "runtime: goroutine stack exceeds"} {
		for line := range bytes.Lines(r.Output) {
			if text := strings.TrimSpace(string(line)); strings.HasPrefix(text, prefix) {
				return text
			}
		}
	}
	return ""
}
