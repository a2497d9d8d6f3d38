package doctor

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// leftovers names what a killed command had on its way. Each goes by itself
// when the next command of its kind comes by.
func (v *visit) leftovers() {
	if !v.busy("apply.lock") {
		v.left("scratch", "rm -rf")
		v.applying()
	}
	unmade, lost, _ := v.Unmade() // What cannot be listed is named already.
	for _, of := range []string{"sessions/*", "runs/*"} {
		for _, dir := range v.glob(of) {
			if !slices.Contains(unmade, path.Base(dir)) && !v.busy(dir+"/lock") && !v.busy(dir+"/running.lock") {
				v.left(dir+"/scratch", "rm -rf")
				v.left(dir+"/.*.new", "rm")
			}
		}
	}
	for _, name := range v.glob("conversations/.*.new") {
		id := strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "."), ".json.new")
		if !v.busy("conversations/" + id + ".lock") {
			v.left(name, "rm")
		}
	}
	for _, id := range unmade {
		v.add("leftover", v.path("runs/"+id), "a command that was killed left it, and no run came of it", "stint runs recover")
	}
	for _, id := range lost {
		v.add("document", v.path(artifact.ManifestFile(id)), "it is gone, and the patch beside it may be all that is left of the work of its run", "rm -ri "+quote(v.path("runs/"+id))+" # once what you want of changes.patch in it is taken, by git apply")
	}
	for _, name := range v.glob("runs/.pruned-*") {
		v.add("leftover", v.path(name), "a command that was killed left it", "stint runs prune")
	}
}

// applying names a run whose apply was killed, which the next apply finishes,
// unless it was decided on.
func (v *visit) applying() {
	unfinished := false
	for _, name := range v.glob("runs/*/applying") {
		id := path.Base(path.Dir(name))
		m, err := v.Runs.Get(id)
		if err == nil && (m.State == artifact.Applied || m.State == artifact.Discarded) {
			v.left(name, "rm")
			continue
		}
		unfinished = true
		v.add("run", id, "stint runs apply of it was killed", "stint runs apply "+id)
	}
	if stage := v.file(".stint/apply"); !unfinished && exists(stage) {
		v.add("leftover", stage, "a command that was killed left it", "rm -r "+quote(stage))
	}
}

func (v *visit) left(pattern, mend string) {
	for _, name := range v.glob(pattern) {
		v.add("leftover", v.path(name), "a command that was killed left it", mend+" "+quote(v.path(name)))
	}
}

// glob lists what is in the state folder, by names below it.
func (v *visit) glob(pattern string) []string {
	all, _ := fs.Glob(os.DirFS(v.Project.StateDir), pattern)
	return all
}
