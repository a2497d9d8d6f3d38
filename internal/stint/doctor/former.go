package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	ours "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// missingMarker names the projects that the repository was before its marker was
// deleted, which stint init would not know of. It tells whether there is one.
func (v *visit) missingMarker(env []string, dir string) (bool, error) {
	tree, err := git.Main(v.ctx, env, dir)
	if err != nil {
		return false, err
	}
	file := filepath.Join(tree.Dir, filepath.FromSlash(project.MarkerFile))
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	all, err := ours.Others(v.ctx, env, tree, "")
	missing := false
	for _, o := range all {
		if o.Former {
			missing = true
			v.add("marker", file, "it is missing; "+look(o.StateDir).String()+" in "+o.StateDir+" go by it, and are not seen as long as that is so", rewritten(file, o.ID)+" && stint init")
		}
	}
	return missing, err
}

// newMarker names the projects that the repository was before it had the marker
// that is there, and whose sessions no command shows.
func (v *visit) newMarker(file string) {
	all, err := ours.Others(v.ctx, v.Env, v.Project.Tree, v.Project.ID)
	if err != nil {
		v.add("marker", file, err.Error(), "")
	}
	for _, o := range all {
		if o.Former {
			v.add("marker", file, "it is not the one that the repository had; "+look(o.StateDir).String()+" in "+o.StateDir+" go by that, and are not seen as long as that is so", rewritten(file, o.ID)+v.before("this one"))
		}
	}
}

// anew is the command that gives the repository a marker: the one that it had,
// if that is known.
func (v *visit) anew() string {
	all, err := ours.Others(v.ctx, v.Env, v.Project.Tree, v.Project.ID)
	all = slices.DeleteFunc(all, func(o ours.Other) bool { return !o.Former })
	if err != nil || len(all) != 1 {
		return "stint init"
	}
	return rewritten(v.file(project.MarkerFile), all[0].ID) + " && stint init"
}

// rewritten is the command that makes the marker of the project with id.
func rewritten(file, id string) string {
	m := project.Marker{Schema: project.Schema, ProjectID: id, CreatedAt: time.Now().Unix()}
	b, err := m.Encode()
	if err != nil {
		return ""
	}
	return "(umask 077 && mkdir -p " + quote(filepath.Dir(file)) + " && echo " + quote(strings.Join(strings.Fields(string(b)), " ")) + " >" + quote(file) + ")"
}
