package cli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/spf13/cobra"
)

type (
	recoveredView struct {
		sessionView `json:",embed"`
		Outcome     runner.Outcome `json:"outcome"`
		Reason      string         `json:"reason,omitempty"`
	}
	recoverAnswer struct {
		Sessions   []recoveredView `json:"sessions"`
		Unreadable []unreadable    `json:"unreadable,omitempty"`
	}
)

func (a *app) sessionRecover() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "recover [ID]",
		Short: "Bring sessions that were interrupted to a state that can be worked with",
		Long: `recover takes the sessions that are creating, closing or recovery-required,
since a command on them was ended on its way or could not undo what it did:
all of them, or the one with ID. One that has its branch, its worktree and its
pane is open from then on. Any other is closed as session close does it, so
that no work is lost: where there is some that is nowhere else it stays as it
is, and the reason is told.

Exit code 0 says that none of them needs recovery any more, and that every
document reads: of one that does not nobody knows.`,
		Example: `  stint session recover
  stint session recover 4f8a2c0e91b7 --json`,
		Args: takes("[ID]"),
	}
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
		id := ""
		if len(args) > 0 {
			id = args[0]
		}
		all, err := r.Recover(ctx, id)
		if err != nil {
			return err
		}
		v, failed := recoverAnswer{Sessions: []recoveredView{}}, 0
		for _, s := range all {
			v.Sessions = append(v.Sessions, recoveredView{viewSession(s.Entry), s.Outcome, s.Why})
			if s.Outcome == runner.Failed {
				failed++
			}
		}
		if id == "" {
			_, skipped, err := r.Sessions.Documents()
			if err != nil {
				return err
			}
			v.Unreadable = notRead(skipped)
		}
		if err := a.print(v, func(w io.Writer) { recoverText(w, v, all) }); err != nil {
			return err
		}
		if left := unfinished(failed, v.Unreadable); left != "" {
			return fmt.Errorf("not recovered: %s: mend what is said of it, and run stint session recover again", left)
		}
		return nil
	})
	return cmd
}

func recoverText(w io.Writer, v recoverAnswer, all []runner.Recovered) {
	if len(all)+len(v.Unreadable) == 0 {
		fmt.Fprintln(w, "nothing to recover")
	}
	if len(all) > 0 {
		recoveredText(w, all)
	}
	for _, u := range v.Unreadable {
		fmt.Fprintf(w, "unreadable: %s: %s\n", u.Path, u.Reason)
	}
}

func recoveredText(w io.Writer, all []runner.Recovered) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tOUTCOME\tSTATE\tREASON")
	for _, s := range all {
		why := "-"
		if s.Why != "" {
			why = text.Plain(text.OneLine(s.Why))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.ID, s.Outcome, s.State, why)
	}
	t.Flush()
}
