package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// strays are sessions that were made in another place, with why the first one
// is not bound to this one.
type strays struct {
	at, root string // the repository; or the state folder, and the STINT_STATE_DIR that has it
	why      string
	ids      []string
}

// moved names sessions of the repository, or of its state, in another place,
// once for each place, since one command brings all of them back, and returns
// the documents that are none of these. A closed session waits for nobody.
func (v *visit) moved(skipped []document.Skipped) []document.Skipped {
	var repositories, states, closed []*strays
	rest := slices.DeleteFunc(slices.Clone(skipped), func(s document.Skipped) bool {
		d, err := doc.Read(v.Sessions.Docs, filepath.Base(filepath.Dir(s.Path)))
		if err != nil || d.ProjectID != v.Project.ID {
			return false
		}
		list := &states
		state, root := session.Former(d)
		switch {
		case d.Paths.Repository != v.Project.Tree.Dir:
			list, state, root = &repositories, d.Paths.Repository, ""
		case root == "" || state == v.Project.StateDir:
			return false
		}
		if d.State == doc.Closed {
			list = &closed
		}
		i := slices.IndexFunc(*list, func(s *strays) bool { return s.at == state })
		if i < 0 {
			i = len(*list)
			*list = append(*list, &strays{at: state, root: root, why: s.Err.Error()})
		}
		(*list)[i].ids = append((*list)[i].ids, d.ID)
		return true
	})
	for _, s := range repositories {
		v.add("repository", v.Project.Tree.Dir, s.String(), v.back(s.at))
	}
	for _, s := range states {
		v.add("state folder", v.Project.StateDir, s.String(), v.stateBack(s))
	}
	return rest
}

func (s *strays) String() string {
	return text.Count(len(s.ids), "session") + " (" + runner.Some(s.ids) + "): " + s.why
}

// back is the command that brings the repository back to where it was. Where
// that still is, this is a copy, which is to have a marker of its own. There is
// none where something else has come there.
func (v *visit) back(was string) string {
	now := v.Project.Tree.Dir
	move := "mv " + quote(now) + " " + quote(was)
	info, err := os.Lstat(was)
	if err != nil {
		return under(was, "") + move
	}
	if real, err := filepath.EvalSymlinks(was); err != nil || real == now {
		return "rm " + quote(was) + " && " + move // What was left there is a link.
	}
	if m, err := project.ReadMarker(os.DirFS(was)); err == nil && info.IsDir() && m.ProjectID == v.Project.ID {
		return "rm " + quote(v.file(project.MarkerFile)) + " && stint init"
	}
	return ""
}

// stateBack has the state in its former place again, for the shell that runs it.
func (v *visit) stateBack(s *strays) string {
	use := "export STINT_STATE_DIR=" + quote(s.root)
	if _, err := os.Lstat(s.at); err == nil {
		return use
	}
	return under(s.at, "-m 700 ") + "mv " + quote(v.Project.StateDir) + " " + quote(s.at) + " && " + use
}

// under makes the folder that is to hold name, where it is missing.
func under(name, mode string) string {
	if dir := filepath.Dir(name); !exists(dir) {
		return "mkdir -p " + mode + quote(dir) + " && "
	}
	return ""
}

// unread is the command for a document that is not read. One of another project
// goes back to it, and goes away where that has the very same: diff says so, and
// removes nothing where there is a difference.
func (v *visit) unread(s document.Skipped) string {
	var binding *readers.BindingError
	if !errors.As(s.Err, &binding) {
		return mend(s.Path, s.Err)
	}
	if binding.Field != "project_id" || !readers.Hex(binding.Got, 32) {
		return ""
	}
	name, err := filepath.Rel(v.Project.StateDir, s.Path)
	if err != nil {
		return ""
	}
	if filepath.Base(filepath.Dir(name)) != "conversations" {
		name = filepath.Dir(name) // A session and a run have a folder.
	}
	here, there := v.path(name), filepath.Join(filepath.Dir(v.Project.StateDir), binding.Got, name)
	if exists(there) {
		return "diff -r " + quote(here) + " " + quote(there) + " && rm -r " + quote(here)
	}
	return under(there, "-m 700 ") + "mv " + quote(here) + " " + quote(there)
}
