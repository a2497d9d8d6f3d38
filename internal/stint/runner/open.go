package runner

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// OpenOptions say what session to open.
type OpenOptions struct {
	Harness string // empty means the configured one
	Prompt  string // handed to the harness; empty for none
}

// Open opens a session: a branch, a worktree of it, and the harness running
// there in a tmux session of its own. What a failure left half made is taken
// back, and the reason is kept in the document.
func (r *Runner) Open(ctx context.Context, o OpenOptions) (session.Entry, error) {
	if r.Project.NoConfig != nil {
		return session.Entry{}, r.Project.NoConfig
	}
	if err := r.Sessions.Moved(); err != nil {
		return session.Entry{}, err
	}
	if o.Harness == "" {
		o.Harness = r.Project.Config.Session.Harness
	}
	if o.Harness == "" {
		return session.Entry{}, errors.New("no harness: name one, as in stint session open sh, or set session.harness in stint.toml")
	}
	argv, err := r.command(o.Harness, o.Prompt)
	if err != nil {
		return session.Entry{}, err
	}
	d, err := r.plan(ctx, o.Harness)
	if err != nil {
		return session.Entry{}, err
	}
	h, err := r.Sessions.Create(ctx, d)
	if err != nil {
		return session.Entry{}, err
	}
	defer h.Release()
	if undo, err := r.build(ctx, h, argv); err != nil {
		return session.Entry{}, r.rollBack(ctx, h, undo, err)
	}
	return r.Sessions.Probe(ctx, h.Document), nil
}

// plan is the document of a session to be opened. It asks, and makes nothing.
func (r *Runner) plan(ctx context.Context, harness string) (doc.Document, error) {
	id, place := newID(), r.Sessions.Place
	d := doc.Document{
		Head: readers.Head{ID: id, ProjectID: r.Project.ID}, State: doc.Creating, Harness: harness, Branch: doc.Branch(id),
		Paths: doc.Paths{Repository: place.Repository, WorkspaceRoot: place.WorkspaceRoot(id), Worktree: place.Worktree(id), RunRoot: place.RunRoot(id)},
	}
	var err error
	if d.Base, err = r.Project.Tree.Head(ctx); err != nil {
		return d, err
	}
	if d.Base == "" {
		return d, fmt.Errorf("repository %q: it has no commit yet, and a session starts from one: commit something first", d.Paths.Repository)
	}
	if d.Fingerprint, err = r.Project.Fingerprint(ctx, project.FingerprintVersion); err != nil {
		return d, err
	}
	if d.Tmux.Socket, err = r.defaultSocket(ctx); err != nil {
		return d, err
	}
	panes, err := r.Sessions.Panes(ctx, d.Tmux.Socket)
	if err != nil {
		return d, fmt.Errorf("tmux on %q does not answer, so nothing was opened: %w", d.Tmux.Socket, err)
	}
	d.Tmux.Session, err = freeName(place.TmuxNames(&d), panes)
	return d, err
}

// defaultSocket is that of the server that tmux attach would go to.
func (r *Runner) defaultSocket(ctx context.Context) (string, error) {
	v, err := tmux.ReadVersion(ctx, "")
	if err != nil {
		return "", fmt.Errorf("tmux is needed for a session: %w", err)
	}
	if !v.AtLeast(3, 2) {
		return "", fmt.Errorf("tmux is %s, and a session needs 3.2 or newer: update it", v.Name)
	}
	return tmux.DefaultSocket(ctx, git.Environ(r.Env))
}

func freeName(names []string, panes []tmux.Marked) (string, error) {
	for _, name := range names {
		if !slices.ContainsFunc(panes, func(p tmux.Marked) bool { return p.Session == name }) {
			return name, nil
		}
	}
	return "", fmt.Errorf("the tmux session names %s are all taken: try again", strings.Join(names, ", "))
}

// undo takes back one thing that was made.
type undo func(ctx context.Context) error

// build makes what the document speaks of and leaves it open. It returns how
// to take back what it may have made, also where that failed half-way: each
// undo is noted when the thing is known not to be there, and before it is
// made.
func (r *Runner) build(ctx context.Context, h *session.Held, argv []string) (made []undo, err error) {
	tree := r.Project.Tree
	made = append(made, func(context.Context) error { return r.removeWorkspace(h.Document) })
	if err := document.MakeDir(h.Paths.RunRoot); err != nil {
		return made, err
	}
	if at, err := tree.Ref(ctx, "refs/heads/"+h.Branch); err != nil || at != "" {
		return made, errors.Join(err, taken("branch", h.Branch, at))
	}
	made = append(made, func(ctx context.Context) error { return r.removeUnusedBranch(ctx, h.Document) })
	if err := tree.AddBranch(ctx, h.Branch, h.Base); err != nil {
		return made, err
	}
	made = append(made, func(ctx context.Context) error { return r.removeWorktree(ctx, h.Document) })
	if err := r.addWorktree(ctx, h.Document); err != nil {
		return made, err
	}
	if err := tree.Linked(ctx, h.Paths.Worktree); err != nil {
		return made, err
	}
	made = append(made, func(ctx context.Context) error { return r.end(ctx, h.Document) })
	if err := r.start(ctx, h.Document, argv); err != nil {
		return made, err
	}
	return made, h.Update(func(d *doc.Document) {
		d.State = doc.Open
		d.OpenedAt = readers.At(r.Now())
	})
}

func taken(what, name, at string) error {
	if at == "" {
		return nil
	}
	return fmt.Errorf("%s %q is there already, at %.12s", what, name, at)
}

// start starts the harness in its pane and looks that there is one.
func (r *Runner) start(ctx context.Context, d *doc.Document, argv []string) error {
	env := []string{"STINT_SESSION_ID=" + d.ID, "STINT_RUN_DIR=" + d.Paths.RunRoot}
	if dir := r.Project.Config.Project.MemoryDir; dir != "" {
		env = append(env, "STINT_MEMORY_DIR="+path.Join(d.Paths.Worktree, dir))
	}
	err := r.server(d.Tmux.Socket).NewSession(ctx, tmux.NewSession{
		Name: d.Tmux.Session, Dir: d.Paths.Worktree, Env: env, Options: []tmux.Option{{Name: session.Mark, Value: d.ID}}, Argv: argv,
	})
	if err != nil {
		return fmt.Errorf("tmux on %q: %w", d.Tmux.Socket, err)
	}
	return r.awaitStart(ctx, d)
}

// awaitStart waits for the pane that was made for the worktree. What runs in
// it has started there, and may be elsewhere by now.
func (r *Runner) awaitStart(ctx context.Context, d *doc.Document) error {
	for end := time.Now().Add(5 * time.Second); ; {
		_, live, why := r.Sessions.Pane(ctx, d)
		switch {
		case live == session.Unknown:
			return fmt.Errorf("tmux on %q does not answer: %s", d.Tmux.Socket, why)
		case live == session.Live, live == session.Dead:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("tmux on %q made no pane for the session: %s", d.Tmux.Socket, why)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// rollBack takes back what build made, the last thing first, and stops at the
// first that cannot be: a worktree stays as long as a program may run in it.
func (r *Runner) rollBack(ctx context.Context, h *session.Held, made []undo, cause error) error {
	ctx = context.WithoutCancel(ctx)
	for _, take := range slices.Backward(made) {
		if err := take(ctx); err != nil {
			err = fmt.Errorf("not opened: %w; and what was made for it could not be taken back: %w", cause, err)
			return errors.Join(fmt.Errorf("session %q: %w; run stint session close %s", h.ID, err, h.ID), r.fail(h, doc.RecoveryRequired, err))
		}
	}
	err := h.Update(func(d *doc.Document) {
		d.State, d.Failure, d.ClosedAt = doc.Closed, cause.Error(), readers.At(r.Now())
	})
	return errors.Join(fmt.Errorf("session %q: not opened, and nothing is left of it: %w", h.ID, cause), err)
}

// fail keeps the reason of a failure in the document.
func (r *Runner) fail(h *session.Held, state doc.State, cause error) error {
	return h.Update(func(d *doc.Document) { d.State, d.Failure = state, cause.Error() })
}
