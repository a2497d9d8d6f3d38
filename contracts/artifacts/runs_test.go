package artifacts_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// Today's list, show and diff say what the release said.
func TestRuns(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		got, skipped, err := p.store.Manifests()
		require.NoError(t, err)
		f.Equal(t, "r10.list", got, p.listed(t))
		f.Equal(t, "r10.unreadable", skipped, []document.Skipped(nil))
		for _, view := range p.refused {
			f.Equal(t, "r10.refused", [2]any{f.View(view).Exit, string(f.View(view).Stdout)}, [2]any{1, ""})
		}
		if !p.made {
			return
		}
		m, err := p.store.Get(p.run)
		require.NoError(t, err)
		f.Equal(t, "r10.show", m, p.said(t, "show"))
		patch, err := p.store.Patch(m)
		require.NoError(t, err)
		f.Equal(t, "r10.diff", string(patch), p.saidPatch(t))
		f.CheckSum(t, "r10.patch", p.patch(), since(f.Release).sum)
		f.Unchanged(t)
	})
}

// fact is what the script alone tells of a run.
type fact struct {
	State       artifact.State
	Revision    int64
	Kind        artifact.Kind
	Session     string
	Root        string
	Base        string
	Fingerprint string
	Files       []artifact.File
	Applied     bool
	Discarded   bool
}

func factOf(m *artifact.Manifest) fact {
	return fact{m.State, m.Revision, m.Kind, m.Session, m.Root, m.Base, m.Fingerprint, m.Files, !m.AppliedAt.IsZero(), !m.DiscardedAt.IsZero()}
}

// What today's reader makes of a run is what was done, by hand.
func TestFacts(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		got, err := artifact.Read(p.th.FS(t, p.state), p.run)
		require.NoError(t, err)
		head, status := string(f.View("head").Stdout), string(f.View("status").Stdout)
		print, err := fingerprint(t.Context(), map[string]string{"{project}": p.th.Path("project"), "view/head/stdout": head, "view/status/stdout": status})
		require.NoError(t, err)
		f.Equal(t, "r10.told", factOf(got), fact{
			State: artifact.State(p.story.state), Revision: p.revision, Kind: "checkpoint", Session: p.session,
			Root: p.th.Path(p.worktree()), Base: head[:len(head)-1], Fingerprint: print, Files: changes(),
			Applied: p.story.state == "applied", Discarded: p.story.state == "discarded",
		})
		var outside []readers.Time
		for _, at := range []readers.Time{got.CreatedAt, got.UpdatedAt, got.AppliedAt, got.DiscardedAt} {
			f.Equal(t, "r10.zone", at.Location().String(), "UTC")
			// A time may be in whole seconds.
			if s := at.Unix(); !at.IsZero() && (s < f.From.Unix() || s > f.To.Unix()) {
				outside = append(outside, at)
			}
		}
		f.Equal(t, "r10.times", outside, []readers.Time(nil))
	})
}

// changes is what a manifest says of the work.
func changes() []artifact.File {
	var all []artifact.File
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		c := artifact.File{Path: name}
		if was, ok := base[name]; ok {
			c.OldMode, c.OldHash = was.Mode, was.hash()
		}
		if is := changed[name]; is.Mode != "" {
			c.NewMode, c.NewHash = is.Mode, is.hash()
		}
		all = append(all, c)
	}
	return all
}

// Each answer on a run is the run at that moment.
func TestAnswers(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		got := p.get(t)
		for _, view := range f.Views() {
			if view == p.answered() {
				f.Equal(t, "r10.answer", got, p.said(t, view))
			}
		}
		got.State, got.Revision, got.UpdatedAt = artifact.Pending, 1, got.CreatedAt
		got.AppliedAt, got.DiscardedAt, got.Receipt = readers.Time{}, readers.Time{}, nil
		f.Equal(t, "r10.checkpoint", got, p.said(t, "checkpoint"))
	})
}

// answered is the command that left the run in its state.
func (p place) answered() string {
	return map[string]string{"applied": "apply", "discarded": "discard"}[p.story.state]
}

// Close relies on it: the work that is still in the worktree is found in the
// run that the release saved it in, unless that was discarded.
func TestHolds(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made || p.story.worktree == nil {
			return
		}
		base := p.said(t, "show").Base
		work, err := stint.Take(t.Context(), git.Tree{Dir: p.th.Path(p.worktree()), Env: p.main.Env}, base)
		require.NoError(t, err)
		f.Equal(t, "r10.take", string(work.Patch), p.saidPatch(t))
		f.Equal(t, "r10.take.files", work.Files, changes())
		holds := func(session, base string, w *stint.Work) bool {
			of := func(m *artifact.Manifest) bool { return m.Session == session }
			held, err := p.store.Holds(of, base, w)
			require.NoError(t, err)
			return held
		}
		f.Equal(t, "r10.holds", holds(p.session, base, work), p.story.state != "discarded")
		f.Equal(t, "r10.holds.session", holds("another", base, work), false)
		f.Equal(t, "r10.holds.base", holds(p.session, base[1:]+"0", work), false)
		f.Equal(t, "r10.holds.patch", holds(p.session, base, &stint.Work{Patch: work.Patch[1:]}), false)
		f.Unchanged(t, p.tries()...)
	})
}
