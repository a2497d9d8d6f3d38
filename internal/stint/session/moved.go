package session

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

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
