package conversation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/conversation"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/conversation"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const project = "00112233445566778899aabbccddeeff"

func newStore(t *testing.T) *conversation.Store {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	return &conversation.Store{ProjectID: project, StateDir: dir, Docs: root.FS(), Now: func() time.Time { return time.Unix(1000, 0) }}
}

func create(t *testing.T, s *conversation.Store, d doc.Document) *conversation.Held {
	t.Helper()
	h, err := s.Create(t.Context(), d)
	require.NoError(t, err)
	t.Cleanup(h.Release)
	return h
}

func newDocument(id string) doc.Document {
	return doc.Document{Head: readers.Head{ID: id, ProjectID: project}, State: doc.Open, Harness: "sh", Runs: []string{}}
}

func TestCreateAndUpdate(t *testing.T) {
	s := newStore(t)
	now := time.Unix(1000, 0)
	s.Now = func() time.Time { return now }
	h := create(t, s, newDocument("one"))
	now = time.Unix(1060, 0)
	require.NoError(t, h.Update(func(d *doc.Document) { d.Runs, d.ProviderSession = []string{"a"}, "p" }))
	b, err := os.ReadFile(filepath.Join(s.StateDir, "conversations", "one.json"))
	require.NoError(t, err)
	want := `{
  "schema": 1,
  "id": "one",
  "project_id": "00112233445566778899aabbccddeeff",
  "revision": 2,
  "created_at": "1970-01-01T00:16:40.000Z",
  "updated_at": "1970-01-01T00:17:40.000Z",
  "state": "open",
  "harness": "sh",
  "provider_session": "p",
  "runs": [
    "a"
  ]
}
`
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Errorf("the document (-want +got)\n%s", diff)
	}
	h.Release()
	_, err = s.Create(t.Context(), newDocument("one"))
	require.ErrorContains(t, err, `conversation "one": there is one already`)
}

// What no reader would take is not written, and what is there stays.
func TestTooLarge(t *testing.T) {
	s := newStore(t)
	h := create(t, s, newDocument("one"))
	err := h.Update(func(d *doc.Document) { d.ProviderSession = strings.Repeat("x", readers.MaxDocument) })
	require.ErrorIs(t, err, readers.ErrTooLarge)
	got, err := s.Get("one")
	require.NoError(t, err)
	if diff := cmp.Diff(h.Document, got); diff != "" {
		t.Errorf("the document (-want +got)\n%s", diff)
	}
}

// A lock file outlives its holder, and is no document.
func TestDocuments(t *testing.T) {
	s := newStore(t)
	docs, skipped, err := s.Documents()
	require.NoError(t, err)
	require.Empty(t, append(ids(docs), paths(skipped)...), "of a release that made none")

	for i, id := range []string{"zz", "aa", "elsewhere", "newer"} {
		s.Now = func() time.Time { return time.Unix(int64(1000+i), 0) }
		create(t, s, newDocument(id)).Release()
	}
	edit := func(id, old, new string) {
		name := filepath.Join(s.StateDir, "conversations", id+".json")
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(b), old, new, 1)), 0o600))
	}
	edit("elsewhere", project, strings.Repeat("f", 32))
	edit("newer", `"schema": 1`, `"schema": 7`)
	docs, skipped, err = s.Documents()
	require.NoError(t, err)
	if diff := cmp.Diff([]string{"zz", "aa"}, ids(docs)); diff != "" {
		t.Errorf("Documents (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"elsewhere.json", "newer.json"}, paths(skipped)); diff != "" {
		t.Errorf("skipped (-want +got)\n%s", diff)
	}
	require.FileExists(t, filepath.Join(s.StateDir, "conversations", "aa.lock"))
	for id, want := range map[string]string{
		"nosuch": `conversation "nosuch": there is no such conversation`, "../runs/a": "there is no such conversation",
		"elsewhere": "it belongs elsewhere", "newer": "schema 7 is newer than 1",
	} {
		_, err := s.Hold(t.Context(), id)
		require.ErrorContains(t, err, want)
	}
}

func ids(docs []*doc.Document) (all []string) {
	for _, d := range docs {
		all = append(all, d.ID)
	}
	return all
}

func paths(skipped []document.Skipped) (all []string) {
	for _, s := range skipped {
		all = append(all, filepath.Base(s.Path))
	}
	return all
}
