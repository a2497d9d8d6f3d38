package artifact

import (
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

// v1 is the manifest of v0.1.2: checkpoints only, no receipt, times in seconds
// since 1970-01-01 00:00:00 UTC.
type v1 struct {
	Schema      int            `json:"schema"`
	ID          string         `json:"id"`
	ProjectID   string         `json:"project_id"`
	Kind        Kind           `json:"kind"`
	Session     string         `json:"session"`
	Revision    int64          `json:"revision"`
	State       State          `json:"state"`
	Root        string         `json:"root"`
	Base        string         `json:"base"`
	Fingerprint string         `json:"fingerprint"`
	Files       []File         `json:"files"`
	PatchSHA256 string         `json:"patch_sha256"`
	PatchSize   int64          `json:"patch_size"`
	CreatedAt   int64          `json:"created_at"`
	UpdatedAt   int64          `json:"updated_at"`
	AppliedAt   int64          `json:"applied_at"`
	DiscardedAt int64          `json:"discarded_at"`
	Unknown     jsontext.Value `json:",embed"`
}

// parseV1 gives a manifest of schema 1 the shape of today's.
func parseV1(name string, b []byte) (*Manifest, error) {
	var old v1
	if err := readers.Decode(name, b, &old); err != nil {
		return nil, err
	}
	if err := readers.Check(name, old.fields()); err != nil {
		return nil, err
	}
	var today Manifest
	if err := readers.Unclaimed(name, old.Unknown, &today, &today.Unknown); err != nil {
		return nil, err
	}
	return old.upgrade(), nil
}

// fields are about what only schema 1 has.
func (v *v1) fields() []readers.Field {
	return []readers.Field{
		readers.Is("/kind", string(v.Kind), v.Kind == Checkpoint, "a kind that schema 1 has"),
		readers.Is("/state", string(v.State), v.State == Pending || v.State == Applied || v.State == Discarded, "a state that schema 1 has"),
		readers.IsSeconds("/created_at", v.CreatedAt), readers.IsSeconds("/updated_at", v.UpdatedAt),
		readers.IsSeconds("/applied_at", v.AppliedAt), readers.IsSeconds("/discarded_at", v.DiscardedAt),
	}
}

func (v *v1) upgrade() *Manifest {
	return &Manifest{
		Head: readers.Head{
			Schema: Schema, ID: v.ID, ProjectID: v.ProjectID, Revision: v.Revision,
			CreatedAt: readers.Seconds(v.CreatedAt), UpdatedAt: readers.Seconds(v.UpdatedAt),
		},
		Kind: v.Kind, Session: v.Session, State: v.State, Root: v.Root, Base: v.Base, Fingerprint: v.Fingerprint,
		Files: v.Files, PatchSHA256: v.PatchSHA256, PatchSize: v.PatchSize,
		AppliedAt: readers.Seconds(v.AppliedAt), DiscardedAt: readers.Seconds(v.DiscardedAt), Unknown: v.Unknown,
	}
}
