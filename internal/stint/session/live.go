package session

import (
	"context"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers/session"
)

// Mark is the tmux option that stint sets on a session's pane, to the
// session's id. A name is what others can give to a session, too.
const Mark = "@stint_session"

// Liveness is what tmux says of a session now.
type Liveness string

const (
	Live    Liveness = "live"
	Dead    Liveness = "dead"    // the program has ended, its pane is kept
	Absent  Liveness = "absent"  // no such pane
	Unknown Liveness = "unknown" // tmux did not answer
)

// Staleness is whether the repository is as it was when the session was
// opened.
type Staleness string

const (
	Fresh    Staleness = "fresh"
	Stale    Staleness = "stale"
	NotKnown Staleness = "unknown" // a fingerprint of another release, or git did not answer
)

const elsewhere = "the tmux session of that name is another's: it has no pane that was made for this session"

// Entry is a session with what tmux and git say of it.
type Entry struct {
	*session.Document
	Live  Liveness
	Stale Staleness
	Pane  *tmux.Marked // nil unless it is live or dead
	// Why says more where Live is Unknown, or Absent in spite of a tmux
	// session of that name.
	Why string
}

// List probes sessions: one question to each recorded tmux server, one
// fingerprint for each version.
func (s *Store) List(ctx context.Context, docs []*session.Document) []Entry {
	servers := make(map[string]answer)
	prints := make(map[string]string)
	var all []Entry
	for _, d := range docs {
		e := Entry{Document: d, Live: Absent}
		// Nothing is left of a closed one, so nobody needs to be asked.
		if d.State != session.Closed {
			a, asked := servers[d.Tmux.Socket]
			if !asked {
				a.panes, a.err = s.Panes(ctx, d.Tmux.Socket)
				servers[d.Tmux.Socket] = a
			}
			e.Pane, e.Live, e.Why = a.find(d)
		}
		e.Stale = s.stale(ctx, d.Fingerprint, prints)
		all = append(all, e)
	}
	return all
}

// Probe is List for one session.
func (s *Store) Probe(ctx context.Context, d *session.Document) Entry {
	return s.List(ctx, []*session.Document{d})[0]
}

// Pane is the one pane of a session, nil unless it is live or dead.
func (s *Store) Pane(ctx context.Context, d *session.Document) (*tmux.Marked, Liveness, string) {
	var a answer
	a.panes, a.err = s.Panes(ctx, d.Tmux.Socket)
	return a.find(d)
}

type answer struct {
	panes []tmux.Marked
	err   error
}

// find looks for the pane that was made for d: in the session of the recorded
// name, with the mark, and made for the worktree.
func (a answer) find(d *session.Document) (pane *tmux.Marked, live Liveness, why string) {
	if a.err != nil {
		return nil, Unknown, a.err.Error()
	}
	for i := range a.panes {
		p := &a.panes[i]
		switch {
		case p.Session != d.Tmux.Session:
			continue
		case p.Mark != d.ID || p.Start != d.Paths.Worktree:
			why = elsewhere
		case p.Dead:
			return p, Dead, ""
		default:
			return p, Live, ""
		}
	}
	return nil, Absent, why
}

// stale compares in the stored version, and computes each version once.
func (s *Store) stale(ctx context.Context, stored string, prints map[string]string) Staleness {
	version, _, _ := strings.Cut(stored, ":")
	now, computed := prints[version]
	if !computed {
		var err error
		if now, err = s.Fingerprint(ctx, version); err != nil {
			now = ""
		}
		prints[version] = now
	}
	switch now {
	case "":
		return NotKnown
	case stored:
		return Fresh
	}
	return Stale
}
