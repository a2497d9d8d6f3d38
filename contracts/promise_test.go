package contracts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

func TestPromisesOf(t *testing.T) {
	const page = "# The contract\n\n1. no row\n\n## Rows\n\n### 1. Notes\n\nA note in `notes.jsonl` is read. And more.\n\n### 2. No words\n\n## 3 items\n\nNothing.\n\n### 14. Prune\n\nPrune\n"
	want := map[string]string{"r1": "Notes: A note in `notes.jsonl` is read", "r2": "No words", "r14": "Prune: Prune"}
	require.Equal(t, want, promisesOf(page))
}

// heard is a test that hears what is said about it instead of failing.
type heard struct {
	testing.TB
	said []string
}

func (t *heard) Errorf(format string, args ...any) {
	t.said = append(t.said, fmt.Sprintf(format, args...))
}
func (t *heard) Logf(string, ...any)    {}
func (t *heard) Attr(key, value string) { t.said = append(t.said, key+"="+value) }

// A failure says what was promised to whom, if the suite has given its page.
func TestAFailureTellsThePromise(t *testing.T) {
	before := current.promise
	t.Cleanup(func() { current.promise = before })
	name := t.TempDir() + "/page.md"
	require.NoError(t, os.WriteFile(name, []byte("### 1. Notes\n\nAll are read. Fast.\n"), 0o600))
	r, err := fixture.Load(os.DirFS("testdata/jot/fixtures"), "notes", "v1.0.0")
	require.NoError(t, err)
	f := newFixture(t, fixture.Key{Family: "notes", Version: "v1.0.0"}, r.Scenarios["add"], nil)
	for _, tt := range []struct{ page, id, want string }{
		{name, "r1.list", `r1.list: notes/v1.0.0/add: the promise to v1.0.0 is broken: "Notes: All are read" (-want +got)`},
		{name, "r12.list", `r12.list: notes/v1.0.0/add (-want +got)`},
		{name + ".gone", "r1.list", "r1.list: notes/v1.0.0/add: a promise to v1.0.0 is broken, and which cannot be told: open " + name + ".gone: no such file or directory (-want +got)"},
	} {
		Promises(tt.page)(current)
		h := &heard{TB: t}
		require.False(t, f.Equal(h, tt.id, 1, 2))
		require.Equal(t, []string{"freeze.assert=" + tt.id, tt.want}, []string{h.said[0], strings.Split(h.said[1], "\n")[0]})
	}
}

func TestTamperingIsJudged(t *testing.T) {
	found := []Tampered{
		{File: "a/panics", How: "altered", Seen: ByPanic}, {File: "a/gone", How: "deleted", Seen: Unseen},
		{File: "a/half", How: "altered", Seen: ByHash}, {File: "a/half", How: "deleted", Seen: ByReader},
		{File: "a/thawed", How: "altered", Seen: ByThaw}, {File: "a/alone", How: "altered", Seen: ByHash}, {File: "a/meant", How: "altered", Seen: ByHash},
	}
	always := []string{"a/panics, altered: panic", "a/gone, deleted: unseen"}
	alone := append(always[:2:2], "a/alone: nothing but the hash sees any change to it")
	for _, tt := range []struct {
		asked  bool
		byHash []string
		want   []string
	}{{false, []string{"meant"}, always}, {true, nil, always}, {true, []string{"meant"}, alone}} {
		h := &heard{TB: t}
		judgeTampered(h, found, tt.asked, tt.byHash)
		require.Equal(t, tt.want, h.said, "asked %t, by hash %q", tt.asked, tt.byHash)
	}
}
