package artifacts_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	projects "github.com/freeze-contracts/permafrost/readers/project"
)

// runner is today's, of the thawed project. What it reads of documents is
// recorded. That the project is found where it is, is asked of the commands.
func (p place) runner(t *testing.T) *runner.Runner {
	t.Helper()
	config, err := projects.ReadConfig(p.th.FS(t, "project"))
	require.NoError(t, err)
	found := &project.Project{Tree: p.main, ID: p.store.ProjectID, StateDir: p.store.StateDir, Config: config}
	r, err := runner.New(found, p.main.Env, p.now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	r.Sessions.Docs, r.Runs.Docs, r.Conversations.Docs = p.store.Docs, p.store.Docs, p.store.Docs
	return r
}

// continues is what comes of a next turn in what is named by an id.
func continues(t *testing.T, r *runner.Runner, id string) string {
	t.Helper()
	_, err := r.Continue(t.Context(), id, runner.TurnOptions{Prompt: "go on"})
	return refusal(err)
}

// No agent can continue a checkpoint, and there is nothing of it to recover.
func TestCheckpointIsNoTurn(t *testing.T) {
	checkpoint := func(s saved) bool { return s.kind == artifact.Checkpoint }
	each(t, checkpoint, func(t *testing.T, p place) {
		f, r := p.f, p.runner(t)
		f.Equal(t, "r12.continue", continues(t, r, p.run), fmt.Sprintf("run %q: it is a checkpoint, which no agent can continue", p.run))
		f.Unchanged(t)
		_, err := r.RecoverRuns(t.Context(), p.run, nil)
		f.Equal(t, "r12.recover", refusal(err), fmt.Sprintf("run %q: it is a checkpoint, of which there is nothing to recover", p.run))
		f.Unchanged(t)
		mended, err := r.RecoverRuns(t.Context(), "", nil)
		if f.Equal(t, "r12.recover.all", refusal(err), "none") {
			f.Equal(t, "r12.recover.skipped", len(mended.Runs)+len(mended.Running), 0)
		}
		f.Unchanged(t)
	})
}

func isTurn(s saved) bool { return s.kind == artifact.Turn }

// A turn of which the agent told no name is not continued, nor is a
// conversation of such turns, nor one that is closed, nor one with a turn that
// is not over or not saved.
func TestContinueRefused(t *testing.T) {
	each(t, isTurn, func(t *testing.T, p place) {
		f, r := p.f, p.runner(t)
		running := p.told.state == artifact.Running
		if running {
			f.Equal(t, "r12.continue.cut-off", continues(t, r, p.run),
				fmt.Sprintf("conversation %q: run %q of it was interrupted before its work was saved", p.talkID, p.run))
			f.Unchanged(t)
			lock := p.running(t)
			f.Equal(t, "r12.continue.running", continues(t, r, p.talkID), fmt.Sprintf("conversation %q: run %q of it is running", p.talkID, p.run))
			f.Unchanged(t)
			lock.Release()
		}
		p.edit(t, p.manifest(), `"provider_session": "[^"]+",\s*`, "")
		if !running {
			p.edit(t, p.talkFile(), `"provider_session": "[^"]+",\s*`, "")
			f.Settle(t)
			const nameless = "the agent told no name of the conversation, by which it could continue it"
			f.Equal(t, "r12.continue.nameless", continues(t, r, p.run), fmt.Sprintf("run %q: %s", p.run, nameless))
			f.Unchanged(t)
			f.Equal(t, "r12.continue.nameless", continues(t, r, p.talkID), fmt.Sprintf("conversation %q: %s", p.talkID, nameless))
			f.Unchanged(t)
		}
		_, _, err := r.CloseConversation(t.Context(), p.talkID)
		require.NoError(t, err)
		f.Settle(t)
		f.Equal(t, "r12.continue.closed", continues(t, r, p.talkID), fmt.Sprintf("conversation %q: it is closed", p.talkID))
		f.Unchanged(t)
	})
}

// running takes the lock that a turn's processes hold. It is asked for as long
// as git, called by a test beside this one, may have it in common with it.
func (p place) running(t *testing.T) *document.Lock {
	t.Helper()
	lock, err := document.Acquire(t.Context(), p.th.Path(p.folder()+"/running.lock"), document.Patience)
	require.NoError(t, err)
	return lock
}

// edit changes the one place of a file in the box that matches.
func (p place) edit(t *testing.T, box, pattern, to string) {
	t.Helper()
	b, err := os.ReadFile(p.th.Path(box))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(p.th.Path(box), editing(pattern, to)(t, b), 0o600))
}

// Recover saves what a turn that was cut off had done, notes by which name the
// agent knows the conversation, and removes the worktree. What is over it
// leaves alone.
func TestRecover(t *testing.T) {
	each(t, isTurn, func(t *testing.T, p place) {
		f, r := p.f, p.runner(t)
		if p.told.state == artifact.Running {
			p.checkRecovered(t, r)
			f.Settle(t)
		}
		mended, err := r.RecoverRuns(t.Context(), "", nil)
		f.Equal(t, "r12.recover.over", refusal(err), "none")
		f.Equal(t, "r12.recover.over", len(mended.Runs)+len(mended.Running), 0)
		f.Unchanged(t)
	})
}

// As long as a process of a turn is left, recover leaves it alone.
func TestRecoverRunning(t *testing.T) {
	each(t, in(artifact.Running), func(t *testing.T, p place) {
		r, lock := p.runner(t), p.running(t)
		defer lock.Release()
		for _, id := range []string{p.run, ""} {
			mended, err := r.RecoverRuns(t.Context(), id, nil)
			require.NoError(t, err)
			// Whoever holds the lock here is no program of the turn: none is named.
			p.f.Equal(t, "r12.recover.running", mended.Running, []runner.Ongoing{{Manifest: p.said(t)}})
			p.f.Equal(t, "r12.recover.running", len(mended.Runs), 0)
			p.f.Unchanged(t)
		}
	})
}

// checkRecovered recovers the run that is said to be running.
func (p place) checkRecovered(t *testing.T, r *runner.Runner) {
	t.Helper()
	f, want, talk := p.f, p.said(t), p.wrote(t)
	p.told.work, p.told.patch = done, added("work", "done")
	want.State, want.Revision, want.UpdatedAt, want.FinishedAt = artifact.Interrupted, want.Revision+1, p.at(), p.at()
	want.Files, want.PatchSHA256, want.PatchSize = p.changes(), p.told.patchSum(), int64(len(p.told.patch))
	talk.ProviderSession, talk.Revision, talk.UpdatedAt = want.ProviderSession, talk.Revision+1, p.at()
	mended, err := r.RecoverRuns(t.Context(), "", nil)
	if !f.Equal(t, "r12.recover.turn", refusal(err), "none") {
		return
	}
	require.Len(t, mended.Runs, 1)
	f.Equal(t, "r12.recover.turn", mended.Runs[0].Manifest, want)
	f.Equal(t, "r12.recover.kept", len(mended.Runs[0].Kept)+len(mended.Runs[0].Discarded), 0)
	stored, _ := p.stored(t)
	f.Equal(t, "r12.recover.stored", stored, want)
	f.Equal(t, "r12.recover.conversation", p.wrote(t), talk)
	f.CheckSum(t, "r12.recover.patch", p.patch(), p.told.patchSum())
	_, err = os.Lstat(p.th.Path(p.state + "/workspaces/" + p.run))
	f.Equal(t, "r12.recover.workspace", named(err), "missing")
	f.CheckGit(t, "r12.recover.git", "project", contracts.Git{
		Revisions: map[string]string{"HEAD^{tree}": p.whole(p.head).tree()},
		Status:    ignoredOwn, Reflog: p.commits, Worktrees: []string{p.main.Dir},
	})
	f.Unchanged(t, "project/.git/objects/*/*", p.folder(), p.folder()+"/*", p.folder()+"/scratch/*", p.folder()+"/scratch/objects/*", p.folder()+"/scratch/objects/*/*", p.talkFile(),
		p.state+"/workspaces", p.state+"/workspaces/*", p.state+"/workspaces/*/*", p.state+"/workspaces/*/*/*",
		"project/.git", "project/.git/worktrees", "project/.git/worktrees/*", "project/.git/worktrees/*/*", "project/.git/worktrees/*/logs/HEAD")
	_, done, err := p.store.Validate(t.Context(), p.main, want)
	f.Equal(t, "r12.recover.applies", refusal(err), "none")
	f.Equal(t, "r12.recover.applies", len(done), 0)
}

// What the release's own recover said is how it is.
func TestRecoverSaid(t *testing.T) {
	eachLooked(t, in(artifact.Interrupted), func(t *testing.T, p place) {
		for view, want := range map[string][]*artifact.Manifest{"recover": {p.get(t)}, "again": nil} {
			var answer struct {
				Recovered []struct {
					Run       run      `json:"run"`
					Kept      []string `json:"kept"`
					Discarded []string `json:"discarded"`
				} `json:"recovered"`
				Running []run `json:"running"`
			}
			p.decode(t, view, &answer)
			var got []*artifact.Manifest
			for _, r := range answer.Recovered {
				require.Empty(t, slices.Concat(r.Kept, r.Discarded))
				got = append(got, r.Run.manifest())
			}
			p.f.Equal(t, "r12.recover.said", got, want)
			p.f.Equal(t, "r12.recover.said", len(answer.Running), 0)
		}
	})
}

// Prune removes what was discarded, and what was applied only if it is told to.
func TestPrune(t *testing.T) {
	each(t, whatever, func(t *testing.T, p place) {
		f, r := p.f, p.runner(t)
		there := true
		for _, applied := range []bool{false, true} {
			goes := there && (p.told.state == artifact.Discarded || applied && p.told.state == artifact.Applied)
			pruned, err := r.PruneRuns(t.Context(), applied)
			if !f.Equal(t, "r14.prune", refusal(err), "none") {
				return
			}
			removed := slices.ContainsFunc(pruned.Removed, func(m *artifact.Manifest) bool { return m.ID == p.run })
			f.Equal(t, "r14.prune.removed", removed, goes)
			there = there && !goes
			_, err = p.store.Get(p.run)
			f.Equal(t, "r14.prune.left", named(err), map[bool]string{true: "none", false: "not found"}[there])
			if goes {
				f.Unchanged(t, p.folder(), p.folder()+"/*")
				f.Settle(t)
			}
		}
		if there && !slices.ContainsFunc(p.runs, func(s saved) bool { return s.state == artifact.Applied }) {
			f.Unchanged(t)
		}
	})
}

// What was discarded by the release is pruned by today's code, and what the
// release pruned it had discarded before.
func TestPruned(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !slices.Contains(f.Views(), "prune") {
			return
		}
		p := look(t, f)
		var answer struct {
			Removed []run `json:"removed"`
			Kept    []run `json:"kept"`
		}
		p.decode(t, "prune", &answer)
		require.Len(t, answer.Removed, 1)
		got, want := answer.Removed[0].manifest(), p.answered(t, "run")
		want.State, want.Revision, want.UpdatedAt, want.DiscardedAt = artifact.Discarded, want.Revision+1, got.DiscardedAt, got.DiscardedAt
		p.f.Equal(t, "r14.prune.said", got, want)
		p.f.Equal(t, "r14.prune.said", len(answer.Kept), 0)
		_, err := p.store.Get(got.ID)
		p.f.Equal(t, "r14.prune.gone", named(err), "not found")
		p.f.Equal(t, "r14.prune.conversation", p.wrote(t).Runs, []string{got.ID})
	})
}
