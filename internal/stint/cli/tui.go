package cli

import (
	"context"
	"errors"
	"os"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/tui"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func (a *app) tui() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Show sessions and runs on the screen, and work with them by keys",
		Long: `tui shows the project's sessions and runs on the whole terminal, as they stand
now, and runs with their diffs. Sessions are attached to, checkpointed and
closed, runs are applied and discarded by one key each; ? shows the keys, and
q leaves. What a key does is what the command of that name does.

It needs a terminal of at least 60 columns and 12 lines. It prints no answer,
so --json is refused: see stint status, session list and runs list.`,
		Example: `  stint tui
  NO_COLOR=1 stint tui`,
		Args: takes(),
	}
	run := a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
		out, ok := a.stdout.(*os.File)
		if !ok || !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(int(a.stdin.Fd())) {
			return errors.New("stint tui: standard input and output are no terminal to draw on: run it in one, or see stint status")
		}
		return tui.Run(ctx, r, a.stdin, out)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if a.json {
			return misuse(cmd, errors.New("--json: stint tui is a screen and prints no answer"))
		}
		return run(cmd, args)
	}
	return cmd
}
