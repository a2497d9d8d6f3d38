package session

import (
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// v1 is the document of v0.1.2: paths and tmux at the top, times in seconds
// since 1970-01-01 00:00:00 UTC.
type v1 struct {
	Schema        int            `json:"schema"`
	ID            string         `json:"id"`
	ProjectID     string         `json:"project_id"`
	Revision      int64          `json:"revision"`
	State         State          `json:"state"`
	Harness       string         `json:"harness"`
	Repository    string         `json:"repository"`
	WorkspaceRoot string         `json:"workspace_root"`
	Worktree      string         `json:"worktree"`
	RunRoot       string         `json:"run_root"`
	Branch        string         `json:"branch"`
	Base          string         `json:"base"`
	Fingerprint   string         `json:"fingerprint"`
	TmuxSession   string         `json:"tmux_session"`
	TmuxSocket    string         `json:"tmux_socket"`
	CreatedAt     int64          `json:"created_at"`
	UpdatedAt     int64          `json:"updated_at"`
	OpenedAt      int64          `json:"opened_at"`
	ClosedAt      int64          `json:"closed_at"`
	Failure       string         `json:"failure"`
	Unknown       jsontext.Value `json:",embed"`
}

// parseV1 gives a document of schema 1 the shape of today's.
func parseV1(name string, b []byte) (*Document, error) {
	var old v1
	if err := readers.Decode(name, b, &old); err != nil {
		return nil, err
	}
	if err := readers.Check(name, old.times()); err != nil {
		return nil, err
	}
	var today Document
	if err := readers.Unclaimed(name, old.Unknown, &today, &today.Unknown); err != nil {
		return nil, err
	}
	return old.upgrade(), nil
}

func (v *v1) times() []readers.Field {
	return []readers.Field{
		readers.IsSeconds("/created_at", v.CreatedAt), readers.IsSeconds("/updated_at", v.UpdatedAt),
		readers.IsSeconds("/opened_at", v.OpenedAt), readers.IsSeconds("/closed_at", v.ClosedAt),
	}
}

func (v *v1) upgrade() *Document {
	return &Document{
		Head: readers.Head{
			Schema: Schema, ID: v.ID, ProjectID: v.ProjectID, Revision: v.Revision,
			CreatedAt: readers.Seconds(v.CreatedAt), UpdatedAt: readers.Seconds(v.UpdatedAt),
		},
		State: v.State, Harness: v.Harness, Branch: v.Branch, Base: v.Base, Fingerprint: v.Fingerprint,
		Paths:    Paths{Repository: v.Repository, WorkspaceRoot: v.WorkspaceRoot, Worktree: v.Worktree, RunRoot: v.RunRoot},
		Tmux:     Tmux{Session: v.TmuxSession, Socket: v.TmuxSocket},
		OpenedAt: readers.Seconds(v.OpenedAt), ClosedAt: readers.Seconds(v.ClosedAt),
		Failure: v.Failure, Unknown: v.Unknown,
	}
}
