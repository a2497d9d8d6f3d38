package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/conversation"
	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	config "github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

const (
	// settled is how long a new program has to stay: one that cannot resume
	// its conversation ends with a word.
	settled = time.Second
	// shown is how long its environment may not be seen.
	shown = 5 * time.Second
)

// revive ends the program of a session, where it has not ended, and starts it
// again.
func (x *refresher) revive(ctx context.Context, h *session.Held, p *resident, b *rebirth) Refreshed {
	d, end, ended := h.Document, x.stop, "its program was ended"
	if p.pane.Dead {
		end, ended = x.bury, "its program had ended"
	}
	if err := end(ctx, d, p); err != nil {
		return Refreshed{d, Failed, err.Error(), env.Drift{}}
	}
	if err := x.respawn(ctx, h, p, b); err != nil {
		return Refreshed{d, Failed, fmt.Sprintf("%s, and none was started: %v; mend that, and run stint session restart --force %s", ended, err, d.ID), env.Drift{}}
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
	if live != session.Live || now.PID != p.pane.PID || now.ID != p.pane.ID || ofPane(now) != nil {
		return changed(live, why)
	}
	find := func(known []*os.Process) ([]*os.Process, error) { return kin(p.pane.PID, known) }
	if err := endAll(ctx, find); err != nil {
		return err
	}
	return x.awaitDead(ctx, d, p.pane)
}

func changed(live session.Liveness, why string) error {
	return fmt.Errorf("its pane changed while it was looked at (%s%s): try again", live, why)
}

// bury ends what a program that has ended has left in its terminal session, and
// refuses where something of it is elsewhere: it was of nobody's making any more
// that could tell whether it is the agent itself.
func (x *refresher) bury(ctx context.Context, d *doc.Document, p *resident) error {
	now, live, why := x.Sessions.Pane(ctx, d)
	if live != session.Dead || now.PID != p.pane.PID || now.ID != p.pane.ID {
		return changed(live, why)
	}
	panes, err := x.Sessions.Panes(ctx, d.Tmux.Socket)
	if err != nil {
		return err
	}
	var others []int
	for _, o := range panes {
		if ofPane(&o) == nil && !o.Dead {
			others = append(others, o.PID)
		}
	}
	mark := "STINT_SESSION_ID=" + d.ID
	find := func([]*os.Process) ([]*os.Process, error) {
		left, _, err := survivors(mark, now, others)
		return left, err
	}
	if err := endAll(ctx, find); err != nil {
		return err
	}
	_, elsewhere, err := survivors(mark, now, others)
	if err == nil && len(elsewhere) > 0 {
		err = fmt.Errorf("process %s is of its old program, which has ended, and may be its agent: end it by kill %d, and run stint session restart --force %s", named(elsewhere[0].Pid), elsewhere[0].Pid, d.ID)
	}
	return err
}

// endAll ends the processes that find finds, by force where they do not heed a
// signal in time, and returns nil when none is left.
func endAll(ctx context.Context, find func(known []*os.Process) ([]*os.Process, error)) error {
	sig, end := syscall.SIGTERM, time.Now().Add(hangup)
	var left []*os.Process
	for {
		// With those of before: nobody's child once its parent is gone, one is
		// not found again.
		var err error
		left, err = find(left)
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
func (x *refresher) respawn(ctx context.Context, h *session.Held, p *resident, b *rebirth) error {
	if b.begun != "" {
		if err := x.begin(ctx, h, b.begun); err != nil {
			return err
		}
	}
	d := h.Document
	set, hide := split(x.variables(d, x.file))
	n := tmux.Respawn{
		Pane: p.pane.ID, Session: p.pane.SessionID, Dir: d.Paths.Worktree,
		Env: append(x.file.Environ(), set...), Hide: append(hide, p.gone...), Argv: b.argv,
	}
	return x.server(d.Tmux.Socket).Respawn(ctx, n)
}

// begin notes the name of the conversation that the session is in from now on.
// That is a new one where its own is closed, does not read or is another's. The
// session names it before it is there, as when a session is opened: one that is
// not there is made here.
func (x *refresher) begin(ctx context.Context, h *session.Held, name string) error {
	if x.conversation(h.Document) != nil {
		c, err := x.Conversations.Hold(ctx, h.Conversation)
		if err != nil {
			return err
		}
		defer c.Release()
		return c.Update(func(c *talk.Document) { c.ProviderSession = name })
	}
	if _, err := x.Conversations.Get(h.Conversation); h.Conversation == "" || !errors.Is(err, conversation.ErrNotFound) {
		if err := h.Update(func(d *doc.Document) { d.Conversation = newID() }); err != nil {
			return err
		}
	}
	return x.beginConversation(ctx, h.Document, name)
}

// verify looks at the new program itself, since what was handed over to tmux
// proves nothing.
func (x *refresher) verify(ctx context.Context, d *doc.Document, names []string) Refreshed {
	pane, live, why := x.Sessions.Pane(ctx, d)
	if live == session.Live {
		now, err := x.own(ctx, d, *pane)
		if err != nil {
			return Refreshed{d, Unverified, fmt.Sprintf("it was started again, and nothing is known of it: %v", err), env.Drift{State: env.Unverified, Why: err.Error()}}
		}
		if now.Dead {
			live = session.Dead
		}
	}
	switch live {
	case session.Live:
	case session.Dead:
		return Refreshed{d, Failed, x.died(ctx, d, pane), env.Drift{}}
	default:
		return Refreshed{d, Failed, fmt.Sprintf("it was started again, and is %s: %s", live, why), env.Drift{}}
	}
	drift, stays, err := x.settle(ctx, d, pane.PID, names)
	switch {
	case err != nil:
		return Refreshed{d, Failed, err.Error(), env.Drift{}}
	case !stays:
		return Refreshed{d, Failed, x.died(ctx, d, pane), env.Drift{}}
	case drift.State == env.Stale:
		return Refreshed{d, StillStale, fmt.Sprintf("its new program was handed every value, and what starts it sets others: mend the command of harness %q in %s or what that reads, and run stint session restart %s", d.Harness, config.ConfigFile, d.ID), drift}
	case drift.State == env.Unverified:
		return Refreshed{d, Unverified, fmt.Sprintf("%s; it was handed every value: see in it, by stint session attach %s, whether it has them", drift.Why, d.ID), drift}
	}
	return Refreshed{d, Restarted, "", drift}
}

// died says that a new program did not stay, and what helps.
func (x *refresher) died(ctx context.Context, d *doc.Document, pane *tmux.Marked) string {
	// How it has ended is known a moment after that it has.
	for end := time.Now().Add(settled); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now, live, _ := x.Sessions.Pane(ctx, d); live == session.Dead {
			if pane = now; pane.Ended != "" {
				break
			}
		}
	}
	return fmt.Sprintf("its new program has ended at once%s: %s prints its last words; mend what they tell of and run stint session restart --force %s, or end the session by stint session close %[3]s", how(pane), lastWords(d, pane), d.ID)
}

// settle lets a new program become itself: a shell may still be about to run
// it, on another environment. It tells whether it stays.
func (x *refresher) settle(ctx context.Context, d *doc.Document, pid int, names []string) (drift env.Drift, stays bool, err error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return drift, false, err
	}
	if gone(ctx, p, settled) {
		return drift, false, nil
	}
	for end := time.Now().Add(shown); ; {
		drift := driftOf(x.file, d, pid, names)
		switch {
		case gone(ctx, p, 20*time.Millisecond):
			return drift, false, nil
		case drift.State != env.Unverified, time.Now().After(end):
			return drift, true, nil
		}
	}
}
