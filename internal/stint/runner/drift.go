package runner

import (
	"context"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Drift is how the program of a session stands to the env file.
type Drift struct {
	ID string
	env.Drift
}

// Drift compares what runs in open sessions with what the env file declares.
// It is empty where no env file is configured; the error is that of the file.
func (r *Runner) Drift(ctx context.Context, sessions []session.Entry) ([]Drift, error) {
	if r.Project.Config.Env.File == "" {
		return nil, nil
	}
	file, err := r.declared()
	if err != nil {
		return nil, err
	}
	servers := make(map[string]map[string]string)
	var all []Drift
	for _, e := range sessions {
		if e.State != doc.Open || e.Live != session.Live {
			continue
		}
		names, asked := servers[e.Tmux.Socket]
		if !asked {
			// Without it, what is gone from the file is not missed.
			names, _ = r.server(e.Tmux.Socket).Variable(ctx, envNames)
			servers[e.Tmux.Socket] = names
		}
		all = append(all, Drift{e.ID, newResident(file, e.Document, e.Pane, names).drift})
	}
	return all, nil
}

// resident is the program that runs in a session, or did.
type resident struct {
	pane  *tmux.Marked
	gone  []string  // what the file declared when it was started, and does not now
	drift env.Drift // zero: it has ended
}

// newResident looks at the program in a pane. The names that its file declared
// are by the ids of tmux sessions.
func newResident(f *env.File, d *doc.Document, pane *tmux.Marked, names map[string]string) *resident {
	p := &resident{pane: pane, gone: f.Gone(strings.Fields(names[pane.SessionID]))}
	if !pane.Dead {
		p.drift = driftOf(f, d, pane.PID, p.gone)
	}
	return p
}

func driftOf(f *env.File, d *doc.Document, pid int, gone []string) env.Drift {
	p, err := env.Hold(pid)
	if err != nil {
		return env.Drift{State: env.Unverified, Why: err.Error()}
	}
	return f.Drift(p, "STINT_SESSION_ID="+d.ID, gone...)
}
