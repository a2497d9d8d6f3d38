package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/spf13/cobra"
)

// turnAnswer is what run and continue print, and recover of each run.
type turnAnswer struct {
	Run       *artifact.Manifest `json:"run"`
	Kept      []runner.Loss      `json:"kept"`
	Discarded []runner.Loss      `json:"discarded"`
	Workspace string             `json:"workspace,omitempty"`
}

func viewTurn(t *runner.Turned) turnAnswer {
	return turnAnswer{t.Manifest, t.Kept, t.Discarded, t.Workspace}
}

func (a *app) run() *cobra.Command {
	return a.turn(&cobra.Command{
		Use:   "run HARNESS PROMPT",
		Short: "Have an agent do one turn without a terminal, and save its work as an artifact",
		Long: `run starts the harness with a prompt in a worktree of its own, which is at the
commit that is checked out, and waits for its end. What it prints goes to
standard error. All that it changed, committed or not, is saved as a run to be
applied or discarded, also if it fails or is interrupted (C-c). The worktree is
removed unless that would lose what no artifact holds, such as ignored files.

A harness is codex, claude, or one that has run under [harness.NAME] in
stint.toml.`,
		Example: `  stint run codex "fix the flaky test in ./store"
  stint run claude "explain the build" --discard=ignored --json`,
		Args: takes("HARNESS", "PROMPT"),
	}, (*runner.Runner).Run)
}

func (a *app) continues() *cobra.Command {
	return a.turn(&cobra.Command{
		Use:   "continue CONVERSATION-or-RUN PROMPT",
		Short: "Have an agent do another turn of a conversation",
		Long: `continue has the agent go on where it was in a conversation, which is named by
its id or by that of one of its runs. As long as the work of the last run is
neither applied nor discarded, the turn starts from it, and its artifact holds
both; otherwise it starts from the commit that is checked out.`,
		Example: `  stint continue 9b3d5a6f1c28 "and now the other one"
  stint continue 9b3d5a6f1c28 "once more" --json`,
		Args: takes("CONVERSATION-or-RUN", "PROMPT"),
	}, (*runner.Runner).Continue)
}

// turn is a command that has an agent do something.
func (a *app) turn(cmd *cobra.Command, do func(r *runner.Runner, ctx context.Context, of string, o runner.TurnOptions) (*runner.Turned, error)) *cobra.Command {
	var discard []string
	discards(cmd, &discard)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		kinds, err := discarded(discard)
		if err != nil {
			return misuse(cmd, err)
		}
		if blank(args[1]) {
			return misuse(cmd, fmt.Errorf("prompt: %w", errBlank))
		}
		// That nobody reads what the agent prints any more must not end this
		// process before it has saved the work.
		unread := make(chan os.Signal, 1)
		signal.Notify(unread, syscall.SIGPIPE)
		defer signal.Stop(unread)
		return a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
			t, err := do(r, ctx, args[0], runner.TurnOptions{
				Prompt: args[1], Discard: kinds, Out: a.stderr, Note: func(text string) { a.note("%s", text) },
			})
			if t == nil || err != nil && !a.json { // As text, the error says all of it.
				return err
			}
			return errors.Join(err, a.print(viewTurn(t), func(w io.Writer) { turnText(w, t) }))
		})(cmd, args)
	}
	return cmd
}

func turnText(w io.Writer, t *runner.Turned) {
	if t.PatchSHA256 == "" {
		fmt.Fprintf(w, "run %s changed no file\n", t.ID)
	} else {
		fmt.Fprintf(w, "saved run %s (%s)\n  look at it   stint runs diff %s\n  take it      stint runs apply %s\n", t.ID, text.Count(len(t.Files), "file"), t.ID, t.ID)
	}
	if t.From != "" && t.PatchSHA256 != "" {
		fmt.Fprintf(w, "  holds also   run %s, which is not to be taken, too: stint runs discard %[1]s\n", t.From)
	}
	if t.ProviderSession != "" {
		fmt.Fprintf(w, "  go on        stint continue %s PROMPT\n", t.Conversation)
	}
	workspaceText(w, t)
}

// workspaceText says what became of a workspace, where it is not just gone.
func workspaceText(w io.Writer, t *runner.Turned) {
	for _, l := range t.Discarded {
		fmt.Fprintf(w, "  given up: %s\n", l)
	}
	for _, l := range t.Kept {
		fmt.Fprintf(w, "  nowhere else: %s\n", l)
	}
	if t.Workspace != "" {
		fmt.Fprintf(w, "  its workspace stays: %s\n  once all is moved away, or to be given up: stint runs recover %s [--discard]\n", t.Workspace, t.ID)
	}
}
