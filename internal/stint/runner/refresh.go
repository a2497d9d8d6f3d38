package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// refresher restarts sessions on what a file declares.
type refresher struct {
	*Runner
	file *env.File
	RestartOptions
}

// session restarts one. What was begun is not interrupted: the program would
// be ended and no other one started.
func (x *refresher) session(ctx context.Context, d *doc.Document) Refreshed {
	if ctx.Err() != nil {
		return Refreshed{d, NotAttempted, "interrupted before its turn: restart it again", env.Drift{}}
	}
	h, err := x.Sessions.Hold(ctx, d.ID)
	switch {
	case errors.Is(err, context.Canceled):
		return Refreshed{d, NotAttempted, "interrupted before its turn: restart it again", env.Drift{}}
	case errors.Is(err, document.ErrLocked):
		return x.skip(ctx, d, err.Error())
	case err != nil:
		return Refreshed{d, Failed, err.Error(), env.Drift{}}
	}
	defer h.Release()
	return x.held(context.WithoutCancel(ctx), h)
}

// skip leaves a session as it is, and tells how that is.
func (x *refresher) skip(ctx context.Context, d *doc.Document, why string) Refreshed {
	s := Refreshed{Document: d, Outcome: Skipped, Why: why}
	if p, _, _ := x.resident(ctx, d); p != nil {
		s.Drift = p.drift
	}
	return s
}

// held restarts a session that no other process can change.
func (x *refresher) held(ctx context.Context, h *session.Held) Refreshed {
	d := h.Document
	switch {
	case Unsettled(d.State):
		return Refreshed{d, Skipped, fmt.Sprintf("it is %s, and not open: run stint session recover %s", d.State, d.ID), env.Drift{}}
	case d.State != doc.Open:
		return Refreshed{d, Skipped, fmt.Sprintf("it is %s, and not open", d.State), env.Drift{}}
	}
	p, outcome, why := x.resident(ctx, d)
	switch {
	case p == nil:
		return Refreshed{d, outcome, why, env.Drift{}}
	case p.pane.Dead && !x.Force:
		return Refreshed{d, Skipped, fmt.Sprintf("its program has ended%s: %s prints its last words; start it again by %s, or end the session by stint session close %s", how(p.pane), lastWords(d, p.pane), x.again(d), d.ID), env.Drift{}}
	case p.drift.State == env.Fresh && !x.Force:
		return Refreshed{d, WasFresh, "", p.drift}
	}
	b, err := x.rebirth(ctx, d, p.pane)
	switch {
	case err != nil:
		return Refreshed{d, Skipped, err.Error(), p.drift}
	case x.DryRun && p.pane.Dead && b.note == "":
		return Refreshed{d, WouldRestart, "its program has ended" + how(p.pane), env.Drift{}}
	case x.DryRun:
		return Refreshed{d, WouldRestart, b.note, p.drift}
	}
	return x.revive(ctx, h, p, b)
}

// resident looks at the program of a session, which may have ended. It is nil,
// with what that comes to and the reason, where none is known.
func (x *refresher) resident(ctx context.Context, d *doc.Document) (*resident, Outcome, string) {
	pane, live, why := x.Sessions.Pane(ctx, d)
	if live == session.Live {
		now, err := x.own(ctx, d, *pane)
		switch {
		case errors.Is(err, errElsewhere):
			return nil, Unverified, fmt.Sprintf("it was left alone: %v: restart it from there", err)
		case err != nil:
			return nil, Skipped, err.Error()
		case now.Dead || now.PID != pane.PID:
			pane, live, why = x.Sessions.Pane(ctx, d)
		}
	}
	switch {
	case live == session.Unknown:
		return nil, Skipped, fmt.Sprintf("tmux on %q does not answer, so it is not known whether it runs: %s", d.Tmux.Socket, why)
	case live == session.Absent:
		why = cmp.Or(why, fmt.Sprintf("there is no tmux session %s on %q", d.Tmux.Session, d.Tmux.Socket))
		return nil, Skipped, fmt.Sprintf("it does not run: %s; save its work with stint session checkpoint %s and close it", why, d.ID)
	}
	names, err := x.server(d.Tmux.Socket).Variable(ctx, envNames)
	if err != nil {
		return nil, Skipped, fmt.Sprintf("tmux on %q does not tell of which names it runs: %s", d.Tmux.Socket, err)
	}
	return newResident(x.file, d, pane, names), "", ""
}
