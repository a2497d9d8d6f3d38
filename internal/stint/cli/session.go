package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func (a *app) session() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Open, look at, save, restart and close sessions",
		Example: `  stint session open sh
  stint session list`,
		Args: cobra.ArbitraryArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(a.sessionOpen(), a.sessionList(), a.sessionShow(), a.sessionAttach(), a.sessionCheckpoint(), a.sessionClose(), a.sessionRecover(), a.sessionRestart())
	return cmd
}

func (a *app) sessionOpen() *cobra.Command {
	var o runner.OpenOptions
	var noAttach bool
	cmd := &cobra.Command{
		Use:   "open [HARNESS]",
		Short: "Open a session and attach to it",
		Long: `open starts a session from the commit that is checked out: a branch
stint/ID, a worktree of it, and the harness running there in a tmux session on
your default tmux server, or on the one that tmux.socket in stint.toml names.
Without HARNESS it is the one that stint.toml names. A harness is an agent
described under [harness.NAME] in stint.toml, codex, claude, or any other
program on PATH.

A work item, and a standing session, has one session at a time, whose tmux
session is called after it.

Uncommitted changes of the main work tree are not in the session.`,
		Example: `  stint session open sh
  stint session open codex --work-item github:octo/repo#15 --prompt "fix it"
  stint session open claude --standing triage --no-attach --json`,
		Args: takes("[HARNESS]"),
	}
	cmd.Flags().BoolVar(&noAttach, "no-attach", false, "leave the session to itself")
	cmd.Flags().StringVar(&o.Prompt, "prompt", "", "hand the agent its first prompt")
	cmd.Flags().StringVar(&o.WorkItem, "work-item", "", "the issue or pull request it works on, as in github:OWNER/REPO#15 (`ref`)")
	cmd.Flags().StringVar(&o.Standing, "standing", "", "the `name` of a session for no work item, that comes back")
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
		if len(args) > 0 {
			o.Harness = args[0]
		}
		opened, err := r.Open(ctx, o)
		if err != nil {
			return err
		}
		for _, note := range opened.Notes {
			a.note("%s", note)
		}
		if err := a.print(sessionAnswer{Session: viewSession(opened.Entry)}, func(w io.Writer) { openText(w, opened.Entry) }); err != nil {
			return err
		}
		if noAttach || a.json || !term.IsTerminal(int(a.stdin.Fd())) {
			return nil
		}
		return a.attach(ctx, r, opened.ID, false)
	})
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := purpose(cmd, &o); err != nil {
			return misuse(cmd, err)
		}
		return run(cmd, args)
	}
	return cmd
}

// errBlank is a prompt that says nothing, as of a variable that is not set.
var errBlank = errors.New("it is empty: say what the agent is to do")

func blank(prompt string) bool { return strings.TrimSpace(prompt) == "" }

// purpose looks at what a session is to be for, and spells it as GitHub does
// not care to.
func purpose(cmd *cobra.Command, o *runner.OpenOptions) error {
	if cmd.Flags().Changed("prompt") && blank(o.Prompt) {
		return fmt.Errorf("--prompt: %w", errBlank)
	}
	item, standing := cmd.Flags().Changed("work-item"), cmd.Flags().Changed("standing")
	given := o.WorkItem
	o.WorkItem = strings.ToLower(given)
	switch {
	case item && standing:
		return errors.New("--work-item and --standing do not go together")
	case item && !doc.WorkItem(o.WorkItem):
		return fmt.Errorf("--work-item: %q is no reference such as github:OWNER/REPO#15", given)
	case standing && !doc.StandingName(o.Standing):
		return fmt.Errorf("--standing: %q is no name of 1 to 32 lower-case letters, digits and hyphens, with a letter or digit at both ends", o.Standing)
	}
	return nil
}

func (a *app) sessionAttach() *cobra.Command {
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "attach ID",
		Short: "Show an open session on this terminal",
		Long: `attach shows the session's pane on this terminal, until you detach (C-b d).
The pane stays when its program has ended. From inside of the same tmux server
it switches over: C-b L leads back.`,
		Example: `  stint session attach 4f8a2c0e91b7
  stint session attach 4f8a2c0e91b7 --read-only`,
		Args: takes("ID"),
	}
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "look on: what you type does not reach the session")
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
		return a.attach(ctx, r, args[0], readOnly)
	})
	return cmd
}

func (a *app) attach(ctx context.Context, r *runner.Runner, id string, readOnly bool) error {
	c, err := r.Attach(ctx, id, readOnly)
	if err != nil {
		return err
	}
	if !term.IsTerminal(int(a.stdin.Fd())) {
		return fmt.Errorf("session %q: standard input is no terminal to attach: run stint session attach %s in one", id, id)
	}
	return c.Run(a.stdin, os.Stdout)
}

func (a *app) sessionCheckpoint() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint ID",
		Short: "Save a session's work as a pending artifact",
		Long: `checkpoint saves everything in the session's worktree that differs from the
commit it started from, untracked files included, as a run that can be
applied or discarded later. The session goes on. Files that git ignores are
not saved, and repositories inside of the worktree are refused.`,
		Example: `  stint session checkpoint 4f8a2c0e91b7`,
		Args:    takes("ID"),
	}
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
		m, err := r.Checkpoint(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(runAnswer{m}, func(w io.Writer) { text.Saved(w, m) })
	})
	return cmd
}

const everything = "everything"

func (a *app) sessionClose() *cobra.Command {
	var discard []string
	cmd := &cobra.Command{
		Use:   "close ID",
		Short: "Close a session: end its program, remove its worktree, keep its branch",
		Long: `close ends the session's program and removes its worktree. The branch stays.
It refuses to remove work that is in no branch and in no artifact, and names
its kinds: changes, untracked, ignored, commits, submodules, run. --discard
gives up all of it, --discard=KIND,... only those kinds.

A session in whatever state is closed, also one whose workspace is gone.
Closing a closed one changes nothing.`,
		Example: `  stint session close 4f8a2c0e91b7
  stint session close 4f8a2c0e91b7 --discard=ignored
  stint session close 4f8a2c0e91b7 --discard`,
		Args: takes("ID"),
	}
	discards(cmd, &discard)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		kinds, err := discarded(discard)
		if err != nil {
			return misuse(cmd, err)
		}
		return a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
			c, err := r.CloseSession(ctx, args[0], kinds)
			if err != nil {
				return err
			}
			v := closeAnswer{viewSession(c.Entry), c.Already, c.Discarded}
			return a.print(v, func(w io.Writer) { text.Closed(w, c) })
		})(cmd, args)
	}
	return cmd
}

func discards(cmd *cobra.Command, kinds *[]string) {
	cmd.Flags().StringSliceVar(kinds, "discard", nil, "give up unsaved work, of these `kinds` only")
	cmd.Flags().Lookup("discard").NoOptDefVal = everything
}

func discarded(names []string) ([]runner.Kind, error) {
	var kinds []runner.Kind
	for _, name := range names {
		switch {
		case name == everything:
			return runner.Kinds(), nil
		case !slices.Contains(runner.Kinds(), runner.Kind(name)):
			return nil, fmt.Errorf("--discard: there is no kind of work %q; there are %s", name, list(runner.Kinds()))
		}
		kinds = append(kinds, runner.Kind(name))
	}
	return kinds, nil
}
