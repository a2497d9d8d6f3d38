package sessions_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	config "github.com/freeze-contracts/permafrost/readers/project"
)

// bindings are the fields by which a document belongs to its place, and how
// one is made to belong elsewhere.
var bindings = []struct{ name, field, pattern, to string }{
	{"project", "project_id", `"project_id": "\w+"`, `"project_id": "00112233445566778899aabbccddeeff"`},
	{"repository", "repository", `("repository": "[^"]*)"`, `${1}s"`},
	{"workspace-root", "workspace_root", `("workspace_root": "[^"]*)/workspaces/`, `${1}/other/`},
	{"worktree", "worktree", `("worktree": "[^"]*)/worktree"`, `${1}tree"`},
	{"run-root", "run_root", `("run_root": "[^"]*)/workspaces/\w+/run"`, `${1}/run"`},
	{"branch", "branch", `"branch": "[^"]*"`, `"branch": "main"`},
	{"tmux-name", "tmux session", `("(tmux_)?session": "[^"]*)"`, `${1}0"`},
	{"tmux-id", "tmux session", `(?s)\A(.*"id": "(\w+)".*"session": ").*?"`, `${1}stint-${2}"`},
	{"work-item", "tmux session", `"work_item": "[^"]*"`, `"work_item": "github:octo/other#15"`},
	{"standing", "tmux session", `"standing": "[^"]*"`, `"standing": "writer"`},
}

// ofPurpose are those by which a document belongs to what its session is for.
var ofPurpose = map[string]func(purpose) bool{
	"tmux-id":   func(p purpose) bool { return p.Tmux != "" },
	"work-item": func(p purpose) bool { return p.WorkItem != "" },
	"standing":  func(p purpose) bool { return p.Standing != "" },
}

// bound are the ids of what is asserted of one, by row.
var bound = map[string]string{
	"r4": "r4.bound.", "r5": "r5.refused.", "r6": "r6.refused.", "r7": "r7.refused.", "r8": "r8.refused.", "r9": "r9.refused.",
}

// A document that belongs elsewhere is skipped, and nothing is done by it.
func TestBound(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		ids := neighbour(t, f, th)
		r := stint(t, f, th)
		f.Settle(t)
		for _, s := range script(t, f) {
			id := s.said(t, f).ID
			name, frozen := th.Path(documentOf(t, th, id)), stored(t, th, id)
			r.Sessions.Panes = answering(th, []tmux.Marked{s.pane(s.said(t, f))})
			for _, b := range bindings {
				if of := ofPurpose[b.name]; of != nil && !of(s.purpose) {
					continue
				}
				spoiled := spoil(t, frozen, b.pattern, b.to)
				require.NoError(t, os.WriteFile(name, spoiled, 0o600))
				refusedEverywhere(t, f, r, ids, id, "bound elsewhere: "+b.field, func(row, _ string) string { return bound[row] + b.name })
				f.Equal(t, "r4.bound."+b.name+".bytes", content(t, name), string(spoiled))
			}
			// The other name that it may have, where another project took the first.
			more := spoil(t, frozen, `("(tmux_)?session": "[^"]*)"`, `${1}-`+r.Project.ID[:8]+`"`)
			require.NoError(t, os.WriteFile(name, more, 0o600))
			_, err := r.Sessions.Get(id)
			f.Equal(t, "r4.bound.other-name", named(err), "none")
			require.NoError(t, os.WriteFile(name, frozen, 0o600))
			f.Unchanged(t, documentOf(t, th, id))
			f.Settle(t)
		}
	})
}

// other is the id of a session beside those of the fixture.
const other = "0a0b0c0d0e0f"

// neighbour puts its document there. It returns the ids of all that are there then.
func neighbour(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) (ids []string) {
	t.Helper()
	for _, s := range all(t, f) {
		ids = append(ids, s.ID)
	}
	id := ids[0]
	b := bytes.ReplaceAll(stored(t, th, id), []byte(id), []byte(other))
	name := th.Path(documentOf(t, th, other))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, b, 0o600))
	return append(ids, other)
}

// refusedEverywhere asserts by what name one session of those with the ids is
// refused by all that is done with one, and that the other ones are still listed.
func refusedEverywhere(t *testing.T, f *contracts.Fixture, r *runner.Runner, ids []string, id, want string, assert func(row, what string) string) {
	t.Helper()
	docs, skipped, err := r.Sessions.Documents()
	f.Equal(t, assert("r4", "documents"), named(err), "none")
	listed := []string{}
	for _, d := range docs {
		listed = append(listed, d.ID)
	}
	others := slices.DeleteFunc(slices.Clone(ids), func(one string) bool { return one == id })
	slices.Sort(listed)
	slices.Sort(others)
	name := path.Join(r.Project.StateDir, "sessions", id, "session.json")
	f.Equal(t, assert("r4", "skipped"), refusals(skipped), map[string]string{name: want})
	f.Equal(t, assert("r4", "others"), listed, others)
	_, err = r.Sessions.Get(id)
	f.Equal(t, assert("r5", "show"), named(err), want)
	_, err = r.Attach(t.Context(), id, false)
	f.Equal(t, assert("r6", "attach"), named(err), want)
	_, err = r.Checkpoint(t.Context(), id)
	f.Equal(t, assert("r7", "checkpoint"), named(err), want)
	_, err = r.CloseSession(t.Context(), id, runner.Kinds())
	f.Equal(t, assert("r8", "close"), named(err), want)
	_, err = r.Recover(t.Context(), id)
	f.Equal(t, assert("r9", "recover"), named(err), want)
}

func refusals(skipped []document.Skipped) map[string]string {
	all := make(map[string]string)
	for _, s := range skipped {
		all[s.Path] = named(s.Err)
	}
	return all
}

// Where the repository, the state or the project is not what it was, all of
// its sessions belong elsewhere.
func TestMoved(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		dir := th.Path(state(t, th))
		for _, m := range []struct {
			name, want string
			move       func(t *testing.T, p *project.Project) (back func())
		}{
			{"repository", "repository", func(t *testing.T, p *project.Project) func() { return move(t, &p.Tree.Dir, "moved") }},
			{"state", "workspace_root", func(t *testing.T, p *project.Project) func() { return move(t, &p.StateDir, p.ID+"-moved") }},
			{"project", "project_id", func(t *testing.T, p *project.Project) func() {
				p.ID = "00112233445566778899aabbccddeeff"
				return func() {}
			}},
		} {
			p := &project.Project{Tree: git.Tree{Dir: th.Path("project"), Env: env(th)}, ID: filepath.Base(dir), StateDir: dir, Config: new(config.Config)}
			back := m.move(t, p)
			r, err := runner.New(p, env(th), f.To.UTC)
			require.NoError(t, err)
			r.Sessions.Panes = nobody
			_, skipped, err := r.Sessions.Documents()
			require.NoError(t, err)
			f.Equal(t, "r4.moved."+m.name, len(skipped), len(script(t, f)))
			for _, s := range script(t, f) {
				id := s.said(t, f).ID
				_, err := r.Checkpoint(t.Context(), id)
				f.Equal(t, "r7.moved."+m.name, named(err), "bound elsewhere: "+m.want)
				_, err = r.CloseSession(t.Context(), id, runner.Kinds())
				f.Equal(t, "r8.moved."+m.name, named(err), "bound elsewhere: "+m.want)
			}
			if m.name == "repository" && some(t, f, func(s made) bool { return s.State != "closed" }) {
				r.Sessions.Panes, p.Config.Tmux.Socket = mute, th.Path("s") // so that no session is opened in any case
				_, err := r.Open(t.Context(), runner.OpenOptions{Harness: "sh"})
				f.Equal(t, "r4.moved.open", saying(err, ofAnotherPlace), ofAnotherPlace)
			}
			require.NoError(t, r.Close())
			back()
			f.Unchanged(t)
		}
	})
}

// ofAnotherPlace is why no session is opened beside such ones.
const ofAnotherPlace = "the project has sessions, not closed, of another place"

// A second session for the same work item or under the same standing name is
// not opened, whatever release opened the first; nor is one for a work item that
// tmux would know by the same name.
func TestOpenRefused(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !some(t, f, made.isFor) {
			return
		}
		th := thaw(t, f)
		r := stint(t, f, th)
		r.Sessions.Panes, r.Project.Config.Tmux.Socket = mute, th.Path("s") // so that none is opened in any case
		refused := func(id, want string, o runner.OpenOptions) {
			t.Helper()
			o.Harness = "sh"
			_, err := r.Open(t.Context(), o)
			f.Equal(t, id, saying(err, want), want)
			f.Unchanged(t)
		}
		for _, s := range script(t, f) {
			if !s.isFor() {
				continue
			}
			id := s.said(t, f).ID
			open := fmt.Sprintf("session %q is open for it", id)
			if s.Standing != "" {
				refused("r4.one.standing", open, runner.OpenOptions{Standing: s.Standing})
				continue
			}
			refused("r4.one.work-item", open, runner.OpenOptions{WorkItem: s.WorkItem})
			// The hyphen is the owner's here and the repository's there.
			refused("r4.one.name", fmt.Sprintf("session %q is for %q, and tmux has one name for both", id, s.WorkItem),
				runner.OpenOptions{WorkItem: "github:octo-re/po#15"})
		}
	})
}

// isFor says whether it is not closed, and for a work item or of a standing name.
func (m made) isFor() bool { return m.State != "closed" && m.WorkItem+m.Standing != "" }

// move gives a folder another name, until it is moved back.
func move(t *testing.T, dir *string, name string) (back func()) {
	t.Helper()
	from, to := *dir, filepath.Join(filepath.Dir(*dir), name)
	require.NoError(t, os.Rename(from, to))
	*dir = to
	return func() { require.NoError(t, os.Rename(to, from)) }
}
