package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	config "github.com/freeze-contracts/permafrost/readers/project"
)

// TurnOptions say what an agent is told, and what may be lost of what it does.
type TurnOptions struct {
	Prompt  string
	Discard []Kind       // work that no artifact holds and that may be given up
	Out     io.Writer    // gets all that the agent prints
	Note    func(string) // gets what the user should know before the agent starts
}

// Turned is what a turn came to.
type Turned struct {
	*manifest.Manifest
	Kept      []Loss // work that is only in its workspace, which stays for it
	Discarded []Loss // work that was given up
	Workspace string // which stays; empty: it is gone
	From      string // id of the run whose work this one holds, too; empty: none
}

// turn is one that can be made.
type turn struct {
	TurnOptions
	manifest manifest.Manifest
	argv     []string
	file     *env.File
	report   string             // member that holds the name of the conversation; empty for none
	from     *manifest.Manifest // run whose work is laid into the worktree first; nil for none
}

// Run has a harness do one turn of a new conversation, in a worktree of its own
// and without a terminal, and saves its work as an artifact. Once the agent was
// started, what the turn came to is returned with an error, too.
func (r *Runner) Run(ctx context.Context, harness string, o TurnOptions) (*Turned, error) {
	t, h, err := r.turn(ctx, harness, o)
	if err != nil {
		return nil, err
	}
	if h.Run == nil {
		return nil, fmt.Errorf("harness %q: it is not known how it takes a turn without a terminal: say so by run = [\"{prompt}\"] under [harness.%s] in %s", harness, harness, config.ConfigFile)
	}
	if len(h.Begin) > 0 {
		t.manifest.ProviderSession = newUUID()
	}
	t.argv = slices.Concat(h.Command, fill(h.Begin, t.manifest.ProviderSession, ""), fill(h.Run, t.manifest.ProviderSession, o.Prompt))
	if err := fits(t.argv); err != nil {
		return nil, err
	}
	if t.manifest.Base, err = r.base(ctx, "a run"); err != nil {
		return nil, err
	}
	t.manifest.Root = r.Sessions.Place.Worktree(t.manifest.ID)
	lock, err := r.turnLock(ctx, t.manifest.ID, document.Patience)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	c, err := r.Conversations.Create(ctx, talk.Document{
		Head: readers.Head{ID: newID(), ProjectID: r.Project.ID}, State: talk.Open, Harness: harness,
		ProviderSession: t.manifest.ProviderSession, Runs: []string{t.manifest.ID},
	})
	if err != nil {
		return nil, err
	}
	defer c.Release()
	t.manifest.Conversation = c.ID
	return r.perform(ctx, t, lock, c.Release)
}

// turn finds out all that can be without making anything, and returns how the
// harness is started.
func (r *Runner) turn(ctx context.Context, harness string, o TurnOptions) (*turn, config.Harness, error) {
	var h config.Harness
	if err := r.configured(); err != nil {
		return nil, h, err
	}
	if err := r.Sessions.Moved(); err != nil {
		return nil, h, err
	}
	if !utf8.ValidString(o.Prompt) || strings.ContainsRune(o.Prompt, 0) || strings.TrimSpace(o.Prompt) == "" {
		return nil, h, errors.New("prompt: it is to be text, in UTF-8, and neither empty nor with a NUL")
	}
	h, err := r.harness(harness)
	if err != nil {
		return nil, h, err
	}
	t := &turn{TurnOptions: o, report: h.Report}
	if t.file, err = r.envFile(); err != nil {
		return nil, h, err
	}
	for _, note := range envNotes(t.file) {
		o.Note(note)
	}
	t.manifest = manifest.Manifest{
		Head: readers.Head{ID: newID(), ProjectID: r.Project.ID}, Kind: manifest.Turn, Harness: harness, Prompt: o.Prompt, Files: []manifest.File{},
	}
	t.manifest.Fingerprint, err = r.Project.NewFingerprint(ctx)
	return t, h, err
}

// fits refuses what Linux does not take as an argument.
func fits(argv []string) error {
	for _, arg := range argv {
		if len(arg) > env.MaxVariable {
			return fmt.Errorf("prompt: with it an argument has %d bytes, and %d is what a program can be handed: put it into a file and name the file in the prompt", len(arg), env.MaxVariable)
		}
	}
	return nil
}

// perform makes a turn whose lock is held, which it lets go of. From the
// manifest on, all that is made can be found by it. Said is called when it is
// written.
func (r *Runner) perform(ctx context.Context, t *turn, lock *document.Lock, said func()) (*Turned, error) {
	id, out := t.manifest.ID, newBacklog(t.Out)
	defer func() {
		// Nobody has to wait for the run as long as somebody does not read.
		lock.Release()
		out.flush(ctx)
	}()
	m, err := r.Runs.Begin(ctx, t.manifest)
	if err != nil {
		return nil, err
	}
	said()
	w, err := r.ofTurn(m)
	if err == nil {
		err = r.furnish(ctx, w, t)
	}
	if err != nil {
		return nil, r.withdraw(ctx, m, err)
	}
	// A workspace of a run that does not say this holds nothing of its own.
	if _, err = r.Runs.Update(ctx, id, func(m *manifest.Manifest) { m.StartedAt = readers.At(r.Now()) }); err != nil {
		return nil, r.withdraw(ctx, m, err)
	}
	e, err := r.attend(ctx, t, w, lock, out)
	if err != nil {
		return nil, r.withdraw(ctx, m, err)
	}
	over, err := r.finish(context.WithoutCancel(ctx), m, w, e, t.Discard)
	if over != nil && t.from != nil {
		over.From = t.from.ID
	}
	return over, err
}

// furnish makes the workspace, and lays the work of an earlier run into it.
func (r *Runner) furnish(ctx context.Context, w *workspace, t *turn) error {
	if err := document.MakeDir(w.paths.RunRoot); err != nil {
		return err
	}
	if err := r.addWorktree(ctx, w); err != nil {
		return err
	}
	if err := r.Project.Tree.Linked(ctx, w.paths.Worktree); err != nil {
		return err
	}
	if t.from == nil {
		return nil
	}
	return r.Runs.Lay(ctx, r.tree(w), t.from)
}

// withdraw takes back what was made for a turn that did not come to its agent.
func (r *Runner) withdraw(ctx context.Context, m *manifest.Manifest, cause error) error {
	ctx = context.WithoutCancel(ctx)
	w, err := r.ofTurn(m)
	if err == nil {
		w.begun = false
		err = r.dismantle(ctx, w)
	}
	_, kept := r.Runs.Update(ctx, m.ID, func(m *manifest.Manifest) {
		m.State, m.Failure, m.StartedAt, m.FinishedAt = manifest.Interrupted, document.Reason(cause), readers.Time{}, readers.At(r.Now())
	})
	if err = errors.Join(err, kept, r.unsaid(ctx, m)); err != nil {
		return fmt.Errorf("run %q: not begun: %w; and what was made for it could not be taken back: %w; run stint runs recover %s", m.ID, cause, err, m.ID)
	}
	return fmt.Errorf("run %q: not begun, and nothing is left of it: %w", m.ID, cause)
}

// unsaid closes the conversation of a first turn that was not begun.
func (r *Runner) unsaid(ctx context.Context, m *manifest.Manifest) error {
	c, err := r.Conversations.Get(m.Conversation)
	if err != nil || !slices.Equal(c.Runs, []string{m.ID}) {
		return err
	}
	_, _, err = r.CloseConversation(ctx, c.ID)
	return err
}

// dismantle removes a workspace in which there is nothing to be lost.
func (r *Runner) dismantle(ctx context.Context, w *workspace) error {
	if err := r.removeWorktree(ctx, w); err != nil {
		return fmt.Errorf("worktree: %w", err)
	}
	if err := r.removeWorkspace(w); err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	// One that was killed while it looked at the worktree has left this.
	return r.state.RemoveAll(path.Join(w.folder, "scratch"))
}

// turnLock is held as long as a process of a turn is left: the agent and all
// that it starts hold it, too, so it is free exactly when none of them is left,
// whatever became of this process. It is held before anything speaks of the
// turn: what is there without a manifest, and is free, never came to be one.
func (r *Runner) turnLock(ctx context.Context, id string, patience time.Duration) (*document.Lock, error) {
	return document.Acquire(ctx, r.Runs.Path(id, "running.lock"), patience)
}
