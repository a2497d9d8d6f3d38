package artifact_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
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
	require.ErrorContains(t, err, "it is applied, and only a pending one can be applied")
	_, err = b.store.Discard(t.Context(), b.main, "one")
	require.ErrorContains(t, err, "it is applied, and only a pending one can be discarded")
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
