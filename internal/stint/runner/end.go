package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

const (
	// hangup is how long a program has to end once its terminal is gone.
	hangup = 3 * time.Second
	// killed is how long it has once it was killed.
	killed = 5 * time.Second
)

// marked lists the panes that would go with a session: its own, wherever an
// operator may have moved it, and the other ones of its tmux session.
func (r *Runner) marked(ctx context.Context, d *doc.Document) (own, all []tmux.Marked, err error) {
	panes, err := r.Sessions.Panes(ctx, d.Tmux.Socket)
	if err != nil {
		return nil, nil, fmt.Errorf("tmux on %q does not answer, so it is not known what runs there: %w", d.Tmux.Socket, err)
	}
	for _, p := range panes {
		if p.Mark == d.ID {
			own = append(own, p)
		}
	}
	for _, p := range panes {
		goes := func(o tmux.Marked) bool {
			return o.ID == p.ID || o.SessionID == p.SessionID && o.Session == d.Tmux.Session
		}
		if slices.ContainsFunc(own, goes) {
			all = append(all, p)
		}
	}
	return own, all, nil
}

// inside tells whether this very command runs in one of the panes.
func (r *Runner) inside(d *doc.Document, panes []tmux.Marked) bool {
	return r.within(d.Tmux.Socket) && slices.ContainsFunc(panes, func(p tmux.Marked) bool {
		return slices.Contains(r.Env, "TMUX_PANE="+p.ID)
	})
}

// within tells whether the caller is in a pane of the server on socket, which
// may know that by another path.
func (r *Runner) within(socket string) bool {
	return slices.ContainsFunc(r.Env, func(kv string) bool {
		at, ok := strings.CutPrefix(kv, "TMUX=")
		// Behind the path are the server's process and a session.
		for range 2 {
			at = at[:max(0, strings.LastIndexByte(at, ','))]
		}
		if !ok || at == socket {
			return ok
		}
		its, err := os.Stat(at)
		ours, again := os.Stat(socket)
		return err == nil && again == nil && os.SameFile(its, ours)
	})
}

// end ends the tmux side of a session and returns when the programs of its
// panes are gone, too: one that ignores the hangup would go on writing into a
// worktree that is being removed. It tells whether there was anything to end.
func (r *Runner) end(ctx context.Context, d *doc.Document) (ended bool, err error) {
	own, all, err := r.marked(ctx, d)
	if err != nil || len(own) == 0 {
		return false, err
	}
	programs, err := r.running(ctx, d, all)
	if err != nil {
		return false, err
	}
	server := r.server(d.Tmux.Socket)
	for _, p := range own {
		kill := []string{"kill-pane", "-t", p.ID}
		if p.Session == d.Tmux.Session {
			kill = []string{"kill-session", "-t", p.SessionID}
		}
		// What counts is that it is gone, which is looked at below: it may
		// have ended by itself, and its server with it.
		if _, err := server.Run(ctx, kill...); err != nil && !errors.Is(err, tmux.ErrAbsent) {
			if own, _, again := r.marked(ctx, d); again != nil || len(own) > 0 {
				return false, errors.Join(err, again)
			}
		}
	}
	if err := r.awaitGone(ctx, d); err != nil {
		return false, err
	}
	return true, await(ctx, programs)
}

func (r *Runner) awaitGone(ctx context.Context, d *doc.Document) error {
	for end := time.Now().Add(killed); ; time.Sleep(20 * time.Millisecond) {
		own, _, err := r.marked(ctx, d)
		switch {
		// A server on its way out answers that it exits: ask again.
		case time.Now().Before(end) && (err != nil || len(own) > 0):
		case err != nil:
			return err
		case len(own) > 0:
			return fmt.Errorf("tmux on %q was told to end pane %s and still has it", d.Tmux.Socket, own[0].ID)
		default:
			return nil
		}
	}
}

// running takes hold of the programs in panes. On Linux a handle is a
// process's for good: a signal never reaches another that got its number.
func (r *Runner) running(ctx context.Context, d *doc.Document, panes []tmux.Marked) ([]*os.Process, error) {
	panes, err := r.ownAll(ctx, d, panes)
	if err != nil {
		return nil, err
	}
	var all []*os.Process
	for _, p := range panes {
		if p.Dead {
			continue
		}
		program, err := os.FindProcess(p.PID)
		if err != nil {
			return nil, fmt.Errorf("program of pane %s: %w", p.ID, err)
		}
		// The handle is that of whoever has the number by now.
		if ofPane(&p) == nil {
			all = append(all, program)
		}
	}
	return all, nil
}

// await waits for programs to end and kills those that do not.
func await(ctx context.Context, programs []*os.Process) error {
	for _, p := range programs {
		if gone(ctx, p, hangup) {
			continue
		}
		if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("process %d outlived its pane: %w", p.Pid, err)
		}
		if !gone(ctx, p, killed) {
			return fmt.Errorf("process %d outlived its pane, and being killed: end it, then close the session again", p.Pid)
		}
	}
	return nil
}

func gone(ctx context.Context, p *os.Process, patience time.Duration) bool {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if vanished(p) {
			return true
		}
	}
	return false
}

// vanished tells whether a process is gone. Another user's answers that it may not
// be signalled.
func vanished(p *os.Process) bool {
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) || zombie(p.Pid)
}
