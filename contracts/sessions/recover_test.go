package sessions_test

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/tmux"
)

// unsettled plays the sessions that a release left in the middle of something.
// No tmux server is there.
func unsettled(t *testing.T, fn func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r *runner.Runner, s made)) {
	t.Helper()
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !some(t, f, made.unsettled) {
			return
		}
		th := thaw(t, f)
		r := undated(t, f, th)
		r.Sessions.Panes = nobody
		for _, s := range script(t, f) {
			if s.unsettled() {
				fn(t, f, th, r, s)
			}
		}
	})
}

func (m made) unsettled() bool { return m.State != "open" && m.State != "closed" }

// recovered recovers a session, or all where id is empty, of which there is
// one, and asserts what became of it, in the answer and on disk.
func recovered(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r *runner.Runner, assert, id string, outcome runner.Outcome, want said) {
	t.Helper()
	all, err := r.Recover(t.Context(), id)
	f.Equal(t, assert, named(err), "none")
	require.Len(t, all, 1)
	// The reason of a failure is asked for a part of it only.
	got, kept := read(all[0].Document), parse[printed](t, want.ID, stored(t, th, want.ID)).said(t)
	for _, s := range []*said{&got, &kept} {
		if want.Failure != "" && strings.Contains(s.Failure, want.Failure) {
			s.Failure = want.Failure
		}
	}
	f.Equal(t, assert, all[0].Outcome, outcome)
	f.Equal(t, assert, got, want)
	f.Equal(t, assert, kept, want)
}

// What is whole is open again. What was being closed is closed, though its
// program runs still.
func TestRecoverWhole(t *testing.T) {
	unsettled(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r *runner.Runner, s made) {
		want := s.said(t, f).document()
		if s.State == "closing" {
			r.Sessions.Panes = ending(th, s.pane(want))
			recovered(t, f, th, r, "r9.closing", want.ID, runner.TakenDown, s.taken(want, later(f).UTC().Format(layout)))
			left(t, f, th, "recovered")
			return
		}
		r.Sessions.Panes = answering(th, []tmux.Marked{made{}.pane(want)})
		want.State, want.Failure, want.Revision = "open", "", want.Revision+1
		want.Updated = later(f).UTC().Format(layout)
		want.Opened = want.Updated
		recovered(t, f, th, r, "r9.open", want.ID, runner.Reopened, want)
	})
}

// ending is a tmux whose one pane is there when it is looked at and when it is
// told to end it, and then no more.
func ending(th *contracts.Thawed, pane tmux.Marked) func(context.Context, string) ([]tmux.Marked, error) {
	asked := 0
	return func(ctx context.Context, socket string) ([]tmux.Marked, error) {
		if asked++; asked > 2 {
			return nil, nil
		}
		return answering(th, []tmux.Marked{pane})(ctx, socket)
	}
}

// taken is a session that was closed.
func (m made) taken(s said, now string) said {
	s.State, s.Failure, s.Closed, s.Updated = "closed", "", now, now
	s.Revision++
	if m.State != "closing" {
		s.Revision++
	}
	return s
}

// What does not run, or has no worktree, is closed.
func TestRecoverRemains(t *testing.T) {
	// In this order: the second gets other names.
	for _, gone := range []bool{false, true} {
		id := "r9.not-running"
		if gone {
			id = "r9.gone"
		}
		unsettled(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r *runner.Runner, s made) {
			of := s.said(t, f).document()
			if gone {
				require.NoError(t, os.RemoveAll(of.WorkspaceRoot))
			}
			recovered(t, f, th, r, id, "", runner.TakenDown, s.taken(of, later(f).UTC().Format(layout)))
			f.Equal(t, id, exists(of.WorkspaceRoot), false)
			again, err := r.Recover(t.Context(), of.ID)
			require.NoError(t, err)
			f.Equal(t, "r9.again", again[0].Outcome, runner.Unchanged)
		})
	}
}

// Where it is not known what runs, or there is work that is nowhere else, the
// session stays as it is, with the reason.
func TestRecoverFails(t *testing.T) {
	contracts.AnyPlace(t)
	unsettled(t, func(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r *runner.Runner, s made) {
		want := s.said(t, f).document()
		want.Updated = later(f).UTC().Format(layout)
		r.Sessions.Panes = mute
		want.Revision, want.Failure = want.Revision+1, "does not answer"
		recovered(t, f, th, r, "r9.unknown", want.ID, runner.Failed, want)
		r.Sessions.Panes = nobody
		require.NoError(t, os.WriteFile(path.Join(want.Worktree, "saved.md"), nil, 0o600))
		want.Revision, want.Failure = want.Revision+1, "its workspace holds what is nowhere else: untracked"
		recovered(t, f, th, r, "r9.unsaved", want.ID, runner.Failed, want)
		f.Equal(t, "r9.unsaved", exists(path.Join(want.Worktree, "saved.md")), true)
	})
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// What is open or closed is left alone.
func TestRecoverSettled(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !some(t, f, func(m made) bool { return !m.unsettled() }) {
			return
		}
		r := undated(t, f, look(t, f))
		for _, s := range script(t, f) {
			if !s.unsettled() {
				all, err := r.Recover(t.Context(), s.said(t, f).ID)
				f.Equal(t, "r9.settled", named(err), "none")
				f.Equal(t, "r9.settled", all[0].Outcome, runner.Unchanged)
			}
		}
		f.Unchanged(t)
	})
}

// What the release's own recover said of a session that was left creating, and
// said when it was asked again.
func TestRecoverSaid(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		if !slices.Contains(f.Views(), "recover") {
			return
		}
		th := look(t, f)
		of := func(view string) []printed {
			f.Equal(t, "r9.said", f.View(view).Exit, 0)
			return parse[listed](t, view, f.View(view).Stdout).Sessions
		}
		d, err := stint(t, f, th).Sessions.Get(script(t, f)[0].said(t, f).ID)
		require.NoError(t, err)
		now := read(d)
		var got []said
		for _, p := range of("recover") {
			got = append(got, p.said(t).document())
			f.Equal(t, "r9.said", []string{p.Outcome, p.Reason}, []string{"closed", "it does not run"})
		}
		f.Equal(t, "r9.said", got, []said{now})
		f.Equal(t, "r9.said", of("again"), []printed{})
		now.State, now.Revision, now.Updated, now.Closed = "creating", 1, now.Created, ""
		f.Equal(t, "r9.said", told(t, f, "creating")[0].document(), now)
	})
}
