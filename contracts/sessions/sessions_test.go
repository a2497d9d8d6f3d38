// Package sessions_test reads back the sessions that every release left, in
// each state: rows 4 to 9 of the contract, and what row 19 asks of a session
// document. No tmux server is needed: what tmux would say is made by hand from
// what the scenario did.
package sessions_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/contracts/byhand"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	config "github.com/freeze-contracts/permafrost/readers/project"
)

// This is the one suite that owns the family sessions.
func TestMain(m *testing.M) {
	contracts.Main(m, "sessions", contracts.Promises("../../docs/persisted-contracts.md"))
}

// projects is where stint keeps the state of projects, a folder for each.
const projects = "home/.local/state/stint/projects"

// env is all that today's code learns of its surroundings.
func env(th *contracts.Thawed) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + th.Path("home"), "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + th.Dir}
}

// each looks at every fixture of the family. What Tampering plays must not be
// parallel by itself.
func each(t *testing.T, fn func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed)) {
	t.Helper()
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		fn(t, f, look(t, f))
	})
}

// eachLeft looks at every fixture as it was left.
func eachLeft(t *testing.T, fn func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed)) {
	t.Helper()
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		fn(t, f, f.Look(t, fingerprint))
	})
}

// thaw and look are those of the fixture, and of a repository that was renamed
// once it is where it was: then its sessions are as any others. TestRenamed has
// it as it was left.
func thaw(t *testing.T, f *contracts.Fixture, opts ...contracts.Option) *contracts.Thawed {
	t.Helper()
	th := f.Thaw(t, append(opts, fingerprint)...)
	if to := tell(t, f).renamed; to != "" {
		require.NoError(t, os.Remove(th.Path("project")))
		require.NoError(t, os.Rename(th.Path(to), th.Path("project")))
		f.Settle(t)
	}
	return th
}

func look(t *testing.T, f *contracts.Fixture) *contracts.Thawed {
	t.Helper()
	if tell(t, f).renamed != "" {
		return thaw(t, f)
	}
	return f.Look(t, fingerprint)
}

// repository is where it was left, by its path in the box.
func (s story) repository() string { return cmp.Or(s.renamed, "project") }

// some says whether the script made a session like that. Where it did not, a
// test of such sessions needs no thaw, which is most of its work.
func some(t *testing.T, f *contracts.Fixture, like func(made) bool) bool {
	t.Helper()
	return slices.ContainsFunc(script(t, f), like)
}

// fingerprint is that of a repository whose path, HEAD and status are known.
var fingerprint = contracts.Derive("fingerprint", byhand.Fingerprint)

// state is the box-relative path of the project's state folder.
func state(t *testing.T, th *contracts.Thawed) string {
	t.Helper()
	ids, err := os.ReadDir(th.Path(projects))
	require.NoError(t, err)
	require.Len(t, ids, 1, "projects")
	return path.Join(projects, ids[0].Name())
}

// workspace is the box-relative path of a session's worktree and run root.
func workspace(t *testing.T, th *contracts.Thawed, id string) string {
	t.Helper()
	return path.Join(state(t, th), "workspaces", id)
}

// later is the pinned clock: after all that the release did, to the
// millisecond.
func later(f *contracts.Fixture) time.Time {
	return f.To.Add(time.Hour).Truncate(time.Second).Add(7 * time.Millisecond)
}

// stint is today's, on the thawed project, with the panes that the scenario
// left. What it reads of documents is recorded.
func stint(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) *runner.Runner {
	t.Helper()
	return stintIn(t, f, th, "project")
}

// stintIn is the same where the repository lies elsewhere in the box.
func stintIn(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, repository string) *runner.Runner {
	t.Helper()
	dir := state(t, th)
	p := &project.Project{Tree: git.Tree{Dir: th.Path(repository), Env: env(th)}, ID: path.Base(dir), StateDir: th.Path(dir), Config: new(config.Config)}
	r, err := runner.New(p, env(th), func() time.Time { return later(f) })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	r.Sessions.Docs, r.Runs.Docs, r.Conversations.Docs = th.FS(t, dir), th.FS(t, dir), th.FS(t, dir)
	var panes []tmux.Marked
	for _, s := range script(t, f) {
		if s.Live != "absent" {
			panes = append(panes, s.pane(s.said(t, f)))
		}
	}
	r.Sessions.Panes = answering(th, panes)
	return r
}

// undated is such a one that takes no session for stale or fresh: what git would
// say of each is TestStale's, and most of the work.
func undated(t *testing.T, f *contracts.Fixture, th *contracts.Thawed) *runner.Runner {
	t.Helper()
	r := stint(t, f, th)
	r.Sessions.Fingerprint = func(context.Context, string) (string, error) { return "", nil }
	return r
}

// answering is a tmux with these panes on the box's own socket, and no server
// on any other.
func answering(th *contracts.Thawed, panes []tmux.Marked) func(context.Context, string) ([]tmux.Marked, error) {
	return func(_ context.Context, socket string) ([]tmux.Marked, error) {
		if socket != th.Path("s") {
			return nil, nil
		}
		return panes, nil
	}
}

// nobody is a socket without a server, and mute one that does not answer.
func nobody(context.Context, string) ([]tmux.Marked, error) { return nil, nil }
func mute(context.Context, string) ([]tmux.Marked, error) {
	return nil, errors.New("server exited unexpectedly")
}

// named gives an error the name by which callers tell it. Of what does not read
// it is that of the value, wherever a schema has it, and a dot for the whole.
func named(err error) string {
	var corrupt *readers.CorruptError
	var newer *readers.NewerError
	var binding *readers.BindingError
	var unsaved *runner.UnsavedError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &newer) && errors.Is(err, readers.ErrNewer):
		return fmt.Sprintf("newer: %d", newer.Schema)
	case errors.As(err, &corrupt):
		return "corrupt at " + path.Base(corrupt.Pointer)
	case errors.As(err, &binding):
		return "bound elsewhere: " + binding.Field
	case errors.As(err, &unsaved):
		return fmt.Sprintf("unsaved: %v", kinds(unsaved.Losses))
	case errors.Is(err, readers.ErrTooLarge):
		return "too large"
	case errors.Is(err, readers.ErrNotRegular):
		return "not regular"
	case errors.Is(err, fs.ErrPermission):
		return "permission"
	}
	return "unnamed: " + err.Error()
}

func kinds(losses []runner.Loss) []runner.Kind {
	var all []runner.Kind
	for _, l := range losses {
		all = append(all, l.Kind)
	}
	return all
}

// saying is the part if the error says it, and all of the error if not.
func saying(err error, part string) string {
	if err != nil && strings.Contains(err.Error(), part) {
		return part
	}
	return fmt.Sprintf("error: %v", err)
}
