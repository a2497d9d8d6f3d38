package cli

import "github.com/spf13/cobra"

// noArgs and exactArgs are cobra's, as wrong usage.
func noArgs(cmd *cobra.Command, args []string) error { return exactArgs(0)(cmd, args) }

func exactArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %d argument(s), not %d; see %s --help", cmd.CommandPath(), n, len(args), cmd.CommandPath())
		}
		return nil
	}
}
