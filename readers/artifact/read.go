package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/readers"
)

// ManifestFile is the place of run id's manifest in a project's state folder.
func ManifestFile(id string) string { return path.Join("runs", id, "manifest.json") }

// PatchFile is the place of run id's patch.
func PatchFile(id string) string { return path.Join("runs", id, "changes.patch") }

// Read reads the manifest of run id from a project's state folder.
func Read(fsys fs.FS, id string) (*Manifest, error) {
	if !readers.ID(id) {
		return nil, &fs.PathError{Op: "read", Path: id, Err: fs.ErrInvalid}
	}
	b, err := readers.File(fsys, ManifestFile(id))
	if err != nil {
		return nil, err
	}
	m, err := Parse(ManifestFile(id), b)
	if err != nil {
		return nil, err
	}
	if m.ID != id {
		return nil, readers.Invalid(ManifestFile(id), "/id", "%q, in the folder of %q", m.ID, id)
	}
	return m, nil
}

// ReadPatch reads the patch of m and holds it against the size and hash in m.
func ReadPatch(fsys fs.FS, m *Manifest) ([]byte, error) {
	name := PatchFile(m.ID)
	b, err := readers.File(fsys, name)
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != m.PatchSize || Sum(b) != m.PatchSHA256 {
		return nil, &readers.CorruptError{Path: name, Err: errors.New("it is not the patch that the manifest was written for")}
	}
	return b, nil
}

// Sum is the hash of a patch as a manifest holds it: SHA-256, in hexadecimal.
func Sum(patch []byte) string {
	sum := sha256.Sum256(patch)
	return hex.EncodeToString(sum[:])
}

// Parse decodes a manifest. The name is for messages.
func Parse(name string, b []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := readers.Decode(name, b, Schema, m); err != nil {
		return nil, err
	}
	for _, f := range m.fields() {
		if !f.ok {
			return nil, readers.Invalid(name, f.pointer, "%q is not %s", f.value, f.want)
		}
	}
	if pointer, ok := m.numbers(); !ok {
		return nil, readers.Invalid(name, pointer, "it is out of its range")
	}
	for i, f := range m.Files {
		if err := f.check(); err != nil {
			return nil, readers.Invalid(name, fmt.Sprintf("/files/%d", i), "%w", err)
		}
		if i > 0 && m.Files[i-1].Path >= f.Path {
			return nil, readers.Invalid(name, fmt.Sprintf("/files/%d/path", i), "%q is not behind the one before it", f.Path)
		}
	}
	return m, nil
}

type field struct {
	pointer, value string
	ok             bool
	want           string
}

func (m *Manifest) fields() []field {
	const id = "an id"
	version, sum, _ := strings.Cut(m.Fingerprint, ":")
	return []field{
		{"/id", m.ID, readers.ID(m.ID), id},
		{"/project_id", m.ProjectID, readers.ID(m.ProjectID), id},
		{"/kind", string(m.Kind), m.Kind == Checkpoint, "a kind this build knows"},
		{"/session", m.Session, readers.ID(m.Session), id},
		{"/state", string(m.State), slices.Contains([]State{Pending, Applied, Discarded}, m.State), "a state this build knows"},
		{"/root", m.Root, readers.Absolute(m.Root), "an absolute path without .."},
		{"/base", m.Base, readers.Commit(m.Base), "the full name of a commit"},
		{"/fingerprint", m.Fingerprint, version != "" && sum != "" && readers.Hex(sum, len(sum)), "VERSION:HEX"},
		{"/patch_sha256", m.PatchSHA256, readers.Hex(m.PatchSHA256, 64), "64 hexadecimal digits"},
	}
}

func (m *Manifest) numbers() (pointer string, ok bool) {
	switch {
	case m.Revision < 1:
		return "/revision", false
	case m.PatchSize < 0:
		return "/patch_size", false
	case m.CreatedAt <= 0:
		return "/created_at", false
	case m.UpdatedAt <= 0:
		return "/updated_at", false
	case m.AppliedAt < 0, (m.AppliedAt > 0) != (m.State == Applied):
		return "/applied_at", false
	case m.DiscardedAt < 0, (m.DiscardedAt > 0) != (m.State == Discarded):
		return "/discarded_at", false
	}
	return "", true
}

func (f *File) check() error {
	git := func(elem string) bool { return strings.EqualFold(elem, ".git") }
	if !fs.ValidPath(f.Path) || f.Path == "." || slices.ContainsFunc(strings.Split(f.Path, "/"), git) {
		return fmt.Errorf("%q is not the path of a file in a work tree", f.Path)
	}
	if f.OldMode == "" && f.NewMode == "" {
		return fmt.Errorf("%q has neither an old nor a new mode", f.Path)
	}
	if !side(f.OldMode, f.OldHash) || !side(f.NewMode, f.NewHash) {
		return fmt.Errorf("%q goes from mode %q hash %q to mode %q hash %q, which is no change of a file", f.Path, f.OldMode, f.OldHash, f.NewMode, f.NewHash)
	}
	return nil
}

// side holds for a file that is not there, and for one that git can have.
func side(mode, hash string) bool {
	if mode == "" {
		return hash == ""
	}
	return slices.Contains([]string{"100644", "100755", "120000"}, mode) && readers.Commit(hash)
}
