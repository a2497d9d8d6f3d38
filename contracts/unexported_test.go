package contracts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// What a thaw must not have done, each by one file that it left behind.
func TestRebindingRuleSeesEveryByte(t *testing.T) {
	const (
		state  = "home/.local/state/jot/"
		plain  = "project/keep.txt"
		bound  = state + "config.toml"
		latest = state + "latest"
	)
	change := func(box string, with func([]byte) []byte) func(*testing.T, *fixture.Thawed) {
		return func(t *testing.T, th *fixture.Thawed) {
			at := filepath.Join(th.Dir, th.Paths[box])
			data, err := os.ReadFile(at)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(at, with(data), 0o600))
		}
	}
	tests := []struct {
		name   string
		change func(t *testing.T, th *fixture.Thawed)
		want   string // empty if there is nothing to see
	}{
		{"nothing", func(*testing.T, *fixture.Thawed) {}, ""},
		{"a byte more", change(plain, func(b []byte) []byte { return append(b, 'x') }), plain},
		{"a byte less", change(plain, func(b []byte) []byte { return b[1:] }), plain},
		{"a file empty", change(bound, func([]byte) []byte { return nil }), bound},
		{"a byte beside a bound value", change(bound, func(b []byte) []byte { return bytes.Replace(b, []byte("ask"), []byte("asK"), 1) }), bound},
		{"the old root left", change(bound, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`project = "`), []byte(`project = "/tmp/fz.qjxyrwkw`), 1)
		}), bound},
		{"a link elsewhere", func(t *testing.T, th *fixture.Thawed) {
			at := filepath.Join(th.Dir, th.Paths[latest])
			require.NoError(t, os.Remove(at))
			require.NoError(t, os.Symlink("elsewhere", at))
		}, latest},
		{"a file gone", func(t *testing.T, th *fixture.Thawed) { require.NoError(t, os.Remove(filepath.Join(th.Dir, plain))) }, "keep.txt"},
	}
	r, err := fixture.Load(os.DirFS("testdata/jot/fixtures"), "notes", "v1.0.0")
	require.NoError(t, err)
	s := r.Scenarios["add"]
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			th, err := s.Thaw(t.Context(), t.TempDir(), fixture.ThawOptions{})
			require.NoError(t, err)
			tt.change(t, th)
			err = (&checking{}).sameButMoved(t.Context(), s, th)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// A count is wrong in either direction, also of a value that begins another.
func TestMovesCount(t *testing.T) {
	r, err := fixture.Load(os.DirFS("testdata/jot/fixtures"), "notes", "v1.1.0")
	require.NoError(t, err)
	for _, by := range []int{-1, 1} {
		counted := 0
		s := r.Scenarios["upgrade"]
		for _, e := range s.Entries {
			m, err := (&checking{}).moves(t.Context(), s, "/elsewhere")
			require.NoError(t, err)
			for value := range m.count[e.Path] {
				m.count[e.Path][value] += by
				counted++
			}
			if len(m.count[e.Path]) > 0 {
				_, err := m.apply(e)
				require.ErrorContains(t, err, e.Path)
			}
		}
		require.Greater(t, counted, 5)
	}
}

// A derivation that only the subject can compute, in both of its uses.
func TestDeriveIsTheSubjectsOwn(t *testing.T) {
	r, err := fixture.Load(os.DirFS("testdata/jot/fixtures"), "notes", "v1.1.0")
	require.NoError(t, err)
	s := *r.Scenarios["tree"]
	s.Bindings = slices.Clone(s.Bindings)
	at := slices.IndexFunc(s.Bindings, func(b binding.Binding) bool { return b.Derive == "sha256" })
	s.Bindings[at].Derive = "key"
	key := func(_ context.Context, inputs map[string]string) (string, error) {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(inputs["{root}/project"])))[:12], nil
	}
	newest := fixture.Key{Family: "notes", Version: "v1.1.0"}

	th := newFixture(t, newest, &s, nil).Thaw(t, Derive("key", key))
	config, err := os.ReadFile(th.Path("home/.local/state/jot/config.toml"))
	require.NoError(t, err)
	want, err := key(t.Context(), map[string]string{"{root}/project": th.Path("project")})
	require.NoError(t, err)
	require.Contains(t, string(config), `key = "`+want+`"`)

	k := &checking{Corpus: Corpus{Derive: map[string]func(context.Context, map[string]string) (string, error){"key": key}}}
	require.NoError(t, k.rebound(t.Context(), &s, t.TempDir()))
	require.ErrorContains(t, (&checking{}).rebound(t.Context(), &s, t.TempDir()), `derivation "key": Corpus.Derive has none`)
}

// That files of a release are spoilt all at once makes nobody miss one that is
// not named, nor take an error that names just any for one that sees.
func TestHashedAll(t *testing.T) {
	files := []string{"a", "b"}
	naming := func(files ...string) error {
		return fmt.Errorf("notes: %w", &fixture.FilesError{Files: files, Errs: make([]error, len(files))})
	}
	for _, tt := range []struct {
		err  error
		want []Verdict
	}{
		{naming("a", "b"), []Verdict{ByHash, ByHash}},
		{naming("b"), []Verdict{Unseen, ByHash}},
		{naming("a", "b", "c"), []Verdict{Unseen, Unseen}},
		{errors.New("a, b"), []Verdict{Unseen, Unseen}},
		{nil, []Verdict{Unseen, Unseen}},
	} {
		var got []Verdict
		for _, c := range hashedAll(files, "altered", tt.err) {
			got = append(got, c.Seen)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("hashedAll(%v) (-want +got)\n%s", tt.err, diff)
		}
	}
}

// The places at which rebinding is tried are shorter and longer than a box's,
// and what a killed process leaves of them is removed by the next one.
func TestNewShortFolder(t *testing.T) {
	if _, err := os.Stat(memory); err != nil {
		t.Skip(err)
	}
	held, err := newShortFolder()
	require.NoError(t, err)
	require.Less(t, len(held.dir), len("/tmp/fz.abcdefgh"))
	sweep(memory)
	require.DirExists(t, held.dir)
	require.NoError(t, held.lock.Close()) // as the end of its process would
	sweep(memory)
	require.NoDirExists(t, held.dir)
}
