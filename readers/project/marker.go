// Package project reads what makes a folder a project: the marker
// .stint/project.json and the configuration stint.toml, both at the top of
// the main work tree.
package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MarkerFile is the marker's place in the main work tree.
	MarkerFile = ".stint/project.json"
	// Schema is the newest schema of the marker this build reads, and the one
	// it writes.
	Schema = 1
)

// Marker gives a project its id. It belongs to one clone: git does not track
// it.
type Marker struct {
	Schema    int            `json:"schema"`
	ProjectID string         `json:"project_id"` // 32 hexadecimal digits
	CreatedAt int64          `json:"created_at"` // seconds since 1970-01-01 00:00:00 UTC
	Unknown   jsontext.Value `json:",embed"`     // fields of other releases, kept by a rewrite
}

// Encode returns the marker's bytes.
func (m *Marker) Encode() ([]byte, error) { return readers.Encode(m) }

// ReadMarker reads the marker of the main work tree fsys.
func ReadMarker(fsys fs.FS) (*Marker, error) {
	b, err := readers.File(fsys, MarkerFile)
	if err != nil {
		return nil, err
	}
	return ParseMarker(MarkerFile, b)
}

// ParseMarker decodes a marker. The name is for messages.
func ParseMarker(name string, b []byte) (*Marker, error) {
	if _, err := readers.Schema(name, b, Schema); err != nil {
		return nil, err
	}
	m := new(Marker)
	if err := readers.Decode(name, b, m); err != nil {
		return nil, err
	}
	if !readers.Hex(m.ProjectID, 32) {
		return nil, readers.Invalid(name, "/project_id", "%q is not 32 hexadecimal digits", m.ProjectID)
	}
	if m.CreatedAt <= 0 {
		return nil, readers.Invalid(name, "/created_at", "it is out of its range")
	}
	return m, nil
}

// ID is the project's id. It is the marker's if the marker is a regular file
// that git does not track. A tracked one is shared by every clone, and a
// symlink may lead to another project's: then the id is a hash of repository,
// the canonical path of the main work tree. A missing marker is
// [fs.ErrNotExist].
func ID(fsys fs.FS, tracked bool, repository string) (string, error) {
	m, err := ReadMarker(fsys)
	switch {
	case errors.Is(err, readers.ErrNotRegular), err == nil && tracked:
		return PathID(repository), nil
	case err != nil:
		return "", err
	}
	return m.ProjectID, nil
}

// PathID is the id of a project that has no marker of its own: the first 32
// hexadecimal digits of the SHA-256 of its path.
func PathID(repository string) string {
	sum := sha256.Sum256([]byte(repository))
	return hex.EncodeToString(sum[:16])
}
