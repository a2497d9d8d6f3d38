package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/spf13/cobra"
)

type (
	restartAnswer struct {
		Variables  []string        `json:"variables"`
		Sessions   []refreshedView `json:"sessions"`
		Unreadable []unreadable    `json:"unreadable"`
	}
	refreshedView struct {
		ID       string         `json:"id"`
		WorkItem string         `json:"work_item,omitempty"`
		Outcome  runner.Outcome `json:"outcome"`
		Reason   string         `json:"reason,omitempty"`
		driftView
	}
	// driftView is how a program that runs stands to the env file.
	driftView struct {
		Drift   string   `json:"drift,omitempty"`
		Differs []string `json:"differs,omitempty"`
	}
)

func (a *app) sessionRestart() *cobra.Command {
	var o runner.RestartOptions
	cmd := &cobra.Command{
		Use:   "restart (--all | --work-item REF... | ID...)",
		Short: "Move running sessions onto what the env file declares now",
		Long: `restart ends the program of each session and starts it again in the same pane,
on the values that the env file declares now. It resumes its conversation; the
tmux session, its windows and whoever is attached stay. What the program and all
that it started were doing is interrupted; SIGTERM comes first, and SIGKILL
three seconds later. A program that has every value is left alone, and so are
one that has ended and a session that cannot resume: --force is for the first
two, --fresh for the last.

Exit code 0 says that every session is restarted, fresh or would-restart, or
was skipped and does not run on a value that is retired, and that every
document reads. A program that has ended runs on none.`,
		Example: `  stint session restart --all --dry-run
  stint session restart --all
  stint session restart --work-item github:octo/repo#15
  stint session restart 4f8a2c0e91b7 --force`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.Flags().BoolVar(&o.All, "all", false, "all sessions that are not closed")
	cmd.Flags().StringSliceVar(&o.WorkItems, "work-item", nil, "the sessions of these work items, as in github:OWNER/REPO#15 (`refs`)")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "tell what would be done, and do nothing")
	cmd.Flags().BoolVar(&o.Force, "force", false, "restart programs that have every value, too, and start those again that have ended")
	cmd.Flags().BoolVar(&o.Anew, "fresh", false, "begin a new conversation where none can be resumed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := selectors(cmd, &o, args); err != nil {
			return misuse(cmd, err)
		}
		return a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
			return a.restart(ctx, r, o)
		})(cmd, args)
	}
	return cmd
}

// selectors wants one kind of them. Arguments behind --work-item are more work
// items.
func selectors(cmd *cobra.Command, o *runner.RestartOptions, args []string) error {
	items := cmd.Flags().Changed("work-item")
	switch {
	case !o.All && !items && len(args) == 0:
		return errors.New("which sessions: --all, --work-item REF or ID")
	case o.All && (items || len(args) > 0):
		return errors.New("--all goes with no work item and no ID")
	case !items:
		o.IDs = args
		return nil
	}
	o.WorkItems = append(o.WorkItems, args...)
	for i, given := range o.WorkItems {
		o.WorkItems[i] = strings.ToLower(given)
		if !doc.WorkItem(o.WorkItems[i]) {
			return fmt.Errorf("--work-item: %q is no reference such as github:OWNER/REPO#15; an ID does not go with one", given)
		}
	}
	return nil
}

func (a *app) restart(ctx context.Context, r *runner.Runner, o runner.RestartOptions) error {
	all, err := r.Restart(ctx, o)
	if err != nil {
		return err
	}
	for _, note := range all.Notes {
		a.note("%s", text.OneLine(note))
	}
	v, bad := restartAnswer{Variables: all.Names, Sessions: []refreshedView{}, Unreadable: notRead(all.Skipped)}, 0
	for _, s := range all.Sessions {
		v.Sessions = append(v.Sessions, refreshedView{s.ID, s.WorkItem, s.Outcome, text.OneLine(s.Why), driftView{string(s.Drift.State), s.Drift.Names}})
		if !s.Good() {
			bad++
		}
	}
	if err := a.print(v, func(w io.Writer) { restartText(w, v) }); err != nil {
		return err
	}
	if left := unfinished(bad, v.Unreadable); left != "" {
		return fmt.Errorf("not on what the env file declares, or not known to be: %s: what is printed of each says why, and what to do", left)
	}
	return nil
}

func restartText(w io.Writer, v restartAnswer) {
	fmt.Fprintf(w, "restarting %d session(s) against %d declared variable(s) [%s]\n", len(v.Sessions), len(v.Variables), strings.Join(v.Variables, ", "))
	var rows strings.Builder
	t := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	for _, s := range v.Sessions {
		name := s.ID
		if s.WorkItem != "" {
			name = s.WorkItem
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", name, s.Outcome, text.Plain(s.why()))
	}
	t.Flush()
	for row := range strings.Lines(rows.String()) {
		fmt.Fprintln(w, strings.TrimRight(row, " \n"))
	}
	for _, u := range v.Unreadable {
		fmt.Fprintf(w, "unreadable: %s: %s; its session was left alone: run stint session restart again when it reads\n", u.Path, u.Reason)
	}
}

// why is the reason of an outcome, and what the program that runs lacks.
func (s refreshedView) why() string {
	parts := []string{s.Reason}
	switch {
	case s.Drift == "stale" && s.Outcome == runner.Skipped:
		parts = append(parts, "it still runs on other values of "+strings.Join(s.Differs, ", "))
	case s.Drift == "stale":
		parts = append(parts, "differs: "+strings.Join(s.Differs, ", "))
	case s.Drift == "unverified" && s.Outcome == runner.WouldRestart:
		parts = append(parts, "its environment cannot be read")
	case s.Drift == "fresh" && s.Outcome == runner.WouldRestart:
		parts = append(parts, "it has every value, and --force was given")
	}
	if s.Reason == "" {
		parts = parts[1:]
	}
	return strings.Join(parts, "; ")
}
