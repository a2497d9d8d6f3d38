package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/spf13/cobra"
)

func (a *app) runs() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "Look at, apply and discard the artifacts of checkpoints and turns",
		Example: `  stint runs list
  stint runs apply 9b3d5a6f1c28`,
		Args: cobra.ArbitraryArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(a.runsList(), a.runsShow(), a.runsDiff(), a.runsApply(), a.runsDiscard(), a.runsPrune(), a.runsRecover())
	return cmd
}

func (a *app) runsList() *cobra.Command {
	var state, session string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the project's runs",
		Example: `  stint runs list
  stint runs list --state pending --session 4f8a2c0e91b7
  stint runs list --json`,
		Args: takes(),
	}
	cmd.Flags().StringVar(&state, "state", "", "only runs in this `state`: running, interrupted, pending, applied, discarded")
	cmd.Flags().StringVar(&session, "session", "", "only runs of the session with this `id`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if state != "" && !slices.Contains(artifact.States(), artifact.State(state)) {
			return misuse(cmd, fmt.Errorf("--state: there is no state %q; there are %s", state, list(artifact.States())))
		}
		return a.with(func(_ context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
			all, skipped, err := r.Runs.Manifests()
			if err != nil {
				return err
			}
			if session != "" && !slices.ContainsFunc(all, func(m *artifact.Manifest) bool { return m.Session == session }) {
				if _, err := r.Sessions.Get(session); err != nil {
					return err
				}
			}
			v := runsAnswer{Runs: []*artifact.Manifest{}, Unreadable: notRead(skipped)}
			for _, m := range all {
				if (state == "" || m.State == artifact.State(state)) && (session == "" || m.Session == session) {
					v.Runs = append(v.Runs, m)
				}
			}
			return a.print(v, func(w io.Writer) { runsText(w, v) })
		})(cmd, args)
	}
	return cmd
}

func runsText(w io.Writer, v runsAnswer) {
	if len(v.Runs) == 0 && len(v.Unreadable) == 0 {
		fmt.Fprintln(w, "no runs")
	}
	if len(v.Runs) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "ID\tSTATE\tKIND\tSESSION\tFILES\tCREATED")
		for _, m := range v.Runs {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\n", m.ID, m.State, m.Kind, cmp.Or(m.Session, "-"), len(m.Files), text.Clock(m.CreatedAt))
		}
		t.Flush()
	}
	for _, u := range v.Unreadable {
		fmt.Fprintf(w, "unreadable: %s: %s\n", u.Path, u.Reason)
	}
}

func (a *app) runsShow() *cobra.Command {
	return a.onRun("show RUN", "Show all that is known of a run, and the files it changes", "", "show 9b3d5a6f1c28",
		func(_ context.Context, r *runner.Runner, id string) error {
			m, err := r.Runs.Get(id)
			if err != nil {
				return err
			}
			return a.print(runAnswer{m}, func(w io.Writer) { text.Run(w, m) })
		})
}

// diffAnswer is what runs diff --json prints. JSON holds UTF-8 only, so a
// patch that is not is in base64.
type diffAnswer struct {
	Run    string `json:"run"`
	Patch  string `json:"patch,omitempty"`
	Base64 string `json:"patch_base64,omitempty"`
}

func (a *app) runsDiff() *cobra.Command {
	return a.onRun("diff RUN", "Print a run's patch, as git apply takes it", "", "diff 9b3d5a6f1c28",
		func(_ context.Context, r *runner.Runner, id string) error {
			m, err := r.Runs.Get(id)
			if err != nil {
				return err
			}
			if m.PatchSHA256 == "" {
				return fmt.Errorf("run %q: it is %s and holds no work", id, m.State)
			}
			patch, err := r.Runs.Patch(m)
			if err != nil {
				return err
			}
			v := diffAnswer{Run: m.ID, Patch: string(patch)}
			if !utf8.Valid(patch) {
				v.Patch, v.Base64 = "", base64.StdEncoding.EncodeToString(patch)
			}
			return a.print(v, func(w io.Writer) { w.Write(patch) })
		})
}

func (a *app) runsApply() *cobra.Command {
	return a.onRun("apply RUN", "Make a pending run's changes in the main work tree",
		`apply changes the files of the main work tree, all of them or none, and leaves
the index alone: review, add and commit them as your own. It is refused unless
the commit that the run was made on is checked out and none of the files has
changes of its own.`, "apply 9b3d5a6f1c28",
		func(ctx context.Context, r *runner.Runner, id string) error {
			m, err := r.Apply(ctx, id)
			if err != nil {
				return err
			}
			return a.print(runAnswer{m}, func(w io.Writer) { text.Applied(w, m, r.Project.Tree.Dir) })
		})
}

func (a *app) runsDiscard() *cobra.Command {
	return a.onRun("discard RUN", "Say that a pending run is not wanted",
		`discard marks a pending run as not wanted: it can no longer be applied, and no
longer counts as a saved copy of the session's work. The patch is kept.`, "discard 9b3d5a6f1c28",
		func(ctx context.Context, r *runner.Runner, id string) error {
			m, err := r.Runs.Discard(ctx, r.Project.Tree, id)
			if err != nil {
				return err
			}
			return a.print(runAnswer{m}, func(w io.Writer) { text.Discarded(w, m) })
		})
}

// onRun is a command on one run.
func (a *app) onRun(use, short, long, example string, do func(ctx context.Context, r *runner.Runner, id string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long,
		Example: fmt.Sprintf("  stint runs %s\n  stint runs %[1]s --json", example),
		Args:    takes("RUN"),
		RunE: a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
			return do(ctx, r, args[0])
		}),
	}
}
