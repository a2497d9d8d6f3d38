package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
)

// commands judges the regressions of what is not Go, those of one command
// together.
func (j *judging) commands(ctx context.Context) error {
	var all [][]int
	for i, r := range j.Regressions {
		if r.Run == "" {
			continue
		}
		at := slices.IndexFunc(all, func(group []int) bool {
			other := j.Regressions[group[0]]
			return r.Build == other.Build && r.Run == other.Run
		})
		if at < 0 {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	g, ctx := errgroup.WithContext(ctx)
	for i, group := range all {
		g.Go(func() error { return j.command(ctx, fmt.Sprint("c", i), group) })
	}
	return g.Wait()
}

// command judges the regressions of one command: the tree itself has to pass it
// before and after all of them.
func (j *judging) command(ctx context.Context, name string, group []int) error {
	var w *workshop
	var before finding
	err := j.turn(ctx, func() (err error) {
		if w, err = j.workshop(ctx, name, j.Regressions[group[0]]); err != nil {
			return err
		}
		before, err = w.control(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if before.verdict != "" {
		for _, i := range group {
			j.done(i, before)
		}
		return nil
	}
	found := make([]finding, len(group))
	g, within := errgroup.WithContext(ctx)
	for n, i := range group {
		g.Go(func() error {
			return j.turn(within, func() (err error) {
				found[n], err = j.edited(within, fmt.Sprintf("%s-%d", name, i), w, j.Regressions[i])
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var after *process.Result
	if err := j.turn(ctx, func() (err error) { after, err = w.run(ctx, w.Run, firstTimeout); return err }); err != nil {
		return err
	}
	for n, i := range group {
		if after.TimedOut || after.Exit != 0 {
			found[n].judged = judged{verdict: Unstable, why: "the tree itself does not pass the command, after it had passed"}
			found[n].output = string(after.Output)
		}
		j.done(i, found[n])
	}
	return nil
}

// turn does something when there is room for one more process.
func (j *judging) turn(ctx context.Context, do func() error) error {
	select {
	case j.turns <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-j.turns }()
	return do()
}

// workshop is a copy of the tree in which a command is run.
type workshop struct {
	*regression.Regression
	dir string
	env []string

	// What the command printed and needed in the tree itself.
	output  []byte
	elapsed time.Duration
}

func (j *judging) workshop(ctx context.Context, name string, r *regression.Regression) (*workshop, error) {
	tmp, err := j.scratch.sub(name, "t")
	if err != nil {
		return nil, err
	}
	dir, err := j.copied(ctx, name, "tree")
	return &workshop{Regression: r, dir: dir, env: append(slices.Clone(j.Env), "TMPDIR="+tmp)}, err
}

// run runs a command line.
func (w *workshop) run(ctx context.Context, line string, timeout time.Duration) (*process.Result, error) {
	return process.Run{Args: []string{"sh", "-c", line}, Dir: w.dir, Env: w.env, Timeout: timeout}.Start(ctx)
}

// control runs the command in the tree itself. It has no verdict if it passes.
func (w *workshop) control(ctx context.Context) (finding, error) {
	for _, line := range []string{w.Build, w.Run} {
		if line == "" {
			continue
		}
		run, err := w.run(ctx, line, firstTimeout)
		if err != nil {
			return finding{}, err
		}
		w.output, w.elapsed = run.Output, run.Elapsed
		why := ""
		switch {
		case run.TimedOut:
			why = fmt.Sprintf("the tree itself: %q does not end in %s", line, firstTimeout)
		case run.Exit != 0:
			why = fmt.Sprintf("the tree itself: %q ends with exit status %d", line, run.Exit)
		default:
			continue
		}
		return finding{judged: judged{verdict: Unstable, why: why}, output: string(run.Output), elapsed: run.Elapsed}, nil
	}
	return finding{}, nil
}

// edited judges one regression in a copy of its own.
func (j *judging) edited(ctx context.Context, name string, control *workshop, r *regression.Regression) (f finding, err error) {
	began := time.Now()
	defer func() { f.elapsed = time.Since(began) }()
	w, err := j.workshop(ctx, name, r)
	if err != nil {
		return f, err
	}
	// Trees can be large, and regressions many.
	defer func() { err = errors.Join(err, removeAll(w.dir)) }()
	if err := edit(w.dir, r); err != nil {
		if stale, ok := errors.AsType[*source.StaleError](err); ok {
			return finding{judged: judged{verdict: Stale, why: stale.Why}}, nil
		}
		return f, err
	}
	if r.Build != "" {
		built, err := w.run(ctx, r.Build, firstTimeout)
		if err != nil {
			return f, err
		}
		if built.Exit != 0 || built.TimedOut {
			return finding{judged: judged{verdict: NotViable, why: said(built)}, output: string(built.Output)}, nil
		}
	}
	timeout := j.timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	var runs []judged
	for range times {
		run, err := w.run(ctx, r.Run, max(timeout, moreTimes*control.elapsed))
		if err != nil {
			return f, err
		}
		if f.output == "" {
			f.output = string(run.Output)
		}
		runs = append(runs, judgeCommand(r, run, control.output))
		// It is no catch anyway, and takes long.
		if run.TimedOut {
			break
		}
	}
	f.judged = agree(runs)
	return f, nil
}

// judgeCommand says what one run of a command under an edit came to; control is
// what it prints without.
func judgeCommand(r *regression.Regression, run *process.Result, control []byte) judged {
	at := r.Assert.Find(run.Output)
	signal, signalled := endedBy(run.Exit)
	switch {
	case run.TimedOut:
		return judged{verdict: Runaway, why: fmt.Sprintf("no end after %s", run.Elapsed.Round(1e9))}
	case run.Exit == 0:
		return judged{verdict: Survived, why: "the command passes"}
	case signalled:
		return judged{verdict: Panicked, why: "the command was ended by a signal: " + signal}
	case at == nil:
		return judged{verdict: WrongAssertion, why: fmt.Sprintf("exit status %d, and nothing that is printed is as meant: %s", run.Exit, said(run))}
	case r.Assert.Find(control) != nil:
		return judged{verdict: WrongAssertion, why: fmt.Sprintf("what %s is about is printed without the edit, too", r.Assert)}
	}
	line := run.Output[bytes.LastIndexByte(run.Output[:at[0]], '\n')+1:]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	return judged{verdict: Caught, why: cut(strings.TrimSpace(string(line)))}
}

// endedBy is the signal that ended a command, also where its shell only tells
// of it by its exit status.
func endedBy(exit int) (signal string, ok bool) {
	switch {
	case exit < 0:
		return "of the whole command", true
	case exit > 128 && exit <= 128+64:
		return syscall.Signal(exit - 128).String(), true
	}
	return "", false
}

// said is the last line with words of an output, which mostly says most.
func said(run *process.Result) string {
	text := strings.TrimSpace(string(run.Output))
	if text == "" {
		return "nothing is printed"
	}
	return cut(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]))
}
