package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/spf13/cobra"
)

type (
	statusAnswer struct {
		ProjectID     string         `json:"project_id"`
		Repository    string         `json:"repository"`
		StateDir      string         `json:"state_dir"`
		Instance      string         `json:"instance,omitempty"`
		Sessions      tally          `json:"sessions"`
		Live          tally          `json:"live"`
		Runs          tally          `json:"runs"`
		Conversations tally          `json:"conversations"`
		Drift         []drifting     `json:"drift"`
		DriftUnknown  string         `json:"drift_unknown,omitempty"` // why there is none
		Recovery      []unsettled    `json:"recovery"`
		Tmux          []silentServer `json:"tmux_unknown"`
		Unreadable    []unreadable   `json:"unreadable"`
	}
	unsettled struct {
		ID      string    `json:"id"`
		State   doc.State `json:"state"`
		Failure string    `json:"failure,omitempty"`
	}
	// drifting is how a session that runs stands to the env file.
	drifting struct {
		ID string `json:"id"`
		driftView
		Reason string `json:"reason,omitempty"`
	}
	// silentServer is a tmux server that did not answer.
	silentServer struct {
		Socket string `json:"socket"`
		Reason string `json:"reason"`
	}
)

// tally counts by names, each of which is plain text and once there.
type tally []named

type named struct {
	name  string
	count int
}

func newTally[T ~string](names ...T) tally {
	t := make(tally, len(names))
	for i, name := range names {
		t[i].name = string(name)
	}
	return t
}

func (t tally) add(name string) {
	t[slices.IndexFunc(t, func(n named) bool { return n.name == name })].count++
}

// MarshalJSON is an object with every name in it.
func (t tally) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, n := range t {
		fmt.Fprintf(&b, "%c%q:%d", "{,"[min(i, 1)], n.name, n.count)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// String names what there is any of.
func (t tally) String() string {
	var some []string
	for _, n := range t {
		if n.count > 0 {
			some = append(some, fmt.Sprintf("%d %s", n.count, n.name))
		}
	}
	if some == nil {
		return "none"
	}
	return strings.Join(some, ", ")
}

func (a *app) status() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the project stands",
		Long: `status counts the project's sessions by their state, those that are not closed
by what tmux says of them, its runs and its conversations, and names what needs
recovery and what cannot be read, and the sessions that do not run on what the
env file declares now. In a project its exit code is 0, whatever it
finds.`,
		Example: `  stint status
  stint status --json`,
		Args: takes(),
	}
	cmd.RunE = a.with(func(ctx context.Context, r *runner.Runner, _ *cobra.Command, _ []string) error {
		v := statusOf(ctx, r)
		return a.print(v, func(w io.Writer) { statusText(w, v) })
	})
	return cmd
}

// statusOf takes whatever does not answer for something to be told.
func statusOf(ctx context.Context, r *runner.Runner) *statusAnswer {
	v := &statusAnswer{
		ProjectID: r.Project.ID, Repository: r.Project.Tree.Dir, StateDir: r.Project.StateDir, Instance: r.Project.Config.Instance.Name,
		Sessions: newTally(doc.States()...), Live: newTally(session.Live, session.Dead, session.Absent, session.Unknown),
		Runs: newTally(artifact.States()...), Conversations: newTally(talk.Open, talk.Closed),
		Drift: []drifting{}, Recovery: []unsettled{}, Tmux: []silentServer{}, Unreadable: []unreadable{},
	}
	docs, skipped, err := r.Sessions.Documents()
	v.skip(r, "sessions", skipped, err)
	entries := r.Sessions.List(ctx, docs)
	for _, e := range entries {
		v.session(e)
	}
	drifts, err := r.Drift(ctx, entries)
	if err != nil {
		v.DriftUnknown = text.Error(err)
	}
	for _, d := range drifts {
		v.Drift = append(v.Drift, drifting{d.ID, driftView{string(d.State), d.Names}, d.Why})
	}
	runs, skipped, err := r.Runs.Manifests()
	v.skip(r, "runs", skipped, err)
	for _, m := range runs {
		v.Runs.add(string(m.State))
	}
	talks, skipped, err := r.Conversations.Documents()
	v.skip(r, "conversations", skipped, err)
	for _, c := range talks {
		v.Conversations.add(string(c.State))
	}
	return v
}

func (v *statusAnswer) session(e session.Entry) {
	v.Sessions.add(string(e.State))
	if e.State != doc.Closed {
		v.Live.add(string(e.Live))
	}
	if runner.Unsettled(e.State) {
		v.Recovery = append(v.Recovery, unsettled{e.ID, e.State, e.Failure})
	}
	asked := func(s silentServer) bool { return s.Socket == e.Tmux.Socket }
	if e.Live == session.Unknown && !slices.ContainsFunc(v.Tmux, asked) {
		v.Tmux = append(v.Tmux, silentServer{e.Tmux.Socket, text.OneLine(e.Why)})
	}
}

func (v *statusAnswer) skip(r *runner.Runner, folder string, skipped []document.Skipped, err error) {
	if err != nil {
		skipped = append(skipped, document.Skipped{Path: filepath.Join(r.Project.StateDir, folder), Err: err})
	}
	v.Unreadable = append(v.Unreadable, notRead(skipped)...)
}

func statusText(w io.Writer, v *statusAnswer) {
	for _, line := range [][2]string{
		{"project", v.ProjectID}, {"repository", v.Repository}, {"state", v.StateDir}, {"instance", v.Instance},
		{"sessions", v.Sessions.String()}, {"live", v.Live.String()}, {"runs", v.Runs.String()}, {"conversations", v.Conversations.String()},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%-14s %s\n", line[0], line[1])
		}
	}
	driftText(w, v)
	for _, s := range v.Recovery {
		fmt.Fprintf(w, "needs recovery: %s is %s", s.ID, s.State)
		if s.Failure != "" {
			fmt.Fprintf(w, ": %s", text.Plain(text.OneLine(s.Failure)))
		}
		fmt.Fprintf(w, ": stint session recover %s\n", s.ID)
	}
	for _, s := range v.Tmux {
		fmt.Fprintf(w, "not known what runs: tmux on %s does not answer: %s\n", s.Socket, s.Reason)
	}
	unreadableText(w, v.Unreadable)
}

// unreadableText has one line for all sessions of which the same is to be said:
// where the repository was moved, that is each of them.
func unreadableText(w io.Writer, all []unreadable) {
	of := make(map[string][]string)
	for _, u := range all {
		if file, sessions := strings.CutSuffix(u.Path, "/session.json"); sessions {
			of[u.Reason] = append(of[u.Reason], filepath.Base(file))
		}
	}
	for _, u := range all {
		switch ids := of[u.Reason]; {
		case len(ids) < 2 || !strings.HasSuffix(u.Path, "/session.json"):
			fmt.Fprintf(w, "unreadable: %s: %s\n", u.Path, u.Reason)
		case filepath.Base(filepath.Dir(u.Path)) == ids[0]:
			fmt.Fprintf(w, "unreadable: %s (%s): %s\n", text.Count(len(ids), "session"), runner.Some(ids), u.Reason)
		}
	}
}

func driftText(w io.Writer, v *statusAnswer) {
	var stale int
	var names []string
	for _, d := range v.Drift {
		if d.Drift == "stale" {
			stale++
			names = append(names, d.Differs...)
		}
	}
	slices.Sort(names)
	switch {
	case v.DriftUnknown != "":
		fmt.Fprintf(w, "not known what runs on retired values: %s\n", text.Plain(v.DriftUnknown))
	case stale > 0:
		fmt.Fprintf(w, "on retired values: %d of %s, of %s: stint session restart --all\n", stale, text.Count(len(v.Drift), "running session"), strings.Join(slices.Compact(names), ", "))
	}
}
