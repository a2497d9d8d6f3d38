package artifact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// bench is a repository, a worktree of it that somebody works in, and a store.
type bench struct {
	*testing.T
	main, tree git.Tree
	base       string
	store      *artifact.Store
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	env := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@example.test",
		"GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@example.test")
	b := &bench{T: t, main: git.Tree{Dir: filepath.Join(dir, "main"), Env: env}, tree: git.Tree{Dir: filepath.Join(dir, "work"), Env: env}}
	require.NoError(t, os.Mkdir(b.main.Dir, 0o700))
	require.NoError(t, b.main.Do(t.Context(), "init", "-q"))
	b.write(b.main, "a", "a\n")
	b.write(b.main, "b", "b\n")
	b.write(b.main, ".gitignore", "*.log\n")
	b.commit(b.main)
	b.base, err = b.main.Head(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.main.AddBranch(t.Context(), "work", b.base))
	require.NoError(t, b.main.AddWorktree(t.Context(), b.tree.Dir, "work"))
	state := filepath.Join(dir, "state")
	require.NoError(t, os.Mkdir(state, 0o700))
	root, err := os.OpenRoot(state)
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	b.store = &artifact.Store{ProjectID: "p", StateDir: state, Docs: root.FS(), Now: func() time.Time { return time.Unix(1000, 0) }}
	return b
}

func (b *bench) write(in git.Tree, name, content string) {
	b.Helper()
	name = filepath.Join(in.Dir, name)
	require.NoError(b, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(b, os.WriteFile(name, []byte(content), 0o644))
}

func (b *bench) commit(in git.Tree) {
	b.Helper()
	require.NoError(b, in.Do(b.Context(), "add", "-A"))
	require.NoError(b, in.Do(b.Context(), "commit", "-qm", "more"))
}

// save makes a pending run of the work done in the worktree.
func (b *bench) save(id string) *manifest.Manifest {
	b.Helper()
	w, err := artifact.Take(b.Context(), b.tree, b.base)
	require.NoError(b, err)
	m, err := b.store.Create(b.Context(), manifest.Manifest{
		Head: readers.Head{ID: id, ProjectID: "p"}, Kind: manifest.Checkpoint, Session: "s", Root: b.tree.Dir, Base: b.base, Fingerprint: "v1:aa", Files: w.Files,
	}, w.Patch, func() error { return nil })
	require.NoError(b, err)
	return m
}

// files is the content of the main work tree, by name.
func (b *bench) files() map[string]string {
	b.Helper()
	all := make(map[string]string)
	entries, err := os.ReadDir(b.main.Dir)
	require.NoError(b, err)
	for _, e := range entries {
		if e.Type().IsRegular() {
			content, err := os.ReadFile(filepath.Join(b.main.Dir, e.Name()))
			require.NoError(b, err)
			all[e.Name()] = string(content)
		}
	}
	return all
}

func TestTakeRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(b *bench)
		want string
	}{
		{"nothing", func(*bench) {}, "there is nothing to save"},
		{"only ignored files", func(b *bench) { b.write(b.tree, "x.log", "x") }, "there is nothing to save"},
		{"a name that is not UTF-8", func(b *bench) { b.write(b.tree, "caf\xe9", "x\n") }, "not UTF-8"},
		{"a repository inside", func(b *bench) {
			require.NoError(b, b.main.Do(b.Context(), "clone", "-q", b.main.Dir, b.tree.Dir+"/in"))
		}, "a repository of its own"},
		{"a repository without a commit inside", func(b *bench) {
			b.write(b.tree, "a", "A\n")
			require.NoError(b, b.main.Do(b.Context(), "init", "-q", b.tree.Dir+"/in side"))
		}, `"in side" is a repository of its own and has no commit: move it away`},
		{"too much", func(b *bench) { b.write(b.tree, "much", strings.Repeat("0123456789abcde\n", 1<<20)) }, "more than the 16777216"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			test.do(b)
			_, err := artifact.Take(t.Context(), b.tree, b.base)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// What git's attributes say of a file does not keep it from being held, and
// neither does a NUL.
func TestTakeHoldsBytes(t *testing.T) {
	content := map[string]string{
		"x.lock": "lock\n", "x.bin": "\xff\xfe text\r\n", "x.text": "a\x00b\r\n\x00", "picture": "\x89PNG\r\n\x1a\n\x00\x00",
		"big": strings.Repeat("\x00\x01\x02", 1<<16), "a": "a\n\x00more", "none": "",
	}
	b := newBench(t)
	b.write(b.tree, ".gitattributes", "*.lock -diff\n*.bin binary\n*.text diff\nbig -delta\n")
	for name, bytes := range content {
		b.write(b.tree, name, bytes)
	}
	m := b.save("one")
	require.Len(t, m.Files, 8)
	_, err := b.store.Apply(t.Context(), b.main, "one")
	require.NoError(t, err)
	got := b.files()
	for name, want := range content {
		if got[name] != want {
			t.Errorf("%s holds %.40q, want %.40q", name, got[name], want)
		}
	}
}

// of tells the runs of a session.
func of(session string) func(*manifest.Manifest) bool {
	return func(m *manifest.Manifest) bool { return m.Session == session }
}

func TestHolds(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	b.save("one")
	w, err := artifact.Take(t.Context(), b.tree, b.base)
	require.NoError(t, err)
	more := *w
	more.Patch = append([]byte("x"), w.Patch...)
	other := strings.Repeat("1", 40)
	for _, test := range []struct {
		name, session, base string
		work                *artifact.Work
		want                bool
	}{
		{"this work", "s", b.base, w, true},
		{"other work", "s", b.base, &more, false},
		{"another session's", "t", b.base, w, false},
		{"on another base", "s", other, w, false},
	} {
		got, err := b.store.Holds(of(test.session), test.base, test.work)
		require.NoError(t, err)
		require.Equal(t, test.want, got, test.name)
	}
	_, err = b.store.Discard(t.Context(), b.main, "one")
	require.NoError(t, err)
	got, err := b.store.Holds(of("s"), b.base, w)
	require.NoError(t, err)
	require.False(t, got, "a discarded run")
	b.save("two")
	require.NoError(t, os.WriteFile(filepath.Join(b.store.StateDir, "runs", "two", "changes.patch"), nil, 0o600))
	got, err = b.store.Holds(of("s"), b.base, w)
	require.NoError(t, err)
	require.False(t, got, "a run whose patch is not whole")
}

func TestManifests(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	for i, id := range []string{"zz", "aa", "newer", "other"} {
		b.store.Now = func() time.Time { return time.Unix(int64(1000+i), 0) }
		b.save(id)
	}
	edit := func(id, old, new string) {
		b.write(git.Tree{Dir: b.store.StateDir}, "runs/"+id+"/manifest.json", strings.Replace(b.manifest(id), old, new, 1))
	}
	edit("newer", `"schema": 2`, `"schema": 3`)
	edit("other", `"project_id": "p"`, `"project_id": "q"`)
	b.write(git.Tree{Dir: b.store.StateDir}, "runs/started/changes.patch", "")

	all, skipped, err := b.store.Manifests()
	require.NoError(t, err)
	var got []string
	for _, m := range all {
		got = append(got, m.ID)
	}
	for _, s := range skipped {
		got = append(got, "skipped "+filepath.Base(filepath.Dir(s.Path)))
	}
	if diff := cmp.Diff([]string{"zz", "aa", "skipped newer", "skipped other"}, got); diff != "" {
		t.Errorf("Manifests (-want +got)\n%s", diff)
	}
	_, err = b.store.Discard(t.Context(), b.main, "newer")
	require.ErrorContains(t, err, "schema 3 is newer than 2")
	_, err = b.store.Get("absent")
	require.ErrorIs(t, err, artifact.ErrNotFound)
}

func TestRewriteKeepsUnknownFields(t *testing.T) {
	b := newBench(t)
	b.write(b.tree, "a", "A\n")
	b.save("one")
	b.write(git.Tree{Dir: b.store.StateDir}, "runs/one/manifest.json",
		strings.Replace(strings.Replace(b.manifest("one"), "{", `{"later": 1,`, 1), `"path"`, `"weight": 2, "path"`, 1))
	_, err := b.store.Discard(t.Context(), b.main, "one")
	require.NoError(t, err)
	require.Contains(t, b.manifest("one"), `"later": 1`)
	require.Contains(t, b.manifest("one"), `"weight": 2`)
	require.Contains(t, b.manifest("one"), `"discarded"`)
}
