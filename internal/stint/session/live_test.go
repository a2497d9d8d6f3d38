package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestLiveness(t *testing.T) {
	s := newStore(t)
	d := newDocument(s, "tab-1")
	own := tmux.Marked{Pane: tmux.Pane{ID: "%1", SessionID: "$1", Session: "stint-tab-1"}, Mark: "tab-1", Start: d.Paths.Worktree}
	with := func(change func(p *tmux.Marked)) tmux.Marked {
		p := own
		change(&p)
		return p
	}
	for _, test := range []struct {
		name  string
		panes []tmux.Marked
		err   error
		want  session.Liveness
		pane  string
		why   bool // more is said
	}{
		{"its pane", []tmux.Marked{own}, nil, session.Live, "%1", false},
		{"its pane, not the operator's beside it", []tmux.Marked{with(func(p *tmux.Marked) { p.ID, p.Mark = "%0", "" }), own}, nil, session.Live, "%1", false},
		{"program that moved to another folder", []tmux.Marked{with(func(p *tmux.Marked) { p.Path = "/" })}, nil, session.Live, "%1", false},
		{"ended program", []tmux.Marked{with(func(p *tmux.Marked) { p.Dead = true })}, nil, session.Dead, "%1", false},
		{"no server", nil, nil, session.Absent, "", false},
		{"other sessions", []tmux.Marked{with(func(p *tmux.Marked) { p.Session, p.Mark = "work", "" })}, nil, session.Absent, "", false},
		{"longer name", []tmux.Marked{with(func(p *tmux.Marked) { p.Session, p.Mark = "stint-tab-10", "tab-10" })}, nil, session.Absent, "", false},
		{"somebody else's session of that name", []tmux.Marked{with(func(p *tmux.Marked) { p.Mark = "" })}, nil, session.Absent, "", true},
		{"pane that was made elsewhere", []tmux.Marked{with(func(p *tmux.Marked) { p.Start = "/home" })}, nil, session.Absent, "", true},
		{"pane that was moved into another session", []tmux.Marked{with(func(p *tmux.Marked) { p.Session = "work" })}, nil, session.Absent, "", false},
		{"no answer", nil, errors.New("server exited unexpectedly"), session.Unknown, "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.Panes = func(context.Context, string) ([]tmux.Marked, error) { return test.panes, test.err }
			pane, got, why := s.Pane(t.Context(), &d)
			id := ""
			if pane != nil {
				id = pane.ID
			}
			if diff := cmp.Diff([]any{test.want, test.pane, test.why}, []any{got, id, why != ""}); diff != "" {
				t.Errorf("Pane (-want +got)\n%s", diff)
			}
		})
	}
}

// Each recorded server is asked once, and each version of a fingerprint is
// computed once, however long the list is.
func TestListAsksOnce(t *testing.T) {
	s := newStore(t)
	asked := make(map[string]int)
	s.Panes = func(_ context.Context, socket string) ([]tmux.Marked, error) {
		asked[socket]++
		if socket == "/tmp/dead" {
			return nil, errors.New("no answer")
		}
		return []tmux.Marked{{Pane: tmux.Pane{Session: "stint-a"}, Mark: "a", Start: s.Place.Worktree("a")}}, nil
	}
	s.Fingerprint = func(_ context.Context, version string) (string, error) {
		asked[version]++
		if version != "v1" {
			return "", errors.New("not known")
		}
		return "v1:aa", nil
	}
	var docs []*doc.Document
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		d := newDocument(s, id)
		docs = append(docs, &d)
	}
	docs[1].Fingerprint = "v1:bb"
	docs[2].Tmux.Socket, docs[2].Fingerprint = "/tmp/dead", "v7:aa"
	docs[3].Tmux.Socket, docs[3].State = "/tmp/of-a-closed-one", doc.Closed
	docs[4].Tmux.Socket, docs[4].Fingerprint = "/tmp/dead", "v7:bb"

	var got []string
	for _, e := range s.List(t.Context(), docs) {
		got = append(got, strings.Join([]string{e.ID, string(e.Live), string(e.Stale)}, " "))
	}
	want := []string{"a live fresh", "b absent stale", "c unknown unknown", "d absent fresh", "e unknown unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"/tmp/s": 1, "/tmp/dead": 1, "v1": 1, "v7": 1}, asked); diff != "" {
		t.Errorf("questions (-want +got)\n%s", diff)
	}
}

// Reading never upgrades a fingerprint.
func TestListLeavesTheFingerprint(t *testing.T) {
	s := newStore(t)
	d := newDocument(s, "a")
	d.Fingerprint = "v1:0ld"
	s.Fingerprint = func(context.Context, string) (string, error) { return "v1:new", nil }
	e := s.Probe(t.Context(), &d)
	require.Equal(t, "v1:0ld", e.Fingerprint)
	require.Equal(t, session.Stale, e.Stale)
}
