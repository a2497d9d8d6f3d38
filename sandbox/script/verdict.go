package script

import (
	"fmt"
	"path/filepath"
	"regexp"
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
	mark := "FAIL: " + p.file() + ":"
	at := strings.LastIndex(log, mark)
	if at < 0 {
		return &Error{Why: strings.TrimSpace(log)}
	}
	before := log[:at]
	number, why, _ := strings.Cut(log[at+len(mark):], ": ")
	e := &Error{Why: strings.TrimRight(why, "\n"), Log: before}
	e.Line, _ = strconv.Atoi(number)
	for _, l := range p.lines {
		if l.N == e.Line {
			e.Command = l.Text
		}
	}
	if m := notFound.FindStringSubmatch(before); m != nil {
		e.Why = Missing(m[1])
	}
	return e
}

// notFound is how testscript logs, as the last thing before a failure, that
// PATH does not have a program.
var notFound = regexp.MustCompile(`(?m)^\[exec: "(.*)": executable file not found in \$PATH\]\n\z`)

// Missing says that the box has no such program, and what to do.
func Missing(program string) string {
	return fmt.Sprintf("program %q is not in the box: name it in tools under [box]", program)
}
