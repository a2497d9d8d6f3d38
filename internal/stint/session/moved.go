package session

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/readers/session"
)

// Moved returns an error that names the project's sessions that are not closed
// and are of a repository in another place, and nil if there are none. The
// repository was moved from there, or copied with its marker.
func (s *Store) Moved() error {
	dirs, err := fs.ReadDir(s.Docs, "sessions")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var all []string
	for _, dir := range dirs {
		// What does not read tells nothing, and is listed as such.
		d, err := session.Read(s.Docs, dir.Name())
		if err == nil && d.State != session.Closed && d.ProjectID == s.Place.ProjectID && d.Paths.Repository != s.Place.Repository {
			all = append(all, fmt.Sprintf("%q of %q", d.ID, d.Paths.Repository))
		}
	}
	if all == nil {
		return nil
	}
	return fmt.Errorf("repository %q: the project has sessions, not closed, of another place: %s: move the repository back there, or close them there; if it was copied from there, remove .stint/project.json here and run stint init", s.Place.Repository, strings.Join(all, ", "))
}

// Former is the project's state folder that a session was made with, and the
// STINT_STATE_DIR that has it there; both are empty where its workspace is in
// no such place.
func Former(d *session.Document) (state, root string) {
	state, ok := strings.CutSuffix(d.Paths.WorkspaceRoot, "/workspaces/"+d.ID)
	root, also := strings.CutSuffix(state, "/projects/"+d.ProjectID)
	if !ok || !also {
		return "", ""
	}
	return state, root
}

// elsewhere is why a document that reads is not bound to its place, and what
// to do about it where it or what it speaks of was moved or copied.
func (s *Store) elsewhere(d *session.Document, err error) error {
	err = fmt.Errorf("it belongs elsewhere: %w", err)
	state, root := Former(d)
	switch {
	case d.ProjectID != s.Place.ProjectID:
		return fmt.Errorf("%w: %s", err, document.OtherProject)
	case d.Paths.Repository != s.Place.Repository:
		return fmt.Errorf("%w: if the repository was moved, move it back; if it was copied, remove .stint/project.json and run stint init", err)
	case root != "" && state != s.Place.StateDir:
		return fmt.Errorf("%w: if the state was moved, move it back to %q; if it was copied, set STINT_STATE_DIR to %q", err, state, root)
	}
	return err
}
