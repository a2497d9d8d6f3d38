package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	ours "github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// marker looks whether the marker is the project's own: untracked, ignored,
// and no link to another's.
func (v *visit) marker() {
	file, folder := v.file(project.MarkerFile), v.file(path.Dir(project.MarkerFile))
	if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		v.linkedFolder(folder, file)
		return // Git looks at nothing behind it.
	}
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		v.otherMarker(file, kind(info.Mode()), away(file), restored(file, file))
	}
	tree := v.Project.Tree
	tracked, err := tree.Tracks(v.ctx, project.MarkerFile)
	exposed, also := tree.Exposed(v.ctx, project.MarkerFile)
	switch err := errors.Join(err, also); {
	case err != nil:
		v.add("marker", file, err.Error(), "")
	case tracked:
		v.trackedMarker(file)
	case exposed:
		v.add("marker", file, "git does not ignore it, so that it is soon committed", v.ignoring())
	}
	if err == nil && !tracked {
		v.newMarker(file)
	}
}

// ignoring is the command that has git ignore the marker. Git follows no link
// in the place of a list.
func (v *visit) ignoring() string {
	list := v.file(ours.IgnoreFile)
	info, err := os.Lstat(list)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "stint init"
	case err == nil && !info.Mode().IsRegular():
		return away(list) + " && stint init"
	}
	return appendLine("project.json", list)
}

// linkedFolder names a link in the place of .stint. Its mend takes over the
// marker that it leads to, where that is this repository's.
func (v *visit) linkedFolder(folder, file string) {
	fix := away(folder)
	if tracked, err := v.Project.Tree.Tracks(v.ctx, path.Dir(project.MarkerFile)); err == nil && tracked {
		fix = v.in() + " rm -f --cached " + path.Dir(project.MarkerFile) + " && " + fix
	}
	back := restored(file, file)
	if back != "" {
		back = "mkdir " + quote(folder) + " && " + back + " && stint init"
	}
	v.otherMarker(folder, "a symlink", fix, back)
}

// otherMarker names what is in the place of the marker. Away takes it away, and
// back puts the marker that it leads to there.
func (v *visit) otherMarker(at, what, away, back string) {
	b := v.behind(v.file(project.MarkerFile))
	if back == "" || !b.ours() {
		back = v.anew()
	}
	fix := away
	if fix != "" {
		fix += " && " + back + v.first()
	}
	v.add("marker", at, "it is "+what+", so the project's id is that of the path, and its sessions are not found once the repository is moved"+b.hidden(), fix)
}

// trackedMarker tells a marker that came with a clone from the repository's
// own, which is to stay.
func (v *visit) trackedMarker(file string) {
	fix := v.in() + " rm -f --cached " + project.MarkerFile
	b := v.behind(file)
	if b != nil && b.of != "" {
		fix += " && rm " + quote(file) + " && stint init"
	}
	v.add("marker", file, "git tracks it, so every clone would share it, and the project's id is that of the path"+b.hidden(), fix+v.first())
}

// in is a git at the top of the main work tree.
func (v *visit) in() string { return "git -C " + quote(v.Project.Tree.Dir) }

// restored puts the file that a link leads to in the place of the link, which is
// gone by then.
func restored(link, place string) string {
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return ""
	}
	return "cp " + quote(real) + " " + quote(place)
}

// first is what to think of before the project gets another id: what goes by
// the one that it has is not seen any more.
func (v *visit) first() string { return v.before("the path") }

func (v *visit) before(by string) string {
	k := look(v.Project.StateDir)
	if k.sessions+k.runs == 0 {
		return ""
	}
	return " # first close and apply what goes by " + by + ", " + k.String() + ", since that is not seen then"
}

// kept is what waits for somebody in a project's state folder.
type kept struct {
	dir      string
	of       string // the repository of its sessions, if it is not this one
	here     bool   // a session, also a closed one, is of this repository
	sessions int    // that are not closed
	runs     int    // that are neither applied nor discarded
}

// look counts the documents of a state folder. One that does not read tells
// nothing.
func look(dir string) *kept {
	k := &kept{dir: dir}
	docs := os.DirFS(dir)
	for _, id := range names(docs, "sessions") {
		if d, err := doc.Read(docs, id); err == nil && d.State != doc.Closed {
			k.sessions++
		}
	}
	for _, id := range names(docs, "runs") {
		m, err := manifest.Read(docs, id)
		if err == nil && !slices.Contains([]manifest.State{manifest.Applied, manifest.Discarded}, m.State) {
			k.runs++
		}
	}
	return k
}

// repository looks whose the sessions of a state folder are.
func (k *kept) repository(dir string) {
	docs := os.DirFS(k.dir)
	for _, id := range names(docs, "sessions") {
		d, err := doc.Read(docs, id)
		switch {
		case err != nil:
		case d.Paths.Repository == dir:
			k.here = true
		default:
			k.of = d.Paths.Repository
		}
	}
	if k.here {
		k.of = ""
	}
}

func names(fsys fs.FS, folder string) []string {
	var all []string
	entries, _ := fs.ReadDir(fsys, folder)
	for _, e := range entries {
		if readers.ID(e.Name()) {
			all = append(all, e.Name())
		}
	}
	return all
}

// behind is the project that a marker is of which does not count, nil where
// there is no such marker.
func (v *visit) behind(file string) *kept {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil
	}
	b, err := readers.File(os.DirFS(filepath.Dir(real)), filepath.Base(real))
	if err != nil {
		return nil
	}
	m, err := project.ParseMarker(real, b)
	if err != nil {
		return nil
	}
	k := look(filepath.Join(filepath.Dir(v.Project.StateDir), m.ProjectID))
	k.repository(v.Project.Tree.Dir)
	return k
}

// ours tells whether the marker is known to be this repository's, and not one
// that two would have then.
func (k *kept) ours() bool { return k != nil && (k.here || k.of == "" && k.runs > 0) }

// hidden says what is not seen since a marker does not count.
func (k *kept) hidden() string {
	switch {
	case k == nil:
		return ""
	case k.of != "":
		return "; the marker is that of " + k.of
	case k.sessions+k.runs == 0:
		return ""
	}
	return "; " + k.String() + " in " + k.dir + " go by the marker, and are not seen as long as that is so"
}

func (k *kept) String() string {
	sessions, runs := text.Count(k.sessions, "session")+" not closed", text.Count(k.runs, "run")+" neither applied nor discarded"
	switch {
	case k.runs == 0:
		return sessions
	case k.sessions == 0:
		return runs
	}
	return fmt.Sprintf("%s and %s", sessions, runs)
}
