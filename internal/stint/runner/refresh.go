package runner

import (
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
		return Refreshed{d, NotAttempted, "interrupted before its turn", env.Drift{}}
	}
	h, err := x.Sessions.Hold(ctx, d.ID)
	switch {
	case errors.Is(err, context.Canceled):
		return Refreshed{d, NotAttempted, "interrupted before its turn", env.Drift{}}
	case errors.Is(err, document.ErrLocked):
		return x.skip(ctx, d, err.Error())
	case err != nil:
		return Refreshed{d, Failed, err.Error(), env.Drift{}}
	}
	defer h.Release()
	return x.held(context.WithoutCancel(ctx), h.Document)
}

// skip leaves a session as it is, and tells how that is.
func (x *refresher) skip(ctx context.Context, d *doc.Document, why string) Refreshed {
	s := Refreshed{Document: d, Outcome: Skipped, Why: why}
	if p, _ := x.resident(ctx, d); p != nil {
		s.Drift = p.drift
	}
	return s
}

// held restarts a session that no other process can change.
func (x *refresher) held(ctx context.Context, d *doc.Document) Refreshed {
	if d.State != doc.Open {
		return Refreshed{d, Skipped, fmt.Sprintf("it is %s, and not open", d.State), env.Drift{}}
	}
	p, why := x.resident(ctx, d)
	if p == nil {
		return Refreshed{d, Skipped, why, env.Drift{}}
	}
	if p.drift.State == env.Fresh && !x.Force {
		return Refreshed{d, WasFresh, "", p.drift}
	}
	b, err := x.rebirth(ctx, d, p.pane)
	switch {
	case err != nil:
		return Refreshed{d, Skipped, err.Error(), p.drift}
	case x.DryRun:
		return Refreshed{d, WouldRestart, b.note, p.drift}
	}
	return x.revive(ctx, d, p, b)
}

// resident looks at the program of a session. It is nil, with the reason, where
// none runs.
func (x *refresher) resident(ctx context.Context, d *doc.Document) (*resident, string) {
	pane, live, why := x.Sessions.Pane(ctx, d)
	switch {
	case live == session.Unknown:
		return nil, fmt.Sprintf("tmux on %q does not answer, so it is not known whether it runs: %s", d.Tmux.Socket, why)
	case live == session.Dead:
		return nil, fmt.Sprintf("its program has ended: save its work by stint session checkpoint %s and close it", d.ID)
	case live == session.Absent && why != "":
		return nil, "it does not run: " + why
	case live == session.Absent:
		return nil, fmt.Sprintf("it does not run: there is no tmux session %s on %q", d.Tmux.Session, d.Tmux.Socket)
	}
	names, err := x.server(d.Tmux.Socket).Variable(ctx, envNames)
	if err != nil {
		return nil, fmt.Sprintf("tmux on %q does not tell of which names it runs: %s", d.Tmux.Socket, err)
	}
	return newResident(x.file, d, pane, names), ""
}
