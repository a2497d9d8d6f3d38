package sessions_test

import (
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
)

// A session whose workspace is gone ends closed from every state, one revision
// for what is about to be done and one for that it was. What was closed stays
// as it is.
func TestCloseWithoutWorkspace(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		r := undated(t, f, th)
		r.Sessions.Panes = nobody
		for _, s := range script(t, f) {
			of := s.said(t, f)
			require.NoError(t, os.RemoveAll(of.WorkspaceRoot))
			anotherField(t, th.Path(documentOf(t, th, of.ID)))
			if s.State == "closed" {
				f.Settle(t)
			}
			closed(t, f, th, r, s, "gone", nil)
		}
		left(t, f, th, "gone")
	})
}

// A worktree that holds nothing of its own is removed, and its branch is kept.
// One with work that is nowhere else is kept until it is given up.
func TestCloseWithWorkspace(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		r := undated(t, f, th)
		for _, s := range script(t, f) {
			of := s.said(t, f)
			anotherField(t, th.Path(documentOf(t, th, of.ID)))
			f.Settle(t)
			if s.State != "closed" {
				r.Sessions.Panes = mute
				_, err := r.CloseSession(t.Context(), of.ID, runner.Kinds())
				f.Equal(t, "r8.refused.unknown", saying(err, "so it is not known what runs there"), "so it is not known what runs there")
				f.Unchanged(t)
			}
			r.Sessions.Panes = nobody
			if s.lost != nil {
				_, err := r.CloseSession(t.Context(), of.ID, s.lost[1:])
				f.Equal(t, "r8.unsaved", named(err), named(&runner.UnsavedError{Losses: []runner.Loss{{Kind: s.lost[0]}}}))
				f.Unchanged(t, objects)
			}
			closed(t, f, th, r, s, "there", s.lost)
		}
		left(t, f, th, "there")
	})
}

// anotherField puts one of another release into a document.
func anotherField(t *testing.T, name string) {
	t.Helper()
	edit(t, name, `\A{`, `{"later": {"b": [1, 2]},`)
}

// closed closes a session and asserts what is left of it.
func closed(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, r *runner.Runner, s made, how string, discard []runner.Kind) {
	t.Helper()
	of := s.said(t, f)
	before := stored(t, th, of.ID)
	c, err := r.CloseSession(t.Context(), of.ID, discard)
	if err != nil {
		f.Equal(t, "r8.closed."+how, named(err), "none")
		return
	}
	want := of.document()
	if s.State != "closed" {
		want = s.taken(want, later(f).UTC().Format(layout))
	}
	f.Equal(t, "r8.closed."+how, read(c.Document), want)
	f.Equal(t, "r8.already."+how, c.Already, s.State == "closed")
	f.Equal(t, "r8.discarded."+how, kinds(c.Discarded), discard)
	after := stored(t, th, of.ID)
	if s.State == "closed" {
		f.Equal(t, "r8.bytes."+how, string(after), string(before))
		f.Unchanged(t)
		return
	}
	written := parse[printed](t, of.ID, after)
	f.Equal(t, "r8.written."+how, written.said(t), want)
	f.Equal(t, "r8.schema."+how, written.Schema, 2)
	f.Equal(t, "r20.unknown."+how, compact(written.Later), `{"b":[1,2]}`)
	f.Equal(t, "r8.workspace."+how, exists(of.WorkspaceRoot), false)
	if id := s.conversation(t, f); id != "" {
		// It outlives its session, unless that never came to be open.
		state := map[bool]string{true: "open", false: "closed"}[s.Opened]
		f.Equal(t, "r8.conversation."+how, parse[printedTalk](t, id, storedTalk(t, th, id)).State, state)
	}

	f.Settle(t)
	again, err := r.CloseSession(t.Context(), of.ID, nil)
	require.NoError(t, err)
	f.Equal(t, "r8.again."+how, []any{again.Already, read(again.Document)}, []any{true, want})
	f.Unchanged(t)
}

// left asserts what of all sessions is left in the repository: the branches,
// but for those of sessions that never were open and have no commit.
func left(t *testing.T, f *contracts.Fixture, th *contracts.Thawed, how string) {
	t.Helper()
	want := contracts.Git{
		Revisions: map[string]string{"HEAD^{tree}": tell(t, f).tree},
		Status:    tell(t, f).status, Reflog: tell(t, f).reflog, Worktrees: []string{th.Path("project")},
	}
	kept := []string{"refs/heads/main"}
	was := branches(t, f)
	for _, s := range script(t, f) {
		if branch := "refs/heads/stint/" + s.said(t, f).ID; s.Opened {
			kept = append(kept, branch)
			want.Revisions[branch] = was[branch]
		}
	}
	f.CheckGit(t, "r8.repository."+how, "project", want)
	slices.Sort(kept)
	f.Equal(t, "r8.branches."+how, refs(t, th), kept)
}

// refs are the names of all refs of the repository, each of which lies in a file
// of its own: none was packed.
func refs(t *testing.T, th *contracts.Thawed) (all []string) {
	t.Helper()
	fsys := th.FS(t, "project/.git")
	require.NoError(t, fs.WalkDir(fsys, "refs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, name)
		}
		return err
	}))
	for _, other := range []string{"packed-refs", "reftable"} {
		_, err := fs.Stat(fsys, other)
		require.ErrorIs(t, err, fs.ErrNotExist, other)
	}
	return all
}
