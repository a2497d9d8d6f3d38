// Package process runs a program and what it starts to its end or to a limit of
// time. It knows nothing of what the program is for.
package process

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/group"
)

// Run is a program in a process group of its own.
type Run struct {
	Args    []string
	Dir     string
	Env     []string // beside it, PWD is Dir
	Timeout time.Duration
	Also    io.Writer // is written all output, beside what is kept; may be nil
}

// Result is how it ended.
type Result struct {
	Exit     int  // the exit status, or -1 where a signal ended it
	TimedOut bool // by us
	Elapsed  time.Duration
	Output   []byte // both streams, as far as maxOutput
}

const maxOutput = 4 << 20

// Start runs the program and waits for it. What it left running in its process
// group is ended. An error means that it could not be run, or that ctx ended.
func (r Run) Start(ctx context.Context) (*Result, error) {
	g, err := group.New()
	if err != nil {
		return nil, err
	}
	defer g.End()
	cmd := exec.Command(r.Args[0], r.Args[1:]...)
	cmd.Dir = r.Dir
	cmd.Env = append(slices.Clone(r.Env), "PWD="+r.Dir)
	// Not for ever where what has left the group holds the output.
	cmd.WaitDelay = 2 * time.Second
	var out head
	// One writer for both, which are written to one after the other then.
	var both io.Writer = &out
	if r.Also != nil {
		both = io.MultiWriter(&out, r.Also)
	}
	cmd.Stdout, cmd.Stderr = both, both
	began := time.Now()
	if err := g.Start(cmd); err != nil {
		return nil, err
	}
	timeout := time.NewTimer(r.Timeout)
	defer timeout.Stop()
	result := new(Result)
	result.TimedOut, err = wait(ctx, g, cmd, timeout.C)
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	result.Exit, result.Elapsed, result.Output = cmd.ProcessState.ExitCode(), time.Since(began), out.text
	return result, nil
}

// wait waits for a command of a group, which ends with ctx or once it is out of
// time. The error is that of cmd.Wait, or why ctx ended.
func wait(ctx context.Context, g *group.Group, cmd *exec.Cmd, timeout <-chan time.Time) (timedOut bool, err error) {
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	select {
	case err = <-exited:
		return false, err
	case <-timeout:
		g.Kill()
		return true, <-exited
	case <-ctx.Done():
		g.Kill()
		<-exited
		return false, context.Cause(ctx)
	}
}

// head keeps the beginning of what is written.
type head struct{ text []byte }

func (h *head) Write(p []byte) (int, error) {
	if room := maxOutput - len(h.text); room > 0 {
		h.text = append(h.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
