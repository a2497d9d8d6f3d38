package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/spf13/cobra"
)

func (a *app) sessionList() *cobra.Command {
	var state string
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the project's sessions",
		Long: `list shows the open sessions, and of each whether it is live, dead (its program
has ended), absent (it does not run) or unknown (tmux did not answer), and
whether the repository is as it was when the session was opened (fresh) or has
moved on (stale). --all shows all, and the documents that are not read.`,
		Example: `  stint session list
  stint session list --state closed
  stint session list --all --json`,
		Args: takes(),
	}
	cmd.Flags().StringVar(&state, "state", string(doc.Open), "list sessions in this `state`: creating, open, closing, closed, recovery-required")
	cmd.Flags().BoolVar(&all, "all", false, "list sessions in every state, and documents that cannot be read")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if all && cmd.Flags().Changed("state") {
			return misuse(cmd, errors.New("--all and --state do not go together"))
		}
		if !slices.Contains(doc.States(), doc.State(state)) {
			return misuse(cmd, fmt.Errorf("--state: there is no state %q; there are %s", state, list(doc.States())))
		}
		return a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
			return a.list(ctx, r, doc.State(state), all)
		})(cmd, args)
	}
	return cmd
}

func (a *app) list(ctx context.Context, r *runner.Runner, state doc.State, all bool) error {
	docs, skipped, err := r.Sessions.Documents()
	if err != nil {
		return err
	}
	hidden := 0
	if !all {
		forgotten := retention(r.Project.Config.Session.RetentionDays, time.Now())
		docs = slices.DeleteFunc(docs, func(d *doc.Document) bool {
			out := d.State != state || forgotten(d)
			// That there are closed ones is nothing to be told of.
			if out && (d.State != doc.Closed || state == doc.Closed) {
				hidden++
			}
			return out
		})
	}
	v := sessionsAnswer{Sessions: []sessionView{}, Unreadable: []unreadable{}}
	for _, e := range r.Sessions.List(ctx, docs) {
		v.Sessions = append(v.Sessions, viewSession(e))
	}
	if all {
		v.Unreadable = notRead(skipped)
	} else if hidden+len(skipped) > 0 {
		a.note("not shown: %s and %s: %s", text.Count(hidden, "other session"), text.Count(len(skipped), "unreadable document"), seen(len(skipped)))
	}
	return a.print(v, func(w io.Writer) { listText(w, v) })
}

// seen is how to see what is not shown, of which so many documents do not read.
func seen(unread int) string {
	if unread > 0 {
		return "see stint session list --all, and stint doctor for what mends it"
	}
	return "stint session list --all"
}

// retention tells which closed sessions are too old to be listed.
func retention(days int, now time.Time) func(*doc.Document) bool {
	oldest := now.Add(-time.Duration(days) * 24 * time.Hour)
	return func(d *doc.Document) bool {
		return days > 0 && d.State == doc.Closed && d.ClosedAt.Before(oldest)
	}
}

func listText(w io.Writer, v sessionsAnswer) {
	if len(v.Sessions) == 0 && len(v.Unreadable) == 0 {
		fmt.Fprintln(w, "no sessions")
	}
	if len(v.Sessions) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "ID\tSTATE\tLIVE\tREPOSITORY\tHARNESS\tCREATED\tFOR")
		for _, s := range v.Sessions {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, s.State, s.Live, s.Stale, text.Plain(s.Harness), text.Clock(s.CreatedAt), text.Purpose(s.Document))
		}
		t.Flush()
	}
	unknownText(w, v.Sessions)
	for _, u := range v.Unreadable {
		fmt.Fprintf(w, "unreadable: %s: %s\n", u.Path, u.Reason)
	}
}

// unknownText says once why it is not known of sessions whether they run.
func unknownText(w io.Writer, all []sessionView) {
	of := make(map[string][]string)
	var whys []string
	for _, s := range all {
		if s.Live != session.Unknown {
			continue
		}
		if of[s.Why] == nil {
			whys = append(whys, s.Why)
		}
		of[s.Why] = append(of[s.Why], s.ID)
	}
	for _, why := range whys {
		if ids := of[why]; len(ids) > 1 {
			fmt.Fprintf(w, "not known whether %s run: %s\n", text.Count(len(ids), "session"), why)
		} else {
			fmt.Fprintf(w, "%s: not known whether it runs: %s\n", ids[0], why)
		}
	}
}

func (a *app) sessionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show all that is known of a session",
		Example: `  stint session show 4f8a2c0e91b7
  stint session show 4f8a2c0e91b7 --json`,
		Args: takes("ID"),
	}
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, args []string) error {
		d, err := r.Sessions.Get(args[0])
		if err != nil {
			return err
		}
		e := r.Sessions.Probe(ctx, d)
		return a.print(sessionAnswer{viewSession(e)}, func(w io.Writer) { text.Session(w, e, "") })
	})
	return cmd
}
