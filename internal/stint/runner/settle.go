package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Outcome is what recovering a session came to.
type Outcome string

const (
	Unchanged Outcome = "unchanged" // it was in no need of it
	Reopened  Outcome = "open"      // it is whole and was found so
	TakenDown Outcome = "closed"    // it was not, and what was left of it is gone
	Failed    Outcome = "failed"    // it needs recovery still
)

// Recovered is a session that was to be recovered.
type Recovered struct {
	session.Entry
	Outcome Outcome
	Why     string // it was closed, or failed
}

// Unsettled tells whether a session was left in the middle of something, or is
// just being opened or closed.
func Unsettled(s doc.State) bool {
	return s == doc.Creating || s == doc.Closing || s == doc.RecoveryRequired
}

// Recover brings the session, or where id is empty all that are unsettled, to a
// state that can be worked with. Work that is nowhere else stays, and the
// session with it.
func (r *Runner) Recover(ctx context.Context, id string) ([]Recovered, error) {
	docs, err := r.unsettled(id)
	if err != nil {
		return nil, err
	}
	var all []Recovered
	for _, d := range docs {
		all = append(all, r.recoverOne(ctx, d))
	}
	return all, nil
}

func (r *Runner) unsettled(id string) ([]*doc.Document, error) {
	if id != "" {
		d, err := r.Sessions.Get(id)
		return []*doc.Document{d}, err
	}
	docs, _, err := r.Sessions.Documents()
	return slices.DeleteFunc(docs, func(d *doc.Document) bool { return !Unsettled(d.State) }), err
}

func (r *Runner) recoverOne(ctx context.Context, d *doc.Document) Recovered {
	h, err := r.Sessions.Hold(ctx, d.ID)
	if err != nil {
		return Recovered{r.Sessions.Probe(ctx, d), Failed, err.Error()}
	}
	defer h.Release()
	// Whoever held it may have been at it.
	if !Unsettled(h.State) {
		return Recovered{r.Sessions.Probe(ctx, h.Document), Unchanged, ""}
	}
	outcome, why, err := r.settle(ctx, h)
	if err != nil {
		outcome, why = Failed, err.Error()
		if kept := r.note(h, document.Reason(err)); kept != nil {
			why = fmt.Sprintf("%s; and the reason could not be kept: %v", why, kept)
		}
	}
	return Recovered{r.Sessions.Probe(ctx, h.Document), outcome, why}
}

// settle opens a session that is whole, and closes any other as close would.
func (r *Runner) settle(ctx context.Context, h *session.Held) (Outcome, string, error) {
	lacks := "it was being closed"
	if h.State != doc.Closing {
		var err error
		if lacks, err = r.lacks(ctx, h.Document); err != nil {
			return Failed, "", err
		}
	}
	if lacks == "" {
		return Reopened, "", h.Update(func(d *doc.Document) {
			d.State, d.Failure = doc.Open, ""
			if d.OpenedAt.IsZero() {
				d.OpenedAt = readers.At(r.Now())
			}
		})
	}
	_, err := r.closeHeld(ctx, h, nil)
	return TakenDown, lacks, err
}

// lacks is what a session has not, and would have if it were open; empty if it
// is whole.
func (r *Runner) lacks(ctx context.Context, d *doc.Document) (string, error) {
	at, err := r.Project.Tree.Ref(ctx, "refs/heads/"+d.Branch)
	if err != nil {
		return "", err
	}
	if at == "" {
		return "it has no branch", nil
	}
	w := ofSession(d)
	made, err := r.listed(ctx, w)
	if err != nil {
		return "", err
	}
	if halfMade(w, made) {
		return "its worktree is half made", nil
	}
	if err := r.Project.Tree.Linked(ctx, d.Paths.Worktree); err != nil {
		return "it has no worktree: " + err.Error(), nil
	}
	switch _, live, why := r.Sessions.Pane(ctx, d); live {
	case session.Unknown:
		return "", fmt.Errorf("session %q: tmux on %q does not answer, so it is not known whether it runs: %s; try again when it does", d.ID, d.Tmux.Socket, why)
	case session.Absent:
		return "it does not run", nil
	}
	return "", nil
}

// note keeps the reason why a session is as it is, unless it is kept already.
func (r *Runner) note(h *session.Held, why string) error {
	if h.Failure == why {
		return nil
	}
	return h.Update(func(d *doc.Document) { d.Failure = why })
}
