// Package session reads the session document, sessions/ID/session.json in a
// project's state folder.
package session

import (
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the newest schema this build reads, and the one it writes.
const Schema = 1

// State is where a session stands.
type State string

const (
	Creating         State = "creating"          // the document is there, the session is being made
	Open             State = "open"              // branch, worktree and tmux session were made
	Closing          State = "closing"           // being taken down
	Closed           State = "closed"            // gone; the document and the branch stay
	RecoveryRequired State = "recovery-required" // a step could not be undone, see Failure
)

// States are all of them, in the order of a session's life.
func States() []State { return []State{Creating, Open, Closing, Closed, RecoveryRequired} }

// Document is a session as it is persisted. Paths are absolute and canonical;
// times are in seconds since 1970-01-01 00:00:00 UTC.
type Document struct {
	Schema        int            `json:"schema"`
	ID            string         `json:"id"`
	ProjectID     string         `json:"project_id"`
	Revision      int64          `json:"revision"` // 1 at first, and one more with each write
	State         State          `json:"state"`
	Harness       string         `json:"harness"`        // as it was named to session open
	Repository    string         `json:"repository"`     // the main work tree
	WorkspaceRoot string         `json:"workspace_root"` // holds worktree and run root
	Worktree      string         `json:"worktree"`
	RunRoot       string         `json:"run_root"` // a folder of the session beside its worktree, for what is not to be committed
	Branch        string         `json:"branch"`
	Base          string         `json:"base"`        // the commit the branch started from
	Fingerprint   string         `json:"fingerprint"` // of the repository when the session was opened, VERSION:HEX
	TmuxSession   string         `json:"tmux_session"`
	TmuxSocket    string         `json:"tmux_socket"`
	CreatedAt     int64          `json:"created_at"`
	UpdatedAt     int64          `json:"updated_at"`         // of this revision
	OpenedAt      int64          `json:"opened_at,omitzero"` // 0: it never was open
	ClosedAt      int64          `json:"closed_at,omitzero"` // 0: it is not closed
	Failure       string         `json:"failure,omitempty"`  // why the last command on it did not do all it should
	Unknown       jsontext.Value `json:",embed"`             // fields of other releases, kept by a rewrite
}

// Encode returns the document's bytes.
func (d *Document) Encode() ([]byte, error) { return readers.Encode(d) }
