package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/conversation"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	config "github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Continue has the agent do another turn of a conversation, which is named by
// its own id or by that of one of its turns. Where the work of the last run is
// not decided on, the turn starts from it; else from the commit that is checked
// out.
func (r *Runner) Continue(ctx context.Context, of string, o TurnOptions) (*Turned, error) {
	id, err := r.conversationOf(of)
	if err != nil {
		return nil, err
	}
	c, err := r.Conversations.Hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer c.Release()
	runs, err := r.mayContinue(ctx, c.Document)
	if err != nil {
		return nil, fmt.Errorf("conversation %q: %w", id, err)
	}
	t, h, err := r.turn(ctx, c.Harness, o)
	if err != nil {
		return nil, err
	}
	if h.Continue == nil {
		return nil, fmt.Errorf("harness %q: it is not known how it continues a conversation without a terminal: say so by continue = [\"{conversation}\", \"{prompt}\"] under [harness.%s] in %s", c.Harness, c.Harness, config.ConfigFile)
	}
	t.argv = slices.Concat(h.Command, fill(h.Continue, c.ProviderSession, o.Prompt))
	if err := fits(t.argv); err != nil {
		return nil, err
	}
	t.manifest.Conversation, t.manifest.ProviderSession = id, c.ProviderSession
	if err := r.startFrom(ctx, t, runs); err != nil {
		return nil, err
	}
	lock, err := r.turnLock(ctx, t.manifest.ID, document.Patience)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if err := c.Update(func(c *talk.Document) { c.Runs = append(slices.Clone(c.Runs), t.manifest.ID) }); err != nil {
		return nil, err
	}
	return r.perform(ctx, t, lock, c.Release)
}

// conversationOf is the id of the conversation that an id of its own, or of one
// of its turns, stands for.
func (r *Runner) conversationOf(of string) (string, error) {
	_, err := r.Conversations.Get(of)
	if !errors.Is(err, conversation.ErrNotFound) {
		return of, err
	}
	m, err := r.Runs.Get(of)
	switch {
	case errors.Is(err, artifact.ErrNotFound):
		return "", fmt.Errorf("%q: there is no such conversation and no such run: see stint conversations list, and stint runs list", of)
	case err != nil:
		return "", err
	case m.Kind == manifest.Checkpoint:
		return "", fmt.Errorf("run %q: it is a checkpoint, which no agent can continue: see stint conversations list", of)
	case m.ProviderSession == "" && m.State != manifest.Running:
		return "", fmt.Errorf("run %q: %w", of, errNoProvider)
	}
	return m.Conversation, nil
}

var errNoProvider = errors.New("the agent told no name of the conversation, by which it could continue it: begin another one by stint run")

// mayContinue refuses a conversation in which the agent must not be called, and
// returns the runs of it that are still there, the oldest first.
func (r *Runner) mayContinue(ctx context.Context, c *talk.Document) ([]*manifest.Manifest, error) {
	if c.State == talk.Closed {
		return nil, errors.New("it is closed: begin another one by stint run")
	}
	var runs []*manifest.Manifest
	for _, id := range c.Runs {
		m, err := r.Runs.Get(id)
		switch {
		case errors.Is(err, artifact.ErrNotFound):
			continue // It was pruned.
		case err != nil:
			return nil, err
		}
		if err := r.idle(ctx, m); err != nil {
			return nil, err
		}
		runs = append(runs, m)
	}
	if c.ProviderSession == "" {
		return nil, errNoProvider
	}
	return runs, r.left(c)
}

// left refuses the conversation of a session in which the agent may be at work.
func (r *Runner) left(c *talk.Document) error {
	if c.Session == "" {
		return nil
	}
	d, err := r.Sessions.Get(c.Session)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return nil
	case err == nil && d.State != doc.Closed:
		return fmt.Errorf("it is that of session %q, which is %s: speak to the agent there, or close it first", d.ID, d.State)
	}
	return err
}

// idle refuses a run that is not over, or whose work is still to be saved.
func (r *Runner) idle(ctx context.Context, m *manifest.Manifest) error {
	if m.State == manifest.Running {
		lock, err := r.turnLock(ctx, m.ID, 0)
		switch {
		case errors.Is(err, document.ErrLocked):
			return fmt.Errorf("run %q of it is running: wait for its end", m.ID)
		case err != nil:
			return fmt.Errorf("run %q of it: %w", m.ID, err)
		}
		lock.Release()
	}
	// What is in the place of one that did not begin is another's.
	if m.State == manifest.Running || stuck(m) && began(m) && remains(m) {
		return fmt.Errorf("run %q of it was interrupted before its work was saved: run stint runs recover %[1]s first", m.ID)
	}
	return nil
}

// startFrom decides what the worktree of a turn begins with, and where it is.
func (r *Runner) startFrom(ctx context.Context, t *turn, runs []*manifest.Manifest) (err error) {
	// One that changed nothing says nothing of those before it.
	for _, m := range slices.Backward(runs) {
		if m.PatchSHA256 == "" {
			continue
		}
		if m.State == manifest.Pending || m.State == manifest.Interrupted {
			t.from, t.manifest.Base = m, m.Base
		}
		break
	}
	if t.from == nil {
		if t.manifest.Base, err = r.base(ctx, "a run"); err != nil {
			return err
		}
	}
	dir := r.home(t.manifest.Conversation)
	if dir == "" || r.inUse(dir) {
		dir = t.manifest.ID
	}
	t.manifest.Root = r.Sessions.Place.Worktree(dir)
	return nil
}

// inUse tells whether a workspace is, or may be, there.
func (r *Runner) inUse(dir string) bool {
	_, err := os.Lstat(r.Sessions.Place.WorkspaceRoot(dir))
	return !errors.Is(err, fs.ErrNotExist)
}
