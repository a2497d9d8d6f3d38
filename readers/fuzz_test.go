package readers_test

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/freeze-contracts/permafrost/readers/project"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// frozen are the files of all releases, below ../fixtures, in whose place there
// is a document of a kind: its pattern is matched with the end of a name.
func frozen(t testing.TB, pattern string) []string {
	t.Helper()
	var all []string
	elems := strings.Count(pattern, "/") + 1
	require.NoError(t, filepath.WalkDir("../fixtures", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.Contains(name, "/tree/") {
			return err
		}
		split := strings.Split(filepath.ToSlash(name), "/")
		if ok, _ := path.Match(pattern, strings.Join(split[max(0, len(split)-elems):], "/")); ok {
			all = append(all, name)
		}
		return nil
	}))
	return all
}

// The documents that releases wrote are read, and lose nothing.
func TestFrozen(t *testing.T) {
	for _, k := range kinds() {
		for _, name := range frozen(t, k.file("*")) {
			k.keeps(t, []byte(load(t, name)), true)
		}
	}
	for _, name := range frozen(t, "project.json") {
		keepsMarker(t, []byte(load(t, name)), true)
	}
	for _, name := range frozen(t, project.ConfigFile) {
		_, err := project.ParseConfig(name, []byte(load(t, name)))
		require.NoError(t, err)
	}
	for _, pattern := range []string{"sessions/*/session.json", "runs/*/manifest.json", "project.json", project.ConfigFile} {
		require.NotEmpty(t, frozen(t, pattern), pattern)
	}
}

func FuzzSession(f *testing.F)      { fuzz(f, "session") }
func FuzzArtifact(f *testing.F)     { fuzz(f, "artifact") }
func FuzzConversation(f *testing.F) { fuzz(f, "conversation") }

// fuzz looks for a panic, for an error without a name, and for a document that
// loses anything when it is written again.
func fuzz(f *testing.F, name string) {
	all := kinds()
	k := all[slices.IndexFunc(all, func(k kind) bool { return k.name == name })]
	for _, name := range slices.Concat(k.docs, frozen(f, k.file("*"))) {
		f.Add([]byte(load(f, name)))
	}
	f.Add([]byte(`{"schema":9}`))
	f.Fuzz(func(t *testing.T, b []byte) { k.keeps(t, b, false) })
}

func FuzzMarker(f *testing.F) {
	for _, name := range append(frozen(f, "project.json"), "project/testdata/marker.json") {
		f.Add([]byte(load(f, name)))
	}
	f.Fuzz(func(t *testing.T, b []byte) { keepsMarker(t, b, false) })
}

func FuzzConfig(f *testing.F) {
	for _, name := range append(frozen(f, project.ConfigFile), "project/testdata/stint.toml") {
		f.Add([]byte(load(f, name)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := project.ParseConfig("c", b)
		named(t, err)
	})
}

// keeps reads a document, writes it, and reads that. A document may be refused,
// if it is not a must, by an error with a name.
func (k kind) keeps(t *testing.T, b []byte, must bool) {
	t.Helper()
	d, err := k.parse("doc", b)
	if err != nil && !must {
		named(t, err)
		return
	}
	require.NoError(t, err)
	written, err := d.Encode()
	require.NoError(t, err)
	again, err := k.parse("doc", written)
	require.NoError(t, err)
	if diff := cmp.Diff(d, again, compact, noList[artifact.File](), noList[string]()); diff != "" {
		t.Fatalf("a rewrite changes the document (-read +read again)\n%s", diff)
	}
	if schema, err := readers.Schema("doc", b, k.schema); err == nil && schema == k.schema {
		keepsAll(t, b, written)
	}
}

// noList lets a list that is absent be as good as an empty one.
func noList[T any]() cmp.Option {
	return cmp.FilterValues(func(x, y []T) bool { return len(x) == 0 && len(y) == 0 }, cmp.Ignore())
}

func keepsMarker(t *testing.T, b []byte, must bool) {
	t.Helper()
	m, err := project.ParseMarker("m", b)
	if err != nil && !must {
		named(t, err)
		return
	}
	require.NoError(t, err)
	written, err := m.Encode()
	require.NoError(t, err)
	keepsAll(t, b, written)
}

// keepsAll looks that whatever a document says is said by the one that was
// written of it. Nothing may be left out but what says nothing.
func keepsAll(t *testing.T, was, is []byte) {
	t.Helper()
	var before, after any
	require.NoError(t, json.Unmarshal(was, &before))
	require.NoError(t, json.Unmarshal(is, &after))
	if lost := missing(before, after); lost != "" {
		t.Fatalf("a rewrite loses %s\n%s\n%s", lost, was, is)
	}
}

// missing is the way to what is in a and not in b, or nothing.
func missing(a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, _ := b.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if at := missing(a[name], b[name]); at != "" {
				return "/" + name + at
			}
		}
		return ""
	case []any:
		b, _ := b.([]any)
		if len(a) != len(b) {
			return "[]"
		}
		for i := range a {
			if at := missing(a[i], b[i]); at != "" {
				return "/" + strconv.Itoa(i) + at
			}
		}
		return ""
	}
	if cmp.Equal(a, b) || empty(a) && empty(b) || same(a, b) {
		return ""
	}
	return " as it was"
}

// empty holds for a value that is as good as absent.
func empty(v any) bool {
	list, ok := v.([]any)
	return v == nil || v == "" || v == 0.0 || ok && len(list) == 0
}

// same holds for one moment in two zones, to the millisecond.
func same(a, b any) bool {
	x, _ := a.(string)
	y, _ := b.(string)
	at, err := time.Parse(time.RFC3339, x)
	other, err2 := time.Parse(time.RFC3339, y)
	return err == nil && err2 == nil && at.Truncate(time.Millisecond).Equal(other)
}

func named(t *testing.T, err error) {
	t.Helper()
	var corrupt *readers.CorruptError
	if err != nil && !errors.As(err, &corrupt) && !errors.Is(err, readers.ErrNewer) {
		t.Fatalf("an error without a name: %v", err)
	}
}
