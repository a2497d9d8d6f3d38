// Package artifact reads run artifacts: the manifest runs/ID/manifest.json in
// a project's state folder, and the patch beside it.
package artifact

import (
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the newest schema this build reads, and the one it writes.
const Schema = 2

// Kind says what a run was.
type Kind string

const (
	Checkpoint Kind = "checkpoint" // the work of a session at one moment, saved by hand
	Turn       Kind = "run"        // one turn of an agent without a terminal
)

// State is where a run's artifact stands.
type State string

const (
	Running     State = "running"     // the agent is at work
	Interrupted State = "interrupted" // ended before its work was saved
	Pending     State = "pending"     // to be applied or discarded
	Applied     State = "applied"     // in the main work tree
	Discarded   State = "discarded"   // not wanted
)

// States are all of them, in the order of a run's life.
func States() []State { return []State{Running, Interrupted, Pending, Applied, Discarded} }

// Manifest is an artifact as it is persisted. Hashes of files are git's blob
// names. A run that is running or was interrupted has no patch.
type Manifest struct {
	readers.Head
	Kind            Kind   `json:"kind"`
	Session         string `json:"session,omitempty"`          // id of the session it came from; none for a turn
	Conversation    string `json:"conversation,omitempty"`     // id of the conversation it is part of; none before v0.2.0
	ProviderSession string `json:"provider_session,omitempty"` // the agent's own name of the conversation; none for a checkpoint
	Harness         string `json:"harness,omitempty"`          // as it was named; none before v0.2.0
	Prompt          string `json:"prompt,omitempty"`           // of a turn
	Exit            *int   `json:"exit,omitempty"`             // exit status of a turn's agent; nil: it is not known
	State           State  `json:"state"`
	Root            string `json:"root"`        // the worktree it was taken from, absolute
	Base            string `json:"base"`        // the commit the patch applies to
	Fingerprint     string `json:"fingerprint"` // of the repository when the session was opened or the turn began, VERSION:HEX
	Files           []File `json:"files"`       // that the patch changes, sorted by path
	PatchSHA256     string `json:"patch_sha256,omitempty"`
	PatchSize       int64  `json:"patch_size"` // in bytes

	StartedAt   readers.Time   `json:"started_at,omitzero"`  // from then on a turn's agent may be at work; zero: it never was, or it was a checkpoint
	FinishedAt  readers.Time   `json:"finished_at,omitzero"` // zero: the turn is not over, or it was a checkpoint
	AppliedAt   readers.Time   `json:"applied_at,omitzero"`
	DiscardedAt readers.Time   `json:"discarded_at,omitzero"`
	Receipt     *Receipt       `json:"receipt,omitempty"` // of an applied one; v0.1.2 gave none
	Failure     string         `json:"failure,omitempty"` // why its work could not be saved
	Unknown     jsontext.Value `json:",embed"`            // fields of other releases, kept by a rewrite
}

// Receipt says what an apply did. It is bound to that one: to the commit the
// patch was applied to, and to the patch.
type Receipt struct {
	Base        string         `json:"base"`
	Tree        string         `json:"tree"` // git's name of the tree that base and patch make
	PatchSHA256 string         `json:"patch_sha256"`
	AppliedAt   readers.Time   `json:"applied_at"`
	Unknown     jsontext.Value `json:",embed"`
}

// File is one changed file. A file that is added has no old mode and hash, one
// that is deleted no new ones; a renamed one is both.
type File struct {
	Path    string         `json:"path"`               // slash separated, relative to the top of the work tree
	OldMode string         `json:"old_mode,omitempty"` // 100644, 100755 or 120000, as git writes them
	NewMode string         `json:"new_mode,omitempty"`
	OldHash string         `json:"old_hash,omitempty"`
	NewHash string         `json:"new_hash,omitempty"`
	Unknown jsontext.Value `json:",embed"`
}

// Encode returns the manifest's bytes, in this build's schema.
func (m *Manifest) Encode() ([]byte, error) {
	today := *m
	today.Schema = Schema
	return readers.Encode(&today)
}
