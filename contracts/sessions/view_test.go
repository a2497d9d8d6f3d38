package sessions_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// said is all that is told of a session: by a release in a view, by a document
// on disk, or by today's reader. Times are as they were given, with their zone.
type said struct {
	ID, Project                                      string
	Revision                                         int64
	State, Harness, WorkItem, Standing, Instance     string
	Branch, Base, Fingerprint, Conversation, Failure string
	Repository, WorkspaceRoot, Worktree, RunRoot     string
	TmuxSession, TmuxSocket                          string
	Created, Updated, Opened, Closed                 string
	Live, Stale                                      string
}

// document is what of it stands in the document.
func (s said) document() said {
	s.Live, s.Stale = "", ""
	return s
}

const layout = "2006-01-02T15:04:05.000Z07:00"

// entry is what today's code tells of a session.
func entry(e session.Entry) said {
	d := e.Document
	return said{
		ID: d.ID, Project: d.ProjectID, Revision: d.Revision, State: string(d.State), Harness: d.Harness,
		WorkItem: d.WorkItem, Standing: d.Standing, Instance: d.Instance,
		Branch: d.Branch, Base: d.Base, Fingerprint: d.Fingerprint, Conversation: d.Conversation, Failure: d.Failure,
		Repository: d.Paths.Repository, WorkspaceRoot: d.Paths.WorkspaceRoot, Worktree: d.Paths.Worktree, RunRoot: d.Paths.RunRoot,
		TmuxSession: d.Tmux.Session, TmuxSocket: d.Tmux.Socket,
		Created: given(d.CreatedAt), Updated: given(d.UpdatedAt), Opened: given(d.OpenedAt), Closed: given(d.ClosedAt),
		Live: string(e.Live), Stale: string(e.Stale),
	}
}

func entries(all []session.Entry) []said {
	var told []said
	for _, e := range all {
		told = append(told, entry(e))
	}
	return told
}

func read(d *doc.Document) said { return entry(session.Entry{Document: d}) }

func given(t readers.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}

// printed is a session in JSON. Schema 1 has paths and tmux at the top and
// times in seconds, schema 2 has paths{} and tmux{} and RFC 3339.
type printed struct {
	Schema       int            `json:"schema"`
	ID           string         `json:"id"`
	Project      string         `json:"project_id"`
	Revision     int64          `json:"revision"`
	State        string         `json:"state"`
	Harness      string         `json:"harness"`
	WorkItem     string         `json:"work_item"`
	Standing     string         `json:"standing"`
	Instance     string         `json:"instance"`
	Branch       string         `json:"branch"`
	Base         string         `json:"base"`
	Fingerprint  string         `json:"fingerprint"`
	Conversation string         `json:"conversation"`
	Failure      string         `json:"failure"`
	Created      jsontext.Value `json:"created_at"`
	Updated      jsontext.Value `json:"updated_at"`
	Opened       jsontext.Value `json:"opened_at"`
	Closed       jsontext.Value `json:"closed_at"`

	Repository    string `json:"repository"`
	WorkspaceRoot string `json:"workspace_root"`
	Worktree      string `json:"worktree"`
	RunRoot       string `json:"run_root"`
	TmuxSession   string `json:"tmux_session"`
	TmuxSocket    string `json:"tmux_socket"`
	Paths         struct {
		Repository    string `json:"repository"`
		WorkspaceRoot string `json:"workspace_root"`
		Worktree      string `json:"worktree"`
		RunRoot       string `json:"run_root"`
	} `json:"paths"`
	Tmux struct {
		Session string `json:"session"`
		Socket  string `json:"socket"`
	} `json:"tmux"`

	Live    string         `json:"live"`
	Stale   string         `json:"staleness"`
	Outcome string         `json:"outcome"` // of recover, as is the reason
	Reason  string         `json:"reason"`
	Later   jsontext.Value `json:"later"` // put there by a test, as a field of another release
}

func (p printed) said(t *testing.T) said {
	t.Helper()
	s := said{
		ID: p.ID, Project: p.Project, Revision: p.Revision, State: p.State, Harness: p.Harness,
		WorkItem: p.WorkItem, Standing: p.Standing, Instance: p.Instance,
		Branch: p.Branch, Base: p.Base, Fingerprint: p.Fingerprint, Conversation: p.Conversation, Failure: p.Failure,
		Repository: p.Repository, WorkspaceRoot: p.WorkspaceRoot, Worktree: p.Worktree, RunRoot: p.RunRoot,
		TmuxSession: p.TmuxSession, TmuxSocket: p.TmuxSocket,
		Created: moment(t, p.Created), Updated: moment(t, p.Updated), Opened: moment(t, p.Opened), Closed: moment(t, p.Closed),
		Live: p.Live, Stale: p.Stale,
	}
	if p.Schema > 1 {
		s.Repository, s.WorkspaceRoot, s.Worktree, s.RunRoot = p.Paths.Repository, p.Paths.WorkspaceRoot, p.Paths.Worktree, p.Paths.RunRoot
		s.TmuxSession, s.TmuxSocket = p.Tmux.Session, p.Tmux.Socket
	}
	return s
}

// moment is a time of either schema in UTC, empty for none.
func moment(t *testing.T, v jsontext.Value) string {
	t.Helper()
	switch v.Kind() {
	case '0':
		seconds, err := strconv.ParseInt(string(v), 10, 64)
		require.NoError(t, err)
		return time.Unix(seconds, 0).UTC().Format(layout)
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, string(text))
		require.NoError(t, err)
		return at.UTC().Format(layout)
	}
	return ""
}

// parse takes apart what a release, or today's code, put into JSON.
func parse[T any](t *testing.T, from string, b []byte) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(b, &v, json.RejectUnknownMembers(true)), "%s: %s", from, b)
	return v
}

// answer is what of a command on one session, and what of list.
type (
	answer struct {
		Session   printed  `json:"session"`
		Already   *bool    `json:"already_closed"`
		Discarded []string `json:"discarded"`
	}
	listed struct {
		Sessions   []printed `json:"sessions"`
		Unreadable []string  `json:"unreadable"`
	}
)

// told are the sessions that a view lists, or the one that it is about.
func told(t *testing.T, f *contracts.Fixture, view string) []said {
	t.Helper()
	if exit := f.View(view).Exit; exit != 0 {
		f.Equal(t, "r4.exit", exit, 0)
	}
	return sessions(t, view, f.View(view).Stdout)
}

func sessions(t *testing.T, from string, b []byte) []said {
	t.Helper()
	var l listed
	if json.Unmarshal(b, &l, json.RejectUnknownMembers(true)) != nil {
		return []said{parse[answer](t, from, b).Session.said(t)}
	}
	require.Empty(t, l.Unreadable, from)
	var all []said
	for _, p := range l.Sessions {
		all = append(all, p.said(t))
	}
	return all
}
