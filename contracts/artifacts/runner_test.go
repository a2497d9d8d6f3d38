package artifacts_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
)

// runner is today's, of the thawed project.
func (p place) runner(t *testing.T) *runner.Runner {
	t.Helper()
	found, err := project.Find(t.Context(), p.main.Env, p.main.Dir)
	require.NoError(t, err)
	r, err := runner.New(found, p.main.Env, p.now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// No agent can continue a checkpoint, and there is nothing of it to recover.
func TestCheckpointIsNoTurn(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		r := p.runner(t)
		_, err := r.Continue(t.Context(), p.run, runner.TurnOptions{Prompt: "go on"})
		f.Equal(t, "r12.continue", refusal(err), fmt.Sprintf("run %q: it is a checkpoint, which no agent can continue", p.run))
		f.Unchanged(t)
		_, err = r.RecoverRuns(t.Context(), p.run, nil)
		f.Equal(t, "r12.recover", refusal(err), fmt.Sprintf("run %q: it is a checkpoint, of which there is nothing to recover", p.run))
		f.Unchanged(t)
		mended, err := r.RecoverRuns(t.Context(), "", nil)
		if f.Equal(t, "r12.recover.all", refusal(err), "none") {
			f.Equal(t, "r12.recover.skipped", len(mended.Runs)+len(mended.Running), 0)
		}
		f.Unchanged(t)
	})
}

// Prune removes what was discarded, and what was applied only if it is told to.
func TestPrune(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		r := p.runner(t)
		there := true
		for _, applied := range []bool{false, true} {
			goes := there && (p.story.state == "discarded" || applied && p.story.state == "applied")
			pruned, err := r.PruneRuns(t.Context(), applied)
			if !f.Equal(t, "r14.prune", refusal(err), "none") {
				return
			}
			f.Equal(t, "r14.prune.removed", len(pruned.Removed) == 1, goes)
			there = there && !goes
			_, err = p.store.Get(p.run)
			f.Equal(t, "r14.prune.left", named(err), map[bool]string{true: "none", false: "not found"}[there])
			run := p.state + "/runs/" + p.run
			if goes {
				f.Unchanged(t, run, run+"/*")
				f.Settle(t)
				continue
			}
			f.Unchanged(t)
		}
	})
}
