package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/conversation"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	"github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// rebirth is how the program of a session is to be started again.
type rebirth struct {
	argv  []string
	begun string // name of the conversation that it is told to begin; empty: it is told none
	note  string // why it does not resume the one it had; empty: it does
}

// rebirth finds out how, and refuses what would lose the program.
func (x *refresher) rebirth(ctx context.Context, d *doc.Document, pane *tmux.Marked) (*rebirth, error) {
	if x.inside(d, []tmux.Marked{*pane}) || !pane.Dead && under(pane.PID) {
		return nil, errors.New("this command runs in it: restart it from outside of it")
	}
	if err := x.Project.Tree.Linked(ctx, d.Paths.Worktree); err != nil {
		return nil, fmt.Errorf("it has no worktree to start in: %w; see stint session close %s", err, d.ID)
	}
	h, err := x.harness(d.Harness)
	if err != nil {
		return nil, err
	}
	args, err := x.resume(d, h)
	switch {
	case err == nil:
		return &rebirth{argv: slices.Concat(h.Command, args)}, nil
	case !x.Anew:
		return nil, fmt.Errorf("%w; --fresh begins a new one", err)
	}
	b := &rebirth{argv: h.Command, note: fmt.Sprintf("begun anew: %v", err)}
	if len(h.Begin) > 0 {
		b.begun = newUUID()
		b.argv = slices.Concat(h.Command, fill(h.Begin, b.begun, ""))
	}
	return b, nil
}

// resume is the arguments by which a harness resumes the conversation of the
// session, and of no other one.
func (r *Runner) resume(d *doc.Document, h project.Harness) ([]string, error) {
	if h.Resume == nil {
		return nil, fmt.Errorf("harness %q: it is not known how it resumes a conversation: say so by resume = [\"{conversation}\"] under [harness.%s] in %s, or by resume = [] that it is simply started again", d.Harness, d.Harness, project.ConfigFile)
	}
	if !slices.ContainsFunc(h.Resume, func(arg string) bool { return strings.Contains(arg, "{conversation}") }) {
		return fill(h.Resume, "", ""), nil
	}
	c, err := r.Conversations.Get(d.Conversation)
	switch {
	case errors.Is(err, conversation.ErrNotFound):
		return nil, errors.New("it has no conversation to resume")
	case err != nil:
		return nil, err
	case r.conversation(d) == nil:
		return nil, fmt.Errorf("no conversation to resume: conversation %q is closed, or of another session or harness", c.ID)
	case c.ProviderSession == "":
		return nil, fmt.Errorf("no conversation to resume: %s has not told by which name it knows it", d.Harness)
	}
	return fill(h.Resume, c.ProviderSession, ""), nil
}

// again is the command that starts a session whose program has ended.
func (r *Runner) again(d *doc.Document) string {
	anew := ""
	if h, err := r.harness(d.Harness); err == nil {
		if _, err := r.resume(d, h); err != nil {
			anew = "--fresh "
		}
	}
	return "stint session restart --force " + anew + d.ID
}

// conversation is the one that a session is in; nil if there is none.
func (r *Runner) conversation(d *doc.Document) *talk.Document {
	c, err := r.Conversations.Get(d.Conversation)
	if err != nil || c.State != talk.Open || c.Session != d.ID || c.Harness != d.Harness {
		return nil
	}
	return c
}
