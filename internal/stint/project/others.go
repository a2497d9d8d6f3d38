package project

import (
	"context"
	"os"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers/session"
)

// Other is another project in the same state folder that has sessions, not
// closed, of a repository at the same place.
type Other struct {
	ID       string
	StateDir string
	// Former tells that this repository has the branch of one: it had the marker
	// of that project. It may also lie where another one was.
	Former bool
}

// Others are the other projects than the one with id that have sessions, not
// closed, of tree's place. One that does not read, and a folder that does not
// list, tells nothing.
func Others(ctx context.Context, env []string, tree git.Tree, id string) ([]Other, error) {
	projects, err := statePlace(env, "")
	if err != nil {
		return nil, err
	}
	all, _ := filepath.Glob(filepath.Join(projects, "*", "sessions", "*", "session.json"))
	var found []Other
	for _, name := range all {
		dir := filepath.Dir(filepath.Dir(filepath.Dir(name)))
		d, err := session.Read(os.DirFS(dir), filepath.Base(filepath.Dir(name)))
		if err != nil || d.Paths.Repository != tree.Dir || d.State == session.Closed || d.ProjectID == id || d.ProjectID != filepath.Base(dir) {
			continue
		}
		if len(found) == 0 || found[len(found)-1].ID != d.ProjectID {
			found = append(found, Other{ID: d.ProjectID, StateDir: dir})
		}
		branch, err := tree.Ref(ctx, "refs/heads/"+d.Branch)
		if err != nil {
			return nil, err
		}
		if branch != "" {
			found[len(found)-1].Former = true
		}
	}
	return found, nil
}
