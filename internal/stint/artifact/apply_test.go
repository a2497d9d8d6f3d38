package artifact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestApply(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	b.write(b.tree, "c", "c\n")
	require.NoError(t, os.Remove(filepath.Join(b.tree.Dir, "b")))
	b.save("one")
	b.write(b.main, "mine", "untouched\n")
	b.store.Now = func() time.Time { return time.Unix(1060, 0) }

	_, err := b.store.Apply(t.Context(), b.main, "one")
	require.NoError(t, err)
	want := map[string]string{"a": "A\n", "c": "c\n", ".gitignore": "*.log\n", "mine": "untouched\n"}
	if diff := cmp.Diff(want, b.files()); diff != "" {
		t.Errorf("the main work tree (-want +got)\n%s", diff)
	}
	m, err := b.store.Get("one")
	require.NoError(t, err)
	require.NoError(t, b.tree.Do(t.Context(), "add", "-A"))
	tree, err := b.tree.Line(t.Context(), "write-tree")
	require.NoError(t, err)
	at := readers.At(time.Unix(1060, 0))
	receipt := &manifest.Receipt{Base: b.base, Tree: tree, PatchSHA256: m.PatchSHA256, AppliedAt: at}
	got := []any{m.State, m.AppliedAt, m.UpdatedAt, m.Revision, m.Receipt}
	if diff := cmp.Diff([]any{manifest.Applied, at, at, int64(2), receipt}, got); diff != "" {
		t.Errorf("state, applied_at, updated_at, revision, receipt (-want +got)\n%s", diff)
	}
	_, err = b.store.Apply(t.Context(), b.main, "one")
	require.ErrorContains(t, err, "it is applied, and only a pending one, or an interrupted one that holds work, can be applied")
	_, err = b.store.Discard(t.Context(), b.main, "one")
	require.ErrorContains(t, err, "it is applied, and only a pending one, or an interrupted one that holds work, can be discarded")
}

func TestApplyRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(b *bench)
		want string
	}{
		{"a base that moved", func(b *bench) { b.write(b.main, "z", "z\n"); b.commit(b.main) }, "check that commit out"},
		{"a changed file", func(b *bench) { b.write(b.main, "a", "mine\n") }, "has changes of its own in \"a\""},
		{"a staged file", func(b *bench) {
			b.write(b.main, "a", "mine\n")
			require.NoError(b, b.main.Do(b.Context(), "add", "a"))
		}, "has changes of its own in \"a\""},
		{"a file where one is to be", func(b *bench) { b.write(b.main, "new", "mine\n") }, "has changes of its own in \"new\""},
		{"an ignored file where one is to be", func(b *bench) { b.write(b.main, "new.log", "mine\n") }, "has changes of its own in \"new.log\""},
		{"a folder where a file is to be", func(b *bench) { b.write(b.main, "new/x.log", "mine\n") }, "has changes of its own in \"new/x.log\""},
		{"a patch of another run", func(b *bench) { b.write(git.Tree{Dir: b.store.StateDir}, "runs/one/changes.patch", "") }, "is not the patch"},
		{"a patch that is gone", func(b *bench) {
			require.NoError(b, os.Remove(filepath.Join(b.store.StateDir, "runs/one/changes.patch")))
		}, "no such file"},
		{"a discarded run", func(b *bench) { _, err := b.store.Discard(b.Context(), b.main, "one"); require.NoError(b, err) }, "it is discarded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.write(b.tree, "a", "A\n")
			b.write(b.tree, "new", "new\n")
			b.write(b.tree, "new.log", "log\n")
			require.NoError(t, b.tree.Do(t.Context(), "add", "-f", "new.log"))
			b.save("one")
			test.do(b)
			files, run := b.files(), b.manifest("one")
			_, err := b.store.Apply(t.Context(), b.main, "one")
			require.ErrorContains(t, err, test.want)
			if diff := cmp.Diff(files, b.files()); diff != "" {
				t.Errorf("a refused apply changes files (-before +after)\n%s", diff)
			}
			if diff := cmp.Diff(run, b.manifest("one")); diff != "" {
				t.Errorf("a refused apply writes (-before +after)\n%s", diff)
			}
		})
	}
}

func (b *bench) manifest(id string) string {
	b.Helper()
	content, err := os.ReadFile(filepath.Join(b.store.StateDir, "runs", id, "manifest.json"))
	require.NoError(b, err)
	return string(content)
}

// An apply that was killed is finished by the next one, wherever it stood.
func TestApplyAgainAfterAKill(t *testing.T) {
	for _, test := range []struct {
		name string
		made map[string]string
	}{
		{"after the first file", map[string]string{"a": "A\n"}},
		{"after one that git ignores", map[string]string{"a": "A\n", "c.log": "log\n"}},
		{"after the last file", map[string]string{"a": "A\n", "c": "c\n", "c.log": "log\n"}},
		{"with files still to be moved", map[string]string{".stint/apply/a": "cut", ".stint/apply/old": "of another run\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.write(b.tree, "a", "A\n")
			b.write(b.tree, "c", "c\n")
			b.write(b.tree, "c.log", "log\n")
			require.NoError(t, b.tree.Do(t.Context(), "add", "-f", "c.log"))
			b.save("one")
			for name, content := range test.made {
				b.write(b.main, name, content)
			}
			m, err := b.store.Apply(t.Context(), b.main, "one")
			require.NoError(t, err)
			require.Equal(t, manifest.Applied, m.State)
			want := map[string]string{"a": "A\n", "b": "b\n", "c": "c\n", "c.log": "log\n", ".gitignore": "*.log\n"}
			if diff := cmp.Diff(want, b.files()); diff != "" {
				t.Errorf("the main work tree (-want +got)\n%s", diff)
			}
			require.NoDirExists(t, filepath.Join(b.main.Dir, ".stint", "apply"))
		})
	}
}

// Half a run in the main work tree would be nobody's if it were discarded.
func TestDiscardAfterAKill(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	b.write(b.tree, "dir/c", "c\n")
	b.save("one")
	b.write(b.main, "a", "A\n")
	b.write(b.main, ".stint/apply/dir/c", "c\n")
	run := b.manifest("one")
	_, err := b.store.Discard(t.Context(), b.main, "one")
	require.ErrorContains(t, err, `run "one": an apply of it was killed and left "dir/c" in ".stint/apply": finish it by stint runs apply one, or`)
	require.Equal(t, run, b.manifest("one"))

	b.write(b.main, ".stint/apply/of another run", "x")
	require.NoError(t, os.Remove(filepath.Join(b.main.Dir, ".stint/apply/dir/c")))
	m, err := b.store.Discard(t.Context(), b.main, "one")
	require.NoError(t, err)
	require.Equal(t, manifest.Discarded, m.State)
}

// What the killed one left staged may be gone while files are in their places;
// that some are there as the run makes them says nothing by itself.
func TestDiscardOfWhatIsThere(t *testing.T) {
	for _, test := range []struct {
		name string
		made map[string]string
		kill bool
		want string
	}{
		{"nothing", nil, false, ""},
		{"killed before the first file", nil, true, ""},
		{"killed after a file", map[string]string{"a": "A\n"}, true, `left "a" as it makes it`},
		{"killed after one that git ignores", map[string]string{"c.log": "log\n"}, true, `left "c.log" as it makes it`},
		{"killed after all", map[string]string{"a": "A\n", "c": "c\n", "c.log": "log\n"}, true, `left "a" as it makes it`},
		{"killed, and changed since", map[string]string{"a": "mine\n"}, true, ""},
		{"of another run", map[string]string{"a": "A\n"}, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.write(b.tree, "a", "A\n")
			b.write(b.tree, "c", "c\n")
			b.write(b.tree, "c.log", "log\n")
			require.NoError(t, b.tree.Do(t.Context(), "add", "-f", "c.log"))
			b.save("one")
			if test.kill {
				b.write(git.Tree{Dir: b.store.StateDir}, "runs/one/applying", "")
			}
			for name, content := range test.made {
				b.write(b.main, name, content)
			}
			run := b.manifest("one")
			_, err := b.store.Discard(t.Context(), b.main, "one")
			if test.want == "" {
				require.NoError(t, err)
				require.NoFileExists(t, filepath.Join(b.store.StateDir, "runs", "one", "applying"))
				return
			}
			require.ErrorContains(t, err, test.want)
			require.Equal(t, run, b.manifest("one"))
			m, err := b.store.Apply(t.Context(), b.main, "one")
			require.NoError(t, err)
			require.Equal(t, manifest.Applied, m.State)
			require.NoFileExists(t, filepath.Join(b.store.StateDir, "runs", "one", "applying"))
		})
	}
}

// An apply that fails is over: it left nothing that another one is to finish,
// unless one that was killed before it did.
func TestApplyFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		made   map[string]string
		before bool // one was killed before it
		stays  bool
	}{
		{"none was killed before", nil, false, false},
		{"one was killed before its first file", nil, true, false},
		{"one was killed after a file", map[string]string{"a": "A\n"}, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.write(b.tree, "a", "A\n")
			b.write(b.tree, "c", "c\n")
			b.save("one")
			if test.before {
				b.write(git.Tree{Dir: b.store.StateDir}, "runs/one/applying", "")
			}
			for name, content := range test.made {
				b.write(b.main, name, content)
			}
			b.write(b.main, ".stint", "in the place of the folder in which files are made\n")
			before := b.files()
			_, err := b.store.Apply(t.Context(), b.main, "one")
			require.ErrorContains(t, err, `run "one": not applied: `)
			if diff := cmp.Diff(before, b.files()); diff != "" {
				t.Errorf("a failed apply changes files (-before +after)\n%s", diff)
			}
			applying := filepath.Join(b.store.StateDir, "runs", "one", "applying")
			if test.stays {
				require.FileExists(t, applying)
			} else {
				require.NoFileExists(t, applying)
			}
		})
	}
}

// A receipt is of one apply: of the commit, of the patch, and of the moment.
func TestReceiptIsBound(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	b.save("one")
	_, err := b.store.Apply(t.Context(), b.main, "one")
	require.NoError(t, err)
	good := b.manifest("one")
	m, err := b.store.Get("one")
	require.NoError(t, err)
	for _, test := range []struct{ field, old, new string }{
		{"base", `"base": "` + b.base + `",
    "tree"`, `"base": "` + strings.Repeat("0", 40) + `",
    "tree"`},
		{"tree", m.Receipt.Tree, "none"},
		{"patch_sha256", `"patch_sha256": "` + m.PatchSHA256 + `",
    "applied_at"`, `"patch_sha256": "` + strings.Repeat("0", 64) + `",
    "applied_at"`},
		{"applied_at", `"applied_at": "1970-01-01T00:16:40.000Z"
  }`, `"applied_at": "1970-01-01T00:16:41.000Z"
  }`},
	} {
		require.Contains(t, good, test.old, test.field)
		b.write(git.Tree{Dir: b.store.StateDir}, "runs/one/manifest.json", strings.Replace(good, test.old, test.new, 1))
		_, err := b.store.Get("one")
		var corrupt *readers.CorruptError
		require.ErrorAs(t, err, &corrupt, test.field)
		require.Equal(t, "/receipt/"+test.field, corrupt.Pointer)
	}
}

// What v0.1.2 wrote is applied by today's: its manifest becomes one of today's
// schema, with a receipt.
func TestApplyOfSchema1(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	m := b.save("one")
	old := fmt.Sprintf(`{"schema": 1, "id": "one", "project_id": "p", "kind": "checkpoint", "session": "s", "revision": 1, "state": "pending",
		"root": "/w", "base": %q, "fingerprint": "v1:aa", "files": [{"path": "a", "old_mode": "100644", "new_mode": "100644", "old_hash": %q, "new_hash": %q}],
		"patch_sha256": %q, "patch_size": %d, "created_at": 900, "updated_at": 900, "later": {"x": [1]}}`,
		b.base, m.Files[0].OldHash, m.Files[0].NewHash, m.PatchSHA256, m.PatchSize)
	b.write(git.Tree{Dir: b.store.StateDir}, "runs/one/manifest.json", old)
	_, err := b.store.Apply(t.Context(), b.main, "one")
	require.NoError(t, err)
	require.NoError(t, b.tree.Do(t.Context(), "add", "-A"))
	tree, err := b.tree.Line(t.Context(), "write-tree")
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(b.manifest("one")), &got))
	want := map[string]any{
		"schema": 2.0, "state": "applied", "revision": 2.0, "created_at": "1970-01-01T00:15:00.000Z", "applied_at": "1970-01-01T00:16:40.000Z",
		"receipt": map[string]any{"base": b.base, "tree": tree, "patch_sha256": m.PatchSHA256, "applied_at": "1970-01-01T00:16:40.000Z"},
		"later":   map[string]any{"x": []any{1.0}},
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the manifest (-want +got)\n%s", diff)
	}
}
