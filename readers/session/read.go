package session

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/readers"
)

// File is the place of the document of session id in a project's state folder.
func File(id string) string { return path.Join("sessions", id, "session.json") }

// Read reads the document of session id from a project's state folder.
func Read(fsys fs.FS, id string) (*Document, error) {
	if !readers.ID(id) {
		return nil, &fs.PathError{Op: "read", Path: id, Err: fs.ErrInvalid}
	}
	b, err := readers.File(fsys, File(id))
	if err != nil {
		return nil, err
	}
	d, err := Parse(File(id), b)
	if err != nil {
		return nil, err
	}
	if d.ID != id {
		return nil, readers.Invalid(File(id), "/id", "%q, in the folder of %q", d.ID, id)
	}
	return d, nil
}

// Parse decodes a document. The name is for messages.
func Parse(name string, b []byte) (*Document, error) {
	d := new(Document)
	if err := readers.Decode(name, b, Schema, d); err != nil {
		return nil, err
	}
	for _, f := range d.fields() {
		if !f.ok {
			return nil, readers.Invalid(name, f.pointer, "%q is not %s", f.value, f.want)
		}
	}
	if pointer, ok := d.numbers(); !ok {
		return nil, readers.Invalid(name, pointer, "it is out of its range")
	}
	return d, nil
}

type field struct {
	pointer, value string
	ok             bool
	want           string
}

func (d *Document) fields() []field {
	const absolute, id = "an absolute path without ..", "an id"
	return []field{
		{"/id", d.ID, readers.ID(d.ID), id},
		{"/project_id", d.ProjectID, readers.ID(d.ProjectID), id},
		{"/state", string(d.State), slices.Contains(States(), d.State), "a state this build knows"},
		{"/harness", d.Harness, d.Harness != "", "a harness"},
		{"/repository", d.Repository, readers.Absolute(d.Repository), absolute},
		{"/workspace_root", d.WorkspaceRoot, readers.Absolute(d.WorkspaceRoot), absolute},
		{"/worktree", d.Worktree, readers.Absolute(d.Worktree), absolute},
		{"/run_root", d.RunRoot, readers.Absolute(d.RunRoot), absolute},
		{"/branch", d.Branch, branch(d.Branch), "a branch"},
		{"/base", d.Base, readers.Commit(d.Base), "the full name of a commit"},
		{"/fingerprint", d.Fingerprint, fingerprint(d.Fingerprint), "VERSION:HEX"},
		{"/tmux_session", d.TmuxSession, name(d.TmuxSession), "a tmux session name of [A-Za-z0-9_-]"},
		{"/tmux_socket", d.TmuxSocket, readers.Absolute(d.TmuxSocket), absolute},
	}
}

func (d *Document) numbers() (pointer string, ok bool) {
	switch {
	case d.Revision < 1:
		return "/revision", false
	case d.CreatedAt <= 0:
		return "/created_at", false
	case d.UpdatedAt <= 0:
		return "/updated_at", false
	case d.OpenedAt < 0:
		return "/opened_at", false
	case d.ClosedAt < 0:
		return "/closed_at", false
	}
	return "", true
}

// branch is narrower than git: what goes into a git command line as a branch
// is no option and no path.
func branch(s string) bool {
	return fs.ValidPath(s) && s != "." && !strings.HasPrefix(s, "-") && !strings.ContainsAny(s, " ~^:?*[\\\x00")
}

func fingerprint(s string) bool {
	version, sum, ok := strings.Cut(s, ":")
	return ok && name(version) && sum != "" && readers.Hex(sum, len(sum))
}

// name holds for what tmux keeps as it is and never takes for a target of
// another kind.
func name(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
