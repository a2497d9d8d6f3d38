package artifacts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts/byhand"
	stint "github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// Today's list, show and diff say what the release said.
func TestRuns(t *testing.T) {
	every(t, func(t *testing.T, p place) {
		f := p.f
		got, skipped, err := p.store.Manifests()
		require.NoError(t, err)
		f.Equal(t, "r10.list", got, p.listed(t))
		f.Equal(t, "r10.unreadable", skipped, []document.Skipped(nil))
		for _, view := range p.refused {
			f.Equal(t, "r10.refused", [2]any{f.View(view).Exit, string(f.View(view).Stdout)}, [2]any{1, ""})
		}
		for i, told := range p.runs {
			p.run, p.told = p.ids[i], told
			m, err := p.store.Get(p.run)
			require.NoError(t, err)
			f.Equal(t, "r10.show", m, p.said(t))
			if slices.Contains(f.Views(), "show") && p.asked["show"] == "" {
				f.Equal(t, "r10.show", m, p.answered(t, "show"))
			}
			if !told.holds() {
				continue
			}
			patch, err := p.store.Patch(m)
			require.NoError(t, err)
			f.Equal(t, "r10.diff", sum(string(patch)), told.patchSum())
			f.CheckSum(t, "r10.patch", p.patch(), told.patchSum())
			if slices.Contains(f.Views(), "diff") {
				f.Equal(t, "r10.diff", p.saidPatch(t), string(patch))
			}
		}
		f.Unchanged(t)
	})
}

// fact is what the script alone tells of a run.
type fact struct {
	State                          artifact.State
	Revision                       int64
	Kind                           artifact.Kind
	Session, Conversation, Harness string
	Prompt                         string
	Exit                           *int
	Named                          bool // by the agent
	Root, Base, Fingerprint        string
	Files                          []artifact.File
	PatchSHA256                    string
	Receipt                        *artifact.Receipt
	Started, Finished              bool
	Applied, Discarded             bool
}

func factOf(m *artifact.Manifest) fact {
	return fact{m.State, m.Revision, m.Kind, m.Session, m.Conversation, m.Harness, m.Prompt, m.Exit, m.ProviderSession != "", m.Root, m.Base, m.Fingerprint, m.Files,
		m.PatchSHA256, m.Receipt, !m.StartedAt.IsZero(), !m.FinishedAt.IsZero(), !m.AppliedAt.IsZero(), !m.DiscardedAt.IsZero()}
}

// What today's reader makes of a run is what was done, by hand.
func TestFacts(t *testing.T) {
	eachLooked(t, whatever, func(t *testing.T, p place) {
		f := p.f
		got, err := artifact.Read(p.th.FS(t, p.state), p.run)
		require.NoError(t, err)
		f.Equal(t, "r10.told", factOf(got), p.fact(t, got.AppliedAt))
		times := []readers.Time{got.CreatedAt, got.StartedAt, got.FinishedAt, got.AppliedAt, got.DiscardedAt, got.UpdatedAt}
		times = slices.DeleteFunc(times, readers.Time.IsZero)
		f.Equal(t, "r10.times.order", slices.IsSortedFunc(times, func(a, b readers.Time) int { return a.Compare(b.Time) }), true)
		var outside []readers.Time
		for _, at := range times {
			f.Equal(t, "r10.zone", at.Location().String(), "UTC")
			// A time may be in whole seconds.
			if s := at.Unix(); s < f.From.Unix() || s > f.To.Unix() {
				outside = append(outside, at)
			}
		}
		f.Equal(t, "r10.times", outside, []readers.Time(nil))
	})
}

// fact is what is told of the run. An apply that says when it was leaves a
// receipt of that moment.
func (p place) fact(t *testing.T, applied readers.Time) fact {
	t.Helper()
	head, status := string(p.f.View("head").Stdout), string(p.f.View("status").Stdout)
	print, err := byhand.Fingerprint(t.Context(), map[string]string{"{project}": p.main.Dir, "view/head/stdout": head, "view/status/stdout": status})
	require.NoError(t, err)
	turn := p.told.kind == artifact.Turn
	want := fact{
		State: p.told.state, Revision: p.told.revision, Kind: p.told.kind, Session: p.sessionID,
		Prompt: p.told.prompt, Exit: p.told.exit, Named: turn,
		Root: p.th.Path(p.worktree()), Base: strings.TrimSuffix(head, "\n"), Fingerprint: print, Files: p.changes(),
		PatchSHA256: p.told.patchSum(), Started: turn, Finished: turn && p.told.state != artifact.Running,
		Applied: p.told.state == artifact.Applied, Discarded: p.told.state == artifact.Discarded,
	}
	if p.talked(p.told) {
		want.Harness, want.Conversation = "codex", p.talkID
	}
	if want.Applied && converses(p.f) {
		want.Receipt = &artifact.Receipt{Base: want.Base, Tree: p.makes().tree(), PatchSHA256: want.PatchSHA256, AppliedAt: applied}
	}
	return want
}

// changes is what a manifest says of the work.
func (p place) changes() []artifact.File {
	all := []artifact.File{}
	for _, name := range slices.Sorted(maps.Keys(p.told.work)) {
		c := artifact.File{Path: name}
		if was, ok := p.base[name]; ok {
			c.OldMode, c.OldHash = was.Mode, was.hash()
		}
		if is := p.told.work[name]; is.Mode != "" {
			c.NewMode, c.NewHash = is.Mode, is.hash()
		}
		all = append(all, c)
	}
	return all
}

// Each answer on a run is the run at that moment.
func TestAnswers(t *testing.T) {
	eachLooked(t, whatever, func(t *testing.T, p place) {
		got := p.get(t)
		if p.told.by != "" {
			p.f.Equal(t, "r10.answer", got, p.answered(t, p.told.by))
		}
		if p.told.kind == artifact.Checkpoint {
			got.State, got.Revision, got.UpdatedAt = artifact.Pending, 1, got.CreatedAt
			got.AppliedAt, got.DiscardedAt, got.Receipt = readers.Time{}, readers.Time{}, nil
		}
		if p.told.as != "" {
			p.f.Equal(t, "r10.saved", got, p.answered(t, p.told.as))
		}
		if slices.Contains(p.f.Views(), "runs") { // before one of them was applied
			p.f.Equal(t, "r10.before", got, p.list(t, "list")[slices.Index(p.ids, p.run)])
		}
	})
}

// Close relies on it: the work that is still in the worktree is found in the
// run that the release saved it in, unless that was discarded.
func TestHolds(t *testing.T) {
	each(t, saved.worked, func(t *testing.T, p place) {
		if p.story.worktree == nil {
			return
		}
		f, base := p.f, p.said(t).Base
		work, err := stint.Take(t.Context(), git.Tree{Dir: p.th.Path(p.worktree()), Env: p.main.Env}, base)
		require.NoError(t, err)
		f.Equal(t, "r10.take", sum(string(work.Patch)), p.told.patchSum())
		f.Equal(t, "r10.take.files", work.Files, p.changes())
		holds := func(session, base string, w *stint.Work) bool {
			of := func(m *artifact.Manifest) bool { return m.Session == session }
			held, err := p.store.Holds(of, base, w)
			require.NoError(t, err)
			return held
		}
		f.Equal(t, "r10.holds", holds(p.sessionID, base, work), p.told.state != artifact.Discarded)
		f.Equal(t, "r10.holds.session", holds("another", base, work), false)
		f.Equal(t, "r10.holds.base", holds(p.sessionID, base[1:]+"0", work), false)
		f.Equal(t, "r10.holds.patch", holds(p.sessionID, base, &stint.Work{Patch: work.Patch[1:]}), false)
		f.Unchanged(t, p.tries()...)
	})
}
