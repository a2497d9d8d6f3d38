// Package artifact reads run artifacts: the manifest runs/ID/manifest.json in
// a project's state folder, and the patch beside it.
package artifact

import (
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the newest schema this build reads, and the one it writes.
const Schema = 1

// Kind says what a run was.
type Kind string

// Checkpoint is the work of a session at one moment, saved by hand.
const Checkpoint Kind = "checkpoint"

// State is where a run's artifact stands.
type State string

const (
	Pending   State = "pending"   // to be applied or discarded
	Applied   State = "applied"   // in the main work tree
	Discarded State = "discarded" // not wanted
)

// Manifest is an artifact as it is persisted. Times are in seconds since
// 1970-01-01 00:00:00 UTC; hashes of files are git's blob names.
type Manifest struct {
	Schema      int            `json:"schema"`
	ID          string         `json:"id"`
	ProjectID   string         `json:"project_id"`
	Kind        Kind           `json:"kind"`
	Session     string         `json:"session"` // id of the session it came from
	Revision    int64          `json:"revision"`
	State       State          `json:"state"`
	Root        string         `json:"root"`        // the worktree it was taken from, absolute
	Base        string         `json:"base"`        // the commit the patch applies to
	Fingerprint string         `json:"fingerprint"` // of the repository when the session was opened, VERSION:HEX
	Files       []File         `json:"files"`       // that the patch changes, sorted by path
	PatchSHA256 string         `json:"patch_sha256"`
	PatchSize   int64          `json:"patch_size"` // in bytes
	CreatedAt   int64          `json:"created_at"`
	UpdatedAt   int64          `json:"updated_at"`
	AppliedAt   int64          `json:"applied_at,omitzero"`   // 0: it was not applied
	DiscardedAt int64          `json:"discarded_at,omitzero"` // 0: it was not discarded
	Unknown     jsontext.Value `json:",embed"`                // fields of other releases, kept by a rewrite
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

// Encode returns the manifest's bytes.
func (m *Manifest) Encode() ([]byte, error) { return readers.Encode(m) }
