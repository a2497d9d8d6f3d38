package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

const (
	// settled is how long a new program has to stay: one that cannot resume
	// its conversation ends with a word.
	settled = time.Second
	// shown is how long its environment may not be seen.
	shown = 5 * time.Second
)

// revive ends the program of a session and starts it again.
func (x *refresher) revive(ctx context.Context, d *doc.Document, p *resident, b *rebirth) Refreshed {
	if err := x.stop(ctx, d, p); err != nil {
		return Refreshed{d, Failed, err.Error(), env.Drift{}}
	}
	if err := x.respawn(ctx, d, p, b); err != nil {
		return Refreshed{d, Failed, fmt.Sprintf("its program was ended, and none was started: %v", err), env.Drift{}}
	}
	s := x.verify(ctx, d, p.gone)
	if s.Why == "" {
		s.Why = b.note
	}
	return s
}

// stop ends the program of a session, and what it started: two agents in one
// conversation would be worse than none. Its pane stays.
func (x *refresher) stop(ctx context.Context, d *doc.Document, p *resident) error {
	server := x.server(d.Tmux.Socket)
	if err := server.Keep(ctx, p.pane.ID); err != nil {
		return err
	}
	// Still the one that was looked at; it is what the number stands for as
	// long as tmux calls it alive.
	now, live, why := x.Sessions.Pane(ctx, d)
	if live != session.Live || now.PID != p.pane.PID || now.ID != p.pane.ID {
		return fmt.Errorf("its pane changed while it was looked at (%s%s): try again", live, why)
	}
	if err := endKin(ctx, p.pane.PID); err != nil {
		return err
	}
	return x.awaitDead(ctx, d, p.pane)
}

// endKin ends the processes of a terminal session and what they started, by
// force where they do not heed a signal in time, and returns nil when none is
// left.
func endKin(ctx context.Context, sid int) error {
	sig, end := syscall.SIGTERM, time.Now().Add(hangup)
	var left []*os.Process
	for {
		// With those of before: nobody's child once its parent is gone, one is
		// not found again.
		var err error
		left, err = kin(sid, left)
		switch {
		case err != nil || len(left) == 0:
			return err
		case time.Now().After(end) && sig == syscall.SIGKILL:
			return fmt.Errorf("process %d is of its old program and outlives being killed: end it, and restart the session again", left[0].Pid)
		case time.Now().After(end):
			sig, end = syscall.SIGKILL, time.Now().Add(killed)
		}
		for _, p := range left {
			p.Signal(sig) // What counts is whether it is gone.
		}
		for _, p := range left {
			gone(ctx, p, time.Until(end))
		}
	}
}

func (x *refresher) awaitDead(ctx context.Context, d *doc.Document, pane *tmux.Marked) error {
	for end := time.Now().Add(killed); ; time.Sleep(20 * time.Millisecond) {
		now, live, why := x.Sessions.Pane(ctx, d)
		switch {
		case live == session.Dead && now.ID == pane.ID && now.PID == pane.PID:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("its program was ended, and tmux on %q does not say so: pane %s is %s %s", d.Tmux.Socket, pane.ID, live, why)
		}
	}
}

// respawn starts the program in the pane of the one that was ended.
func (x *refresher) respawn(ctx context.Context, d *doc.Document, p *resident, b *rebirth) error {
	if b.begun != "" {
		if err := x.begin(ctx, d, b.begun); err != nil {
			return err
		}
	}
	set, hide := split(x.variables(d, x.file))
	n := tmux.Respawn{
		Pane: p.pane.ID, Session: p.pane.SessionID, Dir: d.Paths.Worktree,
		Env: append(x.file.Environ(), set...), Hide: append(hide, p.gone...), Argv: b.argv,
	}
	return x.server(d.Tmux.Socket).Respawn(ctx, n)
}

// begin notes the name of the conversation that the session is in from now on.
func (x *refresher) begin(ctx context.Context, d *doc.Document, name string) error {
	h, err := x.Conversations.Hold(ctx, d.Conversation)
	if err != nil {
		return err
	}
	defer h.Release()
	return h.Update(func(c *talk.Document) { c.ProviderSession = name })
}

// verify looks at the new program itself, since what was handed over to tmux
// proves nothing.
func (x *refresher) verify(ctx context.Context, d *doc.Document, names []string) Refreshed {
	pane, live, why := x.Sessions.Pane(ctx, d)
	switch live {
	case session.Live:
	case session.Dead:
		return Refreshed{d, Failed, diedAgain, env.Drift{}}
	default:
		return Refreshed{d, Failed, fmt.Sprintf("it was started again, and is %s: %s", live, why), env.Drift{}}
	}
	drift, err := x.settle(ctx, d, pane.PID, names)
	switch {
	case err != nil:
		return Refreshed{d, Failed, err.Error(), env.Drift{}}
	case drift.State == env.Stale:
		return Refreshed{d, StillStale, "", drift}
	case drift.State == env.Unverified:
		return Refreshed{d, Unverified, drift.Why, drift}
	}
	return Refreshed{d, Restarted, "", drift}
}

const diedAgain = "its new program has ended at once: its last words are in its pane"

// settle lets a new program become itself: a shell may still be about to run
// it, on another environment.
func (x *refresher) settle(ctx context.Context, d *doc.Document, pid int, names []string) (env.Drift, error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return env.Drift{}, err
	}
	if gone(ctx, p, settled) {
		return env.Drift{}, errors.New(diedAgain)
	}
	for end := time.Now().Add(shown); ; {
		drift := driftOf(x.file, d, pid, names)
		switch {
		case gone(ctx, p, 20*time.Millisecond):
			return drift, errors.New(diedAgain)
		case drift.State != env.Unverified, time.Now().After(end):
			return drift, nil
		}
	}
}
