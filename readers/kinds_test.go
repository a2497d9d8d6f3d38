package readers_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/freeze-contracts/permafrost/readers/conversation"
	"github.com/freeze-contracts/permafrost/readers/session"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// document is what documents of every kind have.
type document interface {
	Header() *readers.Head
	Encode() ([]byte, error)
}

// kind is one kind of documents, with ones that were written by hand, so that
// reader and writer cannot agree on a mistake.
type kind struct {
	name   string
	schema int      // today's
	docs   []string // files, of which the first is of today's schema, and older ones say their schema
	file   func(id string) string
	read   func(fsys fs.FS, id string) (document, error)
	parse  func(name string, b []byte) (document, error)
}

func kinds() []kind {
	return []kind{
		{
			"session", session.Schema, []string{"session/testdata/v2.json", "session/testdata/v1.json"}, session.File,
			func(fsys fs.FS, id string) (document, error) { return session.Read(fsys, id) },
			func(name string, b []byte) (document, error) { return session.Parse(name, b) },
		},
		{
			"artifact", artifact.Schema, []string{"artifact/testdata/v2.json", "artifact/testdata/v1.json", "artifact/testdata/running.json"}, artifact.ManifestFile,
			func(fsys fs.FS, id string) (document, error) { return artifact.Read(fsys, id) },
			func(name string, b []byte) (document, error) { return artifact.Parse(name, b) },
		},
		{
			"conversation", conversation.Schema, []string{"conversation/testdata/v1.json"}, conversation.File,
			func(fsys fs.FS, id string) (document, error) { return conversation.Read(fsys, id) },
			func(name string, b []byte) (document, error) { return conversation.Parse(name, b) },
		},
	}
}

func load(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// compact leaves the layout of unknown fields out of a comparison.
var compact = cmp.Transformer("canonical", func(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Canonicalize()
	return string(v)
})

// A rewrite of each hand-written document of today's schema gives its bytes, so
// what is unknown at the top and in each object is kept.
func TestRewriteGivesTheBytes(t *testing.T) {
	for _, k := range kinds() {
		for _, name := range k.docs {
			doc := load(t, name)
			if !strings.Contains(doc, fmt.Sprintf("\n  \"schema\": %d,\n", k.schema)) {
				continue
			}
			d, err := k.parse(name, []byte(doc))
			require.NoError(t, err)
			got, err := d.Encode()
			require.NoError(t, err)
			if diff := cmp.Diff(doc, string(got)); diff != "" {
				t.Errorf("Encode(Parse(%s)) (-want +got)\n%s", name, diff)
			}
		}
	}
}

func TestTruncated(t *testing.T) {
	for _, k := range kinds() {
		for _, name := range k.docs {
			whole := strings.TrimSpace(load(t, name))
			for n := range len(whole) {
				_, err := k.parse("doc", []byte(whole[:n]))
				if corrupt := (*readers.CorruptError)(nil); !errors.As(err, &corrupt) {
					t.Errorf("the first %d bytes of %s: %v, want a CorruptError", n, name, err)
				}
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, k := range kinds() {
		doc := []byte(load(t, k.docs[0]))
		d, err := k.parse("doc", doc)
		require.NoError(t, err)
		own := k.file(d.Header().ID)
		a := k.file("a")
		for _, test := range []struct {
			name string
			fsys fstest.MapFS
			id   string
			want string
		}{
			{"nothing wrong", fstest.MapFS{own: {Data: doc}}, d.Header().ID, "read"},
			{"missing", fstest.MapFS{}, "a", "missing"},
			{"id that leads out", fstest.MapFS{path.Clean(k.file("..")): {Data: doc}}, "..", "invalid name"},
			{"no id", fstest.MapFS{path.Clean(k.file("")): {Data: doc}}, "", "invalid name"},
			{"folder", fstest.MapFS{a: {Mode: fs.ModeDir}}, "a", "not regular"},
			{"symlink", fstest.MapFS{a: {Mode: fs.ModeSymlink, Data: []byte("b")}, path.Join(path.Dir(a), "b"): {Data: doc}}, "a", "not regular"},
			{"folder behind a symlink", fstest.MapFS{path.Dir(a): {Mode: fs.ModeSymlink, Data: []byte("elsewhere")}, "elsewhere/" + path.Base(a): {Data: doc}}, "a", "not regular"},
			{"too large", fstest.MapFS{a: {Data: make([]byte, readers.MaxDocument+1)}}, "a", "too large"},
			{"empty", fstest.MapFS{a: {}}, "a", "corrupt "},
			{"in the place of another", fstest.MapFS{a: {Data: doc}}, "a", "corrupt /id"},
			{"newer", fstest.MapFS{a: {Data: []byte(`{"schema": 9, "id": 1}`)}}, "a", "newer"},
		} {
			got, err := k.read(test.fsys, test.id)
			if diff := cmp.Diff(test.want, outcome(err)); diff != "" {
				t.Errorf("%s: Read, %s: %v, %v (-want +got)\n%s", k.name, test.name, got, err, diff)
			}
		}
	}
}

func TestNewer(t *testing.T) {
	for _, k := range kinds() {
		_, err := k.parse("doc", []byte(`{"schema": 9, "id": {"of": "another type"}}`))
		var got *readers.NewerError
		require.ErrorAs(t, err, &got)
		if diff := cmp.Diff(&readers.NewerError{Path: "doc", Schema: 9, Newest: k.schema}, got); diff != "" {
			t.Errorf("%s: Parse (-want +got)\n%s", k.name, diff)
		}
	}
}
