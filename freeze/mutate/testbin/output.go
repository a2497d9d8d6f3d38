package testbin

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
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
	fixtures map[string]string // by test that named one
	took     map[string]time.Duration
	failed   string // the first that ended so, the innermost
	messages []Message
	crash    string
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

// FixtureAttr is the attribute under which a test names the fixture that it
// reads, as FAMILY/RELEASE/SCENARIO.
const FixtureAttr = "freeze.fixture"

// maxMessage is about how much of a message is kept: the rest of a difference
// of a megabyte says nothing more.
const maxMessage = 16 << 10

// marker begins the lines of package testing, which no print can be taken for.
const marker = "\x16"

var (
	framing  = regexp.MustCompile(`^(?:=== (RUN|NAME|ATTR|PAUSE|CONT) +|--- (PASS|FAIL|SKIP): )(\S*)(?: (.*))?$`)
	crashing = regexp.MustCompile(`^(?:panic: |fatal error: |runtime: goroutine stack exceeds)`)
	located  = regexp.MustCompile(`^    ([^\s:]+\.go:\d+): (.*)$`)
)

// listener reads the output of -test.v=test2json as it comes.
type listener struct {
	said
	line     []byte // without its end so far
	test, id string // what the next message is of
	open     bool   // the last message may go on
}

func newListener() *listener {
	return &listener{said: said{status: make(map[string]Status), fixtures: make(map[string]string), took: make(map[string]time.Duration)}}
}

// maxLine is how much of a line is looked at.
const maxLine = 16 << 10

func (l *listener) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		l.line = append(l.line, part[:min(len(part), max(0, maxLine-len(l.line)))]...)
		if ended {
			l.read(string(l.line))
			l.line = l.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// read takes a line.
func (l *listener) read(line string) {
	// What a program prints without an end of line stands before the marker.
	if _, after, ok := strings.Cut(line, marker); ok {
		if m := framing.FindStringSubmatch(after); m != nil {
			l.frame(m[1], Status(m[2]), m[3], m[4])
			return
		}
	}
	if m := located.FindStringSubmatch(line); m != nil {
		l.messages = append(l.messages, Message{Test: l.test, At: m[1], ID: l.id, Text: m[2]})
		l.id, l.open = "", true
		return
	}
	if more, ok := strings.CutPrefix(line, "        "); ok && l.open {
		if last := &l.messages[len(l.messages)-1]; len(last.Text) < maxMessage {
			last.Text += "\n" + more
		}
		return
	}
	l.open = false
	if l.crash == "" && crashing.MatchString(line) {
		l.crash = strings.TrimSpace(line)
	}
}

// frame takes a line of package testing.
func (l *listener) frame(word string, status Status, test, rest string) {
	l.test, l.open = test, false
	if word == "ATTR" {
		switch key, value, _ := strings.Cut(rest, " "); {
		case key == AssertAttr && l.id == "":
			l.id = value
		case key == FixtureAttr:
			l.fixtures[test] = value
		}
	}
	if status != None {
		l.status[test] = status
		// Of another form it would be unknown, which is no time.
		l.took[test], _ = time.ParseDuration(strings.Trim(rest, "()"))
	}
	if status == Failed && l.failed == "" {
		l.failed = test
	}
}

// Status is how a test ended.
func (s said) Status(test string) Status { return s.status[test] }

// Took is how long a test took, to a hundredth of a second, without the start
// of its process.
func (s said) Took(test string) time.Duration { return s.took[test] }

// FirstFailed is the test that failed first, or empty.
func (s said) FirstFailed() string { return s.failed }

// Failures are the tests that failed, without those in which another did.
func (s said) Failures() []string {
	var all []string
	for test, status := range s.status {
		if status == Failed && !s.failedWithin(test) {
			all = append(all, test)
		}
	}
	slices.Sort(all)
	return all
}

func (s said) failedWithin(test string) bool {
	for other, status := range s.status {
		if status == Failed && strings.HasPrefix(other, test+"/") {
			return true
		}
	}
	return false
}

// Fixtures are those that tests named, each with whether such a test failed.
func (s said) Fixtures() map[string]bool {
	all := make(map[string]bool)
	for test, fixture := range s.fixtures {
		all[fixture] = all[fixture] || s.status[test] == Failed
	}
	return all
}

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
func (s said) Crash() string { return s.crash }
