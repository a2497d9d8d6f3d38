package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const project = "00112233445566778899aabbccddeeff"

// newStore has its clock at 1000 seconds, no tmux server, and a repository
// whose fingerprint is v1:aa.
func newStore(t *testing.T) *session.Store {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	return &session.Store{
		Place:       doc.Place{ProjectID: project, StateDir: dir, Repository: "/src"},
		Docs:        root.FS(),
		Now:         func() time.Time { return time.Unix(1000, 0) },
		Panes:       func(context.Context, string) ([]tmux.Marked, error) { return nil, nil },
		Fingerprint: func(context.Context, string) (string, error) { return "v1:aa", nil },
	}
}

func newDocument(s *session.Store, id string) doc.Document {
	return doc.Document{
		Head: readers.Head{ID: id, ProjectID: project}, State: doc.Open, Harness: "sh",
		Branch: doc.Branch(id), Base: strings.Repeat("0", 40), Fingerprint: "v1:aa",
		Paths: doc.Paths{Repository: "/src", WorkspaceRoot: s.Place.WorkspaceRoot(id), Worktree: s.Place.Worktree(id), RunRoot: s.Place.RunRoot(id)},
		Tmux:  doc.Tmux{Session: "stint-" + id, Socket: "/tmp/s"},
	}
}

func create(t *testing.T, s *session.Store, d doc.Document) *session.Held {
	t.Helper()
	h, err := s.Create(t.Context(), d)
	require.NoError(t, err)
	t.Cleanup(h.Release)
	return h
}

func TestCreateAndUpdate(t *testing.T) {
	s := newStore(t)
	create(t, s, newDocument(s, "one")).Release()
	s.Now = func() time.Time { return time.Unix(1060, 0) }
	h, err := s.Hold(t.Context(), "one")
	require.NoError(t, err)
	defer h.Release()
	require.NoError(t, h.Update(func(d *doc.Document) { d.State = doc.Closing }))

	want := newDocument(s, "one")
	want.Schema, want.Revision, want.State = 2, 2, doc.Closing
	want.CreatedAt, want.UpdatedAt = readers.At(time.Unix(1000, 0)), readers.At(time.Unix(1060, 0))
	got, err := s.Get("one")
	require.NoError(t, err)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("Get (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&want, h.Document); diff != "" {
		t.Errorf("what is held (-want +got)\n%s", diff)
	}
	h.Release()
	_, err = s.Create(t.Context(), newDocument(s, "one"))
	require.ErrorContains(t, err, "there is one already")
}

func TestUpdateRefuses(t *testing.T) {
	s := newStore(t)
	h := create(t, s, newDocument(s, "one"))
	name := filepath.Join(s.Place.StateDir, "sessions", "one", "session.json")
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	for _, test := range []struct {
		name, old, new string
		change         func(*doc.Document)
		want           error
	}{
		{"another revision", `"revision": 1`, `"revision": 2`, nil, document.ErrRevision},
		{"a newer schema", `"schema": 2`, `"schema": 3`, nil, readers.ErrNewer},
		{"what does not parse", `{`, `[`, nil, nil},
		{"what could not be read again", `{`, `{`, func(d *doc.Document) { d.State = "odd" }, nil},
	} {
		on := strings.Replace(string(before), test.old, test.new, 1)
		require.NoError(t, os.WriteFile(name, []byte(on), 0o600))
		change := test.change
		if change == nil {
			change = func(d *doc.Document) { d.Failure = "written" }
		}
		err := h.Update(change)
		require.Error(t, err, test.name)
		if test.want != nil {
			require.ErrorIs(t, err, test.want, test.name)
		}
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		if diff := cmp.Diff(on, string(got)); diff != "" {
			t.Errorf("on top of %s: the document was written (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestUpdateKeepsUnknownFields(t *testing.T) {
	s := newStore(t)
	h := create(t, s, newDocument(s, "one"))
	name := filepath.Join(s.Place.StateDir, "sessions", "one", "session.json")
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	// An editor takes no lock.
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(b), "{", `{"later": {"b": [1, 2]},`, 1)), 0o600))
	require.NoError(t, h.Update(func(d *doc.Document) { d.Failure = "why" }))
	b, err = os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, strings.Join(strings.Fields(string(b)), ""), `"later":{"b":[1,2]}`)
	require.Contains(t, string(b), `"failure": "why"`)
}

func TestHoldExcludes(t *testing.T) {
	s := newStore(t)
	create(t, s, newDocument(s, "one")).Release()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			h, err := s.Hold(t.Context(), "one")
			if err != nil {
				t.Error(err)
				return
			}
			defer h.Release()
			if err := h.Update(func(d *doc.Document) { d.Failure += "x" }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := s.Get("one")
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 8), got.Failure)
	require.EqualValues(t, 9, got.Revision)
}

func TestGetRefuses(t *testing.T) {
	s := newStore(t)
	create(t, s, newDocument(s, "one")).Release()
	require.NoError(t, os.MkdirAll(filepath.Join(s.Place.StateDir, "sessions", "started"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(s.Place.StateDir, "sessions", "lost"), 0o700))
	require.NoError(t, os.MkdirAll(s.Place.Worktree("lost"), 0o700))
	for id, want := range map[string]string{
		"absent": "there is no such session", "on": "there is no such session", "../sessions/one": "there is no such session",
		"": "there is no such session", "started": "there is no such session", "lost": "it is gone, and the session's workspace",
	} {
		_, err := s.Get(id)
		require.ErrorContains(t, err, want, id)
		_, err = s.Hold(t.Context(), id)
		require.ErrorContains(t, err, want, id)
	}
	require.NoDirExists(t, filepath.Join(s.Place.StateDir, "sessions", "absent"), "made by looking for it")
}

// One bad document hides none of the others.
func TestDocuments(t *testing.T) {
	s := newStore(t)
	for i, id := range []string{"zz", "aa", "elsewhere", "newer", "broken", "link"} {
		s.Now = func() time.Time { return time.Unix(int64(1000+i), 0) }
		create(t, s, newDocument(s, id))
	}
	file := func(id string) string { return filepath.Join(s.Place.StateDir, "sessions", id, "session.json") }
	edit := func(id, old, new string) {
		b, err := os.ReadFile(file(id))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file(id), []byte(strings.Replace(string(b), old, new, 1)), 0o600))
	}
	edit("elsewhere", `"/src"`, `"/moved"`)
	edit("newer", `"schema": 2`, `"schema": 7`)
	edit("broken", `}`, ``)
	require.NoError(t, os.Rename(file("link"), file("link")+".real"))
	require.NoError(t, os.Symlink("session.json.real", file("link")))
	require.NoError(t, os.MkdirAll(filepath.Join(s.Place.StateDir, "sessions", "started"), 0o700))

	docs, skipped, err := s.Documents()
	require.NoError(t, err)
	var ids []string
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	if diff := cmp.Diff([]string{"zz", "aa"}, ids); diff != "" {
		t.Errorf("Documents (-want +got)\n%s", diff)
	}
	got := make(map[string]string)
	for _, k := range skipped {
		var binding *readers.BindingError
		var corrupt *readers.CorruptError
		switch {
		case errors.As(k.Err, &binding):
			got[k.Path] = binding.Field
		case errors.Is(k.Err, readers.ErrNewer):
			got[k.Path] = "newer"
		case errors.As(k.Err, &corrupt):
			got[k.Path] = "corrupt"
		case errors.Is(k.Err, readers.ErrNotRegular):
			got[k.Path] = "not regular"
		}
	}
	want := map[string]string{file("elsewhere"): "repository", file("newer"): "newer", file("broken"): "corrupt", file("link"): "not regular"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("skipped (-want +got)\n%s", diff)
	}
}

func TestDocumentsOfANewProject(t *testing.T) {
	docs, skipped, err := newStore(t).Documents()
	require.NoError(t, err)
	require.Empty(t, docs)
	require.Empty(t, skipped)
}
