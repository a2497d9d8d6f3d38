package testbin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/group"
)

// Run is tests in a process of their own.
type Run struct {
	Binary  *Binary
	Args    []string // flags of the binary, without -test.
	Env     []string
	Timeout time.Duration
}

// Result is how it ended.
type Result struct {
	Exit     int  // the exit status, or -1 where a signal ended it
	TimedOut bool // by us
	Elapsed  time.Duration
	Output   []byte // both streams, as far as maxOutput

	said
}

const maxOutput = 4 << 20

// Start runs the tests and waits for it. What it left running in its process
// group is ended. An error means that it could not be run, or that ctx ended.
func (r Run) Start(ctx context.Context) (*Result, error) {
	g, err := group.New()
	if err != nil {
		return nil, err
	}
	defer g.End()
	// Exit 0 in the middle of a test is no success, as under go test.
	cmd := exec.Command(r.Binary.Path, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=0")
	for _, arg := range r.Args {
		cmd.Args = append(cmd.Args, "-test."+arg)
	}
	cmd.Dir = r.Binary.Dir
	cmd.Env = append(slices.Clone(r.Env), "PWD="+r.Binary.Dir)
	// Not for ever where what has left the group holds the output.
	cmd.WaitDelay = 2 * time.Second
	var out head
	said := newListener()
	// One writer for both, which are written to one after the other then.
	both := io.MultiWriter(&out, said)
	cmd.Stdout, cmd.Stderr = both, both
	began := time.Now()
	if err := g.Start(cmd); err != nil {
		return nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	timeout := time.NewTimer(r.Timeout)
	defer timeout.Stop()
	result := new(Result)
	select {
	case err = <-exited:
	case <-timeout.C:
		result.TimedOut = true
		g.Kill()
		err = <-exited
	case <-ctx.Done():
		g.Kill()
		<-exited
		return nil, context.Cause(ctx)
	}
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("tests of %s: %w", r.Binary.Package, err)
	}
	result.Exit, result.Elapsed, result.Output = cmd.ProcessState.ExitCode(), time.Since(began), out.text
	result.said = said.said
	return result, nil
}

// Alone is the argument that runs one test alone, by its full name.
func Alone(name string) string { return "run=" + pattern(name) }

// Together is the argument that runs some tests that are no subtests.
func Together(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, regexp.QuoteMeta(n))
	}
	return "run=^(" + strings.Join(quoted, "|") + ")$"
}

func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// head keeps the beginning of what is written.
type head struct{ text []byte }

func (h *head) Write(p []byte) (int, error) {
	if room := maxOutput - len(h.text); room > 0 {
		h.text = append(h.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// value is the last value of a variable.
func value(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v
		}
	}
	return ""
}
