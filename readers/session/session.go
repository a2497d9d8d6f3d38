// Package session reads the session document, sessions/ID/session.json in a
// project's state folder.
package session

import (
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the newest schema this build reads, and the one it writes.
const Schema = 2

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

// Document is a session as it is persisted.
type Document struct {
	readers.Head
	State        State  `json:"state"`
	Harness      string `json:"harness"`             // as it was named to session open
	WorkItem     string `json:"work_item,omitempty"` // what it works on, as in github:octo/repo#15
	Standing     string `json:"standing,omitempty"`  // name of a session that is for no work item and comes back; never with a work item
	Instance     string `json:"instance,omitempty"`  // the configured name of the installation that opened it
	Branch       string `json:"branch"`
	Base         string `json:"base"`                   // the commit the branch started from
	Fingerprint  string `json:"fingerprint"`            // of the repository when the session was opened, VERSION:HEX
	Conversation string `json:"conversation,omitempty"` // id of the conversation with the agent
	Paths        Paths  `json:"paths"`
	Tmux         Tmux   `json:"tmux"`

	OpenedAt readers.Time   `json:"opened_at,omitzero"` // zero: it never was open
	ClosedAt readers.Time   `json:"closed_at,omitzero"` // zero: it is not closed
	Failure  string         `json:"failure,omitempty"`  // why the last command on it did not do all it should
	Unknown  jsontext.Value `json:",embed"`             // fields of other releases, kept by a rewrite
}

// Paths are where the session is at work, absolute and canonical.
type Paths struct {
	Repository    string         `json:"repository"`     // the main work tree
	WorkspaceRoot string         `json:"workspace_root"` // holds worktree and run root
	Worktree      string         `json:"worktree"`
	RunRoot       string         `json:"run_root"` // a folder of the session beside its worktree, for what is not to be committed
	Unknown       jsontext.Value `json:",embed"`
}

// Tmux is where the session's program runs.
type Tmux struct {
	Session string         `json:"session"`
	Socket  string         `json:"socket"` // of the server, absolute
	Unknown jsontext.Value `json:",embed"`
}

// Encode returns the document's bytes, in this build's schema.
func (d *Document) Encode() ([]byte, error) {
	today := *d
	today.Schema = Schema
	return readers.Encode(&today)
}
