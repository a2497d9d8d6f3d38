package script

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// verdict is what testscript takes for a test. One script is run in it, so
// subtests and parallelism have no meaning.
type verdict struct {
	log    strings.Builder
	failed bool
}

func (v *verdict) Log(args ...any) { fmt.Fprintln(&v.log, args...) }
func (v *verdict) Parallel()       {}
func (v *verdict) Verbose() bool   { return false }

func (v *verdict) FailNow() {
	v.failed = true
	runtime.Goexit()
}

func (v *verdict) Fatal(args ...any) {
	v.Log(args...)
	v.FailNow()
}

// Skip fails: whoever plays a script wants it played.
func (v *verdict) Skip(args ...any) {
	v.Fatal(append([]any{"skip: a script that is played in a box cannot skip itself:"}, args...)...)
}

// Run waits in another goroutine than f's, which FailNow ends.
func (v *verdict) Run(_ string, f func(testscript.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(v)
	}()
	<-done
}

// blame reads testscript's log of a failure.
func (p *player) blame(log string) *Error {
	// testscript begins with where its own folder is, which is nobody's concern.
	log = strings.TrimPrefix(log, "WORK="+filepath.Join(p.work(), "script-script")+"\n")
	log = p.bounds.plain(log, p.lines)
	mark := "FAIL: " + p.file() + ":"
	at := strings.LastIndex(log, mark)
	if at < 0 {
		return &Error{Why: strings.TrimSpace(log)}
	}
	before := log[:at]
	number, why, _ := strings.Cut(log[at+len(mark):], ": ")
	e := &Error{Why: strings.TrimRight(why, "\n"), Log: tail(before)}
	e.Line, _ = strconv.Atoi(number)
	e.Command = p.text(e.Line)
	if e.Why == "test timed out while running command" {
		e.Why = p.bounds.tooLong()
	}
	return e
}

// mostLog is how much of a log somebody still reads, in bytes.
const mostLog = 64 << 10

// tail is the end of a log, where it is long.
func tail(log string) string {
	over := len(log) - mostLog
	if over <= 0 {
		return log
	}
	return fmt.Sprintf("[%d bytes left out]\n%s", over, log[over:])
}

// text is that of a line of the script.
func (p *player) text(line int) string {
	for _, l := range p.lines {
		if l.N == line {
			return l.Text
		}
	}
	return ""
}

// over is a command that bounds had to do with. Its output is no part of it.
func (p *player) over(o overrun) *Error {
	e := &Error{Line: o.line, Command: p.text(o.line), Why: o.err.Error()}
	var none *exec.Error
	if errors.As(o.err, &none) {
		e.Why = Missing(none.Name)
	}
	return e
}

// Missing says that the box has no such program, and what to do.
func Missing(program string) string {
	return fmt.Sprintf("program %q is not in the box: name it in tools under [box]", program)
}
