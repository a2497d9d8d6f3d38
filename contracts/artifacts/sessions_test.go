package artifacts_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/freeze-contracts/permafrost/readers/session"
)

// described is a session of whatever schema as a release printed it, taken
// apart without the reader.
type described struct {
	Schema       int    `json:"schema"`
	ID           string `json:"id"`
	ProjectID    string `json:"project_id"`
	Revision     int64  `json:"revision"`
	State        string `json:"state"`
	Harness      string `json:"harness"`
	WorkItem     string `json:"work_item"`
	Standing     string `json:"standing"`
	Instance     string `json:"instance"`
	Branch       string `json:"branch"`
	Base         string `json:"base"`
	Fingerprint  string `json:"fingerprint"`
	Conversation string `json:"conversation"`
	CreatedAt    moment `json:"created_at"`
	UpdatedAt    moment `json:"updated_at"`
	OpenedAt     moment `json:"opened_at"`
	ClosedAt     moment `json:"closed_at"`
	Failure      string `json:"failure"`

	// Schema 1 has these at the top.
	paths
	TmuxSession string `json:"tmux_session"`
	TmuxSocket  string `json:"tmux_socket"`

	// And the later ones here.
	Paths *paths `json:"paths"`
	Tmux  *struct {
		Session string `json:"session"`
		Socket  string `json:"socket"`
	} `json:"tmux"`

	// What tmux and git said then is no part of the document.
	Live       string `json:"live"`
	LiveReason string `json:"live_reason"`
	Staleness  string `json:"staleness"`
}

type paths struct {
	Repository    string `json:"repository"`
	WorkspaceRoot string `json:"workspace_root"`
	Worktree      string `json:"worktree"`
	RunRoot       string `json:"run_root"`
}

// session is what today's reader is wanted to make of it.
func (d described) session() *session.Document {
	where, tmux := d.paths, session.Tmux{Session: d.TmuxSession, Socket: d.TmuxSocket}
	if d.Schema > 1 {
		where, tmux = *d.Paths, session.Tmux{Session: d.Tmux.Session, Socket: d.Tmux.Socket}
	}
	return &session.Document{
		Head: readers.Head{Schema: today, ID: d.ID, ProjectID: d.ProjectID, Revision: d.Revision,
			CreatedAt: d.CreatedAt.time(), UpdatedAt: d.UpdatedAt.time()},
		State: session.State(d.State), Harness: d.Harness, WorkItem: d.WorkItem, Standing: d.Standing, Instance: d.Instance,
		Branch: d.Branch, Base: d.Base, Fingerprint: d.Fingerprint, Conversation: d.Conversation,
		Paths: session.Paths{Repository: where.Repository, WorkspaceRoot: where.WorkspaceRoot, Worktree: where.Worktree, RunRoot: where.RunRoot},
		Tmux:  tmux, OpenedAt: d.OpenedAt.time(), ClosedAt: d.ClosedAt.time(), Failure: d.Failure,
	}
}

// sessionViews are those that tell of the session at the end, where it is none
// of a list.
var sessionViews = map[string]string{"binary": "show", "twice": "close", "upgraded": "close"}

// The session that a run came from is the one that the release described.
func TestSession(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if tell(t, f).session == "" {
			return
		}
		p := look(t, f)
		got, err := session.Read(p.th.FS(t, p.state), p.sessionID)
		require.NoError(t, err)
		f.Equal(t, "r4.state", string(got.State), p.story.session)
		if view := cmp.Or(sessionViews[f.Scenario], "sessions"); slices.Contains(f.Views(), view) {
			f.Equal(t, "r5.session", got, p.saidSession(t, view).session())
		}
		at := session.Place{ProjectID: p.store.ProjectID, StateDir: p.store.StateDir, Repository: p.main.Dir}
		f.Equal(t, "r4.bound", got.Bind(at), error(nil))
		f.Equal(t, "r4.open", got.State == session.Open, p.story.worktree != nil)

		// Whatever became of it later.
		opened := p.saidSession(t, "open")
		got.State, got.Revision, got.UpdatedAt, got.ClosedAt = session.Open, 2, opened.UpdatedAt.time(), readers.Time{}
		f.Equal(t, "r5.opened", got, opened.session())
		f.Equal(t, "r4.live", [2]string{opened.Live, opened.Staleness}, [2]string{"live", "fresh"})
	})
}

// Work that is still in a worktree is not lost with it where the release saved
// it in a run: close takes the worktree down. What was in a run that was
// discarded is nowhere else, and stays.
func TestCloseOfWhatIsSaved(t *testing.T) {
	each(t, saved.worked, func(t *testing.T, p place) {
		if p.story.worktree == nil {
			return
		}
		f, r := p.f, p.runner(t)
		r.Sessions.Panes = func(context.Context, string) ([]tmux.Marked, error) { return nil, nil }
		_, err := r.CloseSession(t.Context(), p.sessionID, nil)
		var unsaved *runner.UnsavedError
		f.Equal(t, "r8.saved", errors.As(err, &unsaved), p.told.state == artifact.Discarded)
		if unsaved != nil {
			f.Unchanged(t, p.tries()...)
			return
		}
		f.Equal(t, "r8.saved.closed", refusal(err), "none")
		_, err = os.Lstat(p.th.Path(p.worktree()))
		f.Equal(t, "r8.saved.worktree", named(err), "missing")
		f.CheckSum(t, "r8.saved.patch", p.patch(), p.told.patchSum())
	})
}

// saidSession is the one session in an answer of the release.
func (p place) saidSession(t *testing.T, view string) described {
	t.Helper()
	var answer struct {
		Sessions   []described `json:"sessions"`
		Session    *described  `json:"session"`
		Unreadable []string    `json:"unreadable"`
		Already    bool        `json:"already_closed"`
		Discarded  []string    `json:"discarded"`
	}
	p.decode(t, view, &answer)
	require.Empty(t, slices.Concat(answer.Unreadable, answer.Discarded))
	require.False(t, answer.Already)
	if answer.Session != nil {
		answer.Sessions = append(answer.Sessions, *answer.Session)
	}
	require.Len(t, answer.Sessions, 1)
	return answer.Sessions[0]
}
