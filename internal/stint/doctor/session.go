package doctor

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// unsettled names the sessions and the turns that were cut off.
func (v *visit) unsettled() {
	for _, d := range v.sessions {
		if runner.Unsettled(d.State) && !v.busy(path.Join(path.Dir(doc.File(d.ID)), "lock")) {
			why := "it is " + string(d.State)
			if d.Failure != "" {
				why += ": " + d.Failure
			}
			v.add("session", d.ID, why, "stint session recover "+d.ID)
		}
	}
	off, err := v.CutOff()
	if err != nil && !v.unlisted { // What cannot be listed is named already.
		v.add("run", v.path("runs"), err.Error(), "stint runs recover")
	}
	for _, m := range off {
		if was := v.former(m.Root); was != "" {
			v.once("repository", v.Project.Tree.Dir, "the workspace of run "+m.ID+" is of it in another place, "+was, v.back(was))
			continue
		}
		v.add("run", m.ID, "it was cut off, or its workspace was left", "stint runs recover "+m.ID)
	}
}

// former is the repository that a worktree was made in, where that is not this
// one: git in it finds none, and nobody can judge what is in there.
func (v *visit) former(worktree string) string {
	b, err := readers.File(os.DirFS(worktree), ".git")
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSuffix(string(b), "\n"), "gitdir: ")
	at := strings.LastIndex(dir, "/.git/worktrees/")
	if !ok || at < 0 || dir[:at] == v.Project.Tree.Dir {
		return ""
	}
	return dir[:at]
}

// open are the sessions that are to have a worktree and a pane.
func (v *visit) open() []*doc.Document {
	return slices.DeleteFunc(slices.Clone(v.sessions), func(d *doc.Document) bool { return d.State != doc.Open })
}

// worktrees holds git's list and the workspaces against the documents.
func (v *visit) worktrees() error {
	all, err := v.Project.Tree.Worktrees(v.ctx)
	if err != nil {
		return err
	}
	listed := make(map[string]bool)
	for _, w := range all {
		listed[w.Dir] = true
	}
	for _, d := range v.open() {
		at := d.Paths.Worktree
		switch {
		case !exists(at):
			v.add("session", d.ID, "it is open, and its worktree "+at+" is gone", "stint session close "+d.ID)
		case !listed[at]:
			v.add("session", d.ID, "it is open, and git does not list its worktree "+at, "mv "+quote(at)+" "+quote(at+".kept")+" && stint session close "+d.ID)
		}
	}
	if v.unlisted {
		return nil // Any of the others may be a session's.
	}
	known := v.workspaces()
	for _, w := range all {
		if id, ok := v.workspace(w.Dir); ok && !known[id] {
			known[id] = true // It is named once.
			v.add("worktree", w.Dir, "git lists it, and no session or run has it", "git -C "+quote(v.Project.Tree.Dir)+" worktree remove "+quote(w.Dir))
		}
	}
	for _, dir := range v.glob("workspaces/*") {
		if !known[path.Base(dir)] {
			v.add("workspace", v.path(dir), "no session or run has it", "rm -ri "+quote(v.path(dir)))
		}
	}
	return nil
}

// workspaces are the ids whose workspaces somebody has. What a document says
// that does not read is not known, so it has its own.
func (v *visit) workspaces() map[string]bool {
	known := make(map[string]bool)
	for _, s := range v.skipped {
		known[filepath.Base(filepath.Dir(s.Path))] = true
	}
	for _, d := range v.sessions {
		if d.State != doc.Closed {
			known[d.ID] = true
		}
	}
	runs, _, _ := v.Runs.Manifests()
	for _, m := range runs {
		if m.Kind == manifest.Turn {
			known[filepath.Base(filepath.Dir(m.Root))] = true
		}
	}
	return known
}

// workspace is the id in whose workspace dir is.
func (v *visit) workspace(dir string) (string, bool) {
	rest, ok := strings.CutPrefix(dir, v.path("workspaces")+string(filepath.Separator))
	id, _, _ := strings.Cut(rest, string(filepath.Separator))
	return id, ok
}

// panes asks each tmux server that a session is on, and the one that the next
// would be on.
func (v *visit) panes() {
	if v.noTmux {
		return
	}
	has := make(map[string]bool) // ids with a pane, and sockets that do not answer
	for _, s := range v.servers() {
		socket := s.socket
		if s.err != nil {
			has[socket] = true
			v.mute(s)
		}
		for _, p := range s.panes {
			id, ok := v.workspace(p.Start)
			if !ok || p.Mark != id {
				continue
			}
			if has[id] = true; !v.lives(id) {
				v.add("tmux session", p.Session, "stint made it for session "+id+", which is closed or has no document", "tmux -S "+quote(socket)+" kill-session -t "+quote("="+p.Session))
			}
		}
	}
	for _, d := range v.open() {
		if !has[d.ID] && !has[d.Tmux.Socket] {
			v.add("session", d.ID, "it is open, and tmux has no pane of it", "stint session close "+d.ID)
		}
	}
}

// lives tells whether a session is not closed, as far as its document is known.
func (v *visit) lives(id string) bool {
	if v.unlisted {
		return true
	}
	i := slices.IndexFunc(v.sessions, func(d *doc.Document) bool { return d.ID == id })
	if i < 0 {
		return exists(v.path(doc.File(id)))
	}
	return v.sessions[i].State != doc.Closed
}
