package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/readers"
)

// ManifestFile is the place of run id's manifest in a project's state folder.
func ManifestFile(id string) string { return path.Join("runs", id, "manifest.json") }

// PatchFile is the place of run id's patch.
func PatchFile(id string) string { return path.Join("runs", id, "changes.patch") }

// Read reads the manifest of run id from a project's state folder.
func Read(fsys fs.FS, id string) (*Manifest, error) {
	return readers.Read(fsys, ManifestFile(id), id, Parse)
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

// Parse decodes a manifest of whatever schema. The name is for messages.
func Parse(name string, b []byte) (*Manifest, error) {
	schema, err := readers.Schema(name, b, Schema)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if schema == 1 {
		m, err = parseV1(name, b)
	} else {
		err = readers.Decode(name, b, m)
	}
	if err != nil {
		return nil, err
	}
	if err := readers.Check(name, slices.Concat(m.Head.Fields(), m.fields(), m.patch(), m.receipt())); err != nil {
		return nil, err
	}
	if err := checkFiles(name, m.Files); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Manifest) fields() []readers.Field {
	const id = "an id"
	turn := m.Kind == Turn
	return []readers.Field{
		readers.Is("/kind", string(m.Kind), m.Kind == Checkpoint || turn, "a kind this build knows"),
		readers.Is("/session", m.Session, readers.ID(m.Session) || turn && m.Session == "", id),
		readers.Is("/conversation", m.Conversation, m.Conversation == "" || readers.ID(m.Conversation), id),
		readers.Is("/provider_session", m.ProviderSession, turn || m.ProviderSession == "", "empty, as it is in a checkpoint"),
		readers.Is("/state", string(m.State), slices.Contains(States(), m.State), "a state this build knows"),
		readers.Is("/root", m.Root, readers.Absolute(m.Root), "an absolute path without .."),
		readers.Is("/base", m.Base, readers.Commit(m.Base), "the full name of a commit"),
		readers.Is("/fingerprint", m.Fingerprint, readers.Fingerprint(m.Fingerprint), "VERSION:HEX"),
		readers.Is("/applied_at", m.AppliedAt.String(), m.AppliedAt.IsZero() != (m.State == Applied), "there exactly if it is applied"),
		readers.Is("/discarded_at", m.DiscardedAt.String(), m.DiscardedAt.IsZero() != (m.State == Discarded), "there exactly if it is discarded"),
	}
}

// patch is about what is there only once the work was saved.
func (m *Manifest) patch() []readers.Field {
	size := strconv.FormatInt(m.PatchSize, 10)
	if m.Kind == Turn && m.PatchSHA256 == "" {
		return []readers.Field{
			readers.Is("/patch_sha256", "", m.State != Pending && m.State != Applied, "the hash of a patch, which a run that is pending or applied has"),
			readers.Is("/patch_size", size, m.PatchSize == 0, "0, where there is no patch"),
			readers.Is("/files", strconv.Itoa(len(m.Files)), len(m.Files) == 0, "0, the number of files where there is no patch"),
		}
	}
	return []readers.Field{
		readers.Is("/patch_sha256", m.PatchSHA256, readers.Hex(m.PatchSHA256, 64), "64 hexadecimal digits"),
		readers.Is("/patch_size", size, m.PatchSize >= 0, "a number of bytes"),
	}
}

// receipt is about what an apply leaves. One by v0.1.2 left none.
func (m *Manifest) receipt() []readers.Field {
	r := m.Receipt
	if r == nil {
		return nil
	}
	return []readers.Field{
		readers.Is("/receipt", string(m.State), m.State == Applied, "applied, as a run with a receipt is"),
		readers.Is("/receipt/base", r.Base, r.Base == m.Base, "the commit the patch applies to"),
		readers.Is("/receipt/tree", r.Tree, readers.Commit(r.Tree), "the full name of a tree"),
		readers.Is("/receipt/patch_sha256", r.PatchSHA256, r.PatchSHA256 == m.PatchSHA256, "the patch's"),
		readers.Is("/receipt/applied_at", r.AppliedAt.String(), r.AppliedAt.Equal(m.AppliedAt.Time), "when it was applied"),
	}
}

func checkFiles(name string, files []File) error {
	for i, f := range files {
		if err := f.check(); err != nil {
			return readers.Invalid(name, fmt.Sprintf("/files/%d", i), "%w", err)
		}
		if i > 0 && files[i-1].Path >= f.Path {
			return readers.Invalid(name, fmt.Sprintf("/files/%d/path", i), "%q is not behind the one before it", f.Path)
		}
	}
	return nil
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
