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
	return readers.Read(fsys, File(id), id, Parse)
}

// Parse decodes a document of whatever schema. The name is for messages.
func Parse(name string, b []byte) (*Document, error) {
	schema, err := readers.Schema(name, b, Schema)
	if err != nil {
		return nil, err
	}
	d := new(Document)
	if schema == 1 {
		d, err = parseV1(name, b)
	} else {
		err = readers.Decode(name, b, d)
	}
	if err != nil {
		return nil, err
	}
	if err := readers.Check(name, slices.Concat(d.Head.Fields(), d.fields())); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Document) fields() []readers.Field {
	const absolute = "an absolute path without .."
	return []readers.Field{
		readers.Is("/state", string(d.State), slices.Contains(States(), d.State), "a state this build knows"),
		readers.Is("/harness", d.Harness, d.Harness != "", "a harness"),
		readers.Is("/work_item", d.WorkItem, d.WorkItem == "" || WorkItem(d.WorkItem), "a work item such as github:octo/repo#15"),
		readers.Is("/standing", d.Standing, d.Standing == "" || d.WorkItem == "" && StandingName(d.Standing), "the name of a standing session, without a work item"),
		readers.Is("/instance", d.Instance, d.Instance == "" || readers.Instance(d.Instance), "the name of an instance"),
		readers.Is("/branch", d.Branch, branch(d.Branch), "a branch"),
		readers.Is("/base", d.Base, readers.Commit(d.Base), "the full name of a commit"),
		readers.Is("/fingerprint", d.Fingerprint, readers.Fingerprint(d.Fingerprint), "VERSION:HEX"),
		readers.Is("/conversation", d.Conversation, d.Conversation == "" || readers.ID(d.Conversation), "an id"),
		readers.Is("/paths/repository", d.Paths.Repository, readers.Absolute(d.Paths.Repository), absolute),
		readers.Is("/paths/workspace_root", d.Paths.WorkspaceRoot, readers.Absolute(d.Paths.WorkspaceRoot), absolute),
		readers.Is("/paths/worktree", d.Paths.Worktree, readers.Absolute(d.Paths.Worktree), absolute),
		readers.Is("/paths/run_root", d.Paths.RunRoot, readers.Absolute(d.Paths.RunRoot), absolute),
		readers.Is("/tmux/session", d.Tmux.Session, readers.Name(d.Tmux.Session), "a tmux session name of [A-Za-z0-9_-]"),
		readers.Is("/tmux/socket", d.Tmux.Socket, readers.Absolute(d.Tmux.Socket), absolute),
	}
}

// branch is narrower than git: what goes into a git command line as a branch
// is no option and no path.
func branch(s string) bool {
	return fs.ValidPath(s) && s != "." && !strings.HasPrefix(s, "-") && !strings.ContainsAny(s, " ~^:?*[\\\x00")
}
