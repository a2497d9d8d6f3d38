package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/spf13/cobra"
)

type (
	mendAnswer struct {
		Recovered []turnAnswer `json:"recovered"`
		Running   []string     `json:"running"`
		Unmade    []string     `json:"unmade,omitempty"`
	}
	pruneAnswer struct {
		Removed []*artifact.Manifest `json:"removed"`
		Kept    []string             `json:"kept"`
	}
)

func (a *app) runsRecover() *cobra.Command {
	var discard []string
	cmd := &cobra.Command{
		Use:   "recover [RUN]",
		Short: "Save what is left of turns that were cut off, and remove what they left behind",
		Long: `recover looks at the turns whose processes are all gone though nobody saved their
work, or whose workspace is still there. Work in a worktree is saved, the run
is interrupted, and the workspace is removed unless that would lose what no
artifact holds. Turns in progress are left alone, and checkpoints are whole.
What fails with one run keeps none of the others from being recovered.`,
		Example: `  stint runs recover
  stint runs recover 9b3d5a6f1c28 --discard=ignored
  stint runs recover --json`,
		Args: takes("[RUN]"),
	}
	discards(cmd, &discard)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		kinds, err := discarded(discard)
		if err != nil {
			return misuse(cmd, err)
		}
		return a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			m, failed := r.RecoverRuns(ctx, id, kinds)
			if m == nil {
				return failed
			}
			v := mendAnswer{Recovered: []turnAnswer{}, Running: []string{}, Unmade: m.Unmade}
			for _, o := range m.Running {
				v.Running = append(v.Running, o.ID)
			}
			for _, t := range m.Runs {
				v.Recovered = append(v.Recovered, viewTurn(t))
			}
			return errors.Join(failed, a.print(v, func(w io.Writer) { mendText(w, m, failed == nil) }))
		})(cmd, args)
	}
	return cmd
}

func mendText(w io.Writer, m *runner.Mended, all bool) {
	if all && len(m.Runs)+len(m.Running)+len(m.Unmade) == 0 {
		fmt.Fprintln(w, "nothing to recover")
	}
	for _, t := range m.Runs {
		fmt.Fprintf(w, "recovered run %s: %s, %s\n", t.ID, t.State, text.Count(len(t.Files), "file"))
		workspaceText(w, t)
	}
	for _, id := range m.Unmade {
		fmt.Fprintf(w, "removed what there was of run %s, which never came to be\n", id)
	}
	for _, o := range m.Running {
		left := "a process of it"
		if len(o.Processes) > 0 {
			left = "process " + strings.Join(o.Processes, ", ")
		}
		fmt.Fprintf(w, "run %s is in progress: %s is left: if it was cut off, end that and run stint runs recover %[1]s\n", o.ID, left)
	}
}

func (a *app) runsPrune() *cobra.Command {
	var applied bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove runs that were discarded",
		Long: `prune removes the runs that were discarded and those that were interrupted and
hold no work, with --applied those that were applied, too. Pending ones, running
ones, and interrupted ones with work stay, and so do those whose workspace is
still there.`,
		Example: `  stint runs prune
  stint runs prune --applied --json`,
		Args: takes(),
	}
	cmd.Flags().BoolVar(&applied, "applied", false, "remove runs that were applied, too")
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
		p, failed := r.PruneRuns(ctx, applied)
		if p == nil {
			return failed
		}
		v := pruneAnswer{Removed: append([]*artifact.Manifest{}, p.Removed...), Kept: ids(p.Kept)}
		return errors.Join(failed, a.print(v, func(w io.Writer) { pruneText(w, p, failed == nil) }))
	})
	return cmd
}

func pruneText(w io.Writer, p *runner.Pruned, all bool) {
	if all && len(p.Removed)+len(p.Kept) == 0 {
		fmt.Fprintln(w, "nothing to remove")
	}
	for _, m := range p.Removed {
		fmt.Fprintf(w, "removed run %s (%s, %s)\n", m.ID, m.State, text.Count(len(m.Files), "file"))
	}
	for _, m := range p.Kept {
		fmt.Fprintf(w, "kept run %s: its workspace is still there: see stint runs recover %[1]s\n", m.ID)
	}
}

func ids(runs []*artifact.Manifest) []string {
	all := []string{}
	for _, m := range runs {
		all = append(all, m.ID)
	}
	return all
}
