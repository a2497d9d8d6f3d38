package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) shellCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "shell VERSION|REV",
		Short: "open an interactive shell in a box with that release's program on PATH",
		Long: `shell is for writing scenarios: a box like theirs, with the release's program,
the tools and the stand-ins that freeze.toml names, and no other program. The
commands of a script (fault, view, witness and so on) are not there: they belong
to the scenario. How the shell ends does not matter. On leaving, the box is
proved empty and removed, like any other.`,
		Example: "  freeze shell v1.0.0\n  freeze shell HEAD       a revision that is no release yet",
		Args:    exactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.shell(interruptible(), args[0]) },
	}
}

func (a *app) shell(ctx context.Context, version string) error {
	p, err := a.project()
	if err != nil {
		return err
	}
	return p.Shell(ctx, version, a.stdin, a.stdout.to, a.stderr)
}
