package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// unknown is the drift of a program where the env file does not read.
const unknown env.State = "unknown"

// driftOf compares the sessions that run with the env file. Of one of which
// there is nothing to be said it is nil; its state is empty where the session
// does not run.
func driftOf(ctx context.Context, r *runner.Runner, entries []session.Entry) func(session.Entry) *runner.Drift {
	if r.Project.Config.Env.File == "" {
		return func(session.Entry) *runner.Drift { return nil }
	}
	all, err := r.Drift(ctx, entries)
	return func(e session.Entry) *runner.Drift {
		i := slices.IndexFunc(all, func(d runner.Drift) bool { return d.ID == e.ID })
		switch {
		case i >= 0:
			return &all[i]
		case err != nil && e.State == doc.Open && e.Live == session.Live:
			return &runner.Drift{ID: e.ID, Drift: env.Drift{State: unknown, Why: text.Error(err)}}
		}
		return &runner.Drift{ID: e.ID}
	}
}

// driftCell is empty where no env file is configured.
func driftCell(d *runner.Drift) string {
	switch {
	case d == nil:
		return ""
	case d.State == "":
		return "-"
	}
	return string(d.State)
}

// driftText is what the page of a session says.
func driftText(d *runner.Drift) string {
	if d == nil || d.State == "" {
		return ""
	}
	said := string(d.State)
	if d.State == env.Stale {
		said += fmt.Sprintf(" (it runs on other values of %s): stint session restart %s", strings.Join(d.Names, ", "), d.ID)
	}
	if d.Why != "" {
		said += " (" + text.Plain(d.Why) + ")"
	}
	return said
}
