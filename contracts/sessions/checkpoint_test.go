package sessions_test

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
)

// objects are git's, whose times it renews where it would have to write one
// that is there.
const objects = "project/.git/objects/*/*"

// The work in a thawed worktree is saved, whatever state left it there.
func TestCheckpoint(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !some(t, f, made.works) {
			return
		}
		th := thaw(t, f)
		r, dir := stint(t, f, th), state(t, th)
		for _, s := range script(t, f) {
			if s.work == nil {
				continue
			}
			of := s.said(t, f)
			if s.index == "" {
				_, err := r.Checkpoint(t.Context(), of.ID)
				f.Equal(t, "r7.nothing", errors.Is(err, artifact.ErrNothing), true)
				f.Unchanged(t, objects)
			}
			work := maps.Clone(s.work)
			work["saved.md"] = "saved\n"
			require.NoError(t, os.WriteFile(path.Join(of.Worktree, "saved.md"), []byte(work["saved.md"]), 0o644))
			f.Settle(t)

			m, err := r.Checkpoint(t.Context(), of.ID)
			if err != nil {
				f.Equal(t, "r7.checkpoint", named(err), "none")
				continue
			}
			run := path.Join(dir, "runs", m.ID)
			b, err := os.ReadFile(th.Path(run + "/manifest.json"))
			require.NoError(t, err)
			now := later(f).UTC().Format(layout)
			f.Equal(t, "r7.checkpoint", parse[printedRun](t, m.ID, b).said(t), saidRun{
				ID: m.ID, Project: of.Project, Kind: "checkpoint", Session: of.ID, State: "pending", Revision: 1,
				Harness: "codex", Conversation: cmp.Or(of.Conversation, m.Conversation),
				Root: of.Worktree, Base: of.Base, Fingerprint: of.Fingerprint, Files: saved(tell(t, f).base, work),
				PatchSHA256: m.PatchSHA256, PatchSize: m.PatchSize, Created: now, Updated: now,
			})
			f.Unchanged(t, dir+"/runs", dir+"/runs/*", run+"/*", dir+"/conversations", dir+"/conversations/*", objects)
			c, err := r.Conversations.Get(m.Conversation)
			require.NoError(t, err)
			f.Equal(t, "r7.conversation", []string{c.Session, c.Runs[len(c.Runs)-1]}, []string{of.ID, m.ID})
			f.CheckSum(t, "r7.patch", run+"/changes.patch", m.PatchSHA256)
			tree := r.Project.Tree
			tree.Dir = of.Worktree
			f.Equal(t, "r7.patch", tree.Do(t.Context(), "apply", "--check", "--reverse", th.Path(run+"/changes.patch")), error(nil))
		}
	})
}

// Without its worktree, nothing can be saved, and nothing is taken for it.
func TestCheckpointRefused(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		r := stint(t, f, th)
		for _, s := range script(t, f) {
			of := s.said(t, f)
			refused := func(id, want string) {
				t.Helper()
				f.Settle(t)
				_, err := r.Checkpoint(t.Context(), of.ID)
				f.Equal(t, id, saying(err, want), want)
				f.Unchanged(t)
			}
			if s.State == "closed" {
				refused("r7.refused.closed", "it is closed, and its worktree is gone")
				continue
			}
			require.NoError(t, os.RemoveAll(of.Worktree))
			refused("r7.refused.missing", "no worktree to save")
			require.NoError(t, os.Mkdir(of.Worktree, 0o700))
			require.NoError(t, os.WriteFile(path.Join(of.Worktree, "notes.md"), nil, 0o600))
			refused("r7.refused.folder", "no worktree to save")
			require.NoError(t, os.RemoveAll(of.Worktree))
			require.NoError(t, os.Symlink(th.Path("project"), of.Worktree))
			refused("r7.refused.symlink", "no worktree to save")
		}
	})
}
