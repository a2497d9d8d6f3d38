package testbin

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
)

// Session is a test binary that runs tests again and again in one process.
type Session struct {
	served *process.Served
	answer *answers
}

// Answer is what came of one run in a session. The process was Changed if the
// tests have left it otherwise than they found it, as far as can be seen.
type Answer struct {
	*Result
	Changed bool
}

// Serve starts the session of a binary that prints an end of each answer: a line
// of the prefix, a word that it is told, the exit status and whether it changed.
func (b *Binary) Serve(env []string, prefix string) (*Session, error) {
	a := &answers{end: []byte(prefix), word: rand.Text(), done: make(chan Answer, 1), said: newListener()}
	served, err := process.Run{Args: b.args(), Dir: b.Dir, Env: env, Also: a}.Serve()
	if err != nil {
		return nil, fmt.Errorf("tests of %s: %w", b.Package, err)
	}
	return &Session{served, a}, nil
}

// Ask runs the tests of a pattern. Without an answer the process has ended, or
// would not in that time, and the session is over.
func (s *Session) Ask(ctx context.Context, tests string, timeout time.Duration) (a Answer, ok bool, err error) {
	began := time.Now()
	if s.served.Tell(s.answer.word+" "+strconv.Quote(tests)) != nil {
		return Answer{}, false, nil // it has ended
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case a = <-s.answer.done:
		a.Elapsed = time.Since(began)
		return a, true, nil
	case <-s.served.Exited():
	case <-late.C:
	case <-ctx.Done():
		return Answer{}, false, context.Cause(ctx)
	}
	return Answer{}, false, nil
}

// End ends the process. It is called once.
func (s *Session) End() error { return s.served.End() }

// answers takes the output of a session apart.
type answers struct {
	end  []byte
	word string
	done chan Answer

	line []byte // so far
	said *listener
	text []byte
}

func (a *answers) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		a.line = append(a.line, part[:min(len(part), max(0, maxLine-len(a.line)))]...)
		if ended {
			a.read()
			a.line = a.line[:0]
		}
		rest = after
	}
	return len(p), nil
}

// read takes a line. What is printed without an end of line, by what the tests
// left running, may stand before the end of an answer.
func (a *answers) read() {
	if _, last, ok := bytes.Cut(a.line, a.end); ok {
		if f := strings.Fields(string(last)); len(f) == 3 && f[0] == a.word {
			exit, exitErr := strconv.Atoi(f[1])
			changed, changedErr := strconv.ParseBool(f[2])
			if exitErr == nil && changedErr == nil {
				answer := Answer{&Result{&process.Result{Exit: exit, Output: a.text}, a.said.said}, changed}
				a.said, a.text = newListener(), nil
				a.done <- answer
				return
			}
		}
	}
	a.said.read(string(a.line))
	if len(a.text) < maxText {
		a.text = append(append(a.text, a.line...), '\n')
	}
}

// maxText is about how much of the output of one run is kept.
const maxText = 1 << 20
