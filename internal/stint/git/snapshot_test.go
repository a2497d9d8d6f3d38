package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// work is a session's doings, of every kind that a patch holds.
func work(p place) {
	p.write(p.tree, "a.txt", "one\n\ntwo\nthree\nFOUR\nfive")
	p.write(p.tree, "new file", "new\r\nlines  \n")
	p.write(p.tree, "empty", "")
	p.write(p.tree, "picture", "\x89PNG\r\n\x00\x00"+strings.Repeat("\x00pixel", 1<<10))
	p.write(p.tree, "committed", "c\n")
	p.git(p.tree, "add", "committed")
	p.git(p.tree, "commit", "-qm", "in between")
	p.write(p.tree, "forced.log", "an ignored file that was added\n")
	p.git(p.tree, "add", "-f", "forced.log")
	p.write(p.tree, "ignored.log", "no\n")
	require.NoError(p.t, os.Remove(filepath.Join(p.tree.Dir, "dir", "b.txt")))
	require.NoError(p.t, os.Symlink("a.txt", filepath.Join(p.tree.Dir, "link")))
	require.NoError(p.t, os.Chmod(filepath.Join(p.tree.Dir, ".gitignore"), 0o755))
}

func (p place) blob(in git.Tree, name string) string {
	p.t.Helper()
	return strings.TrimSpace(p.git(in, "hash-object", "--", name))
}

func TestSnapshot(t *testing.T) {
	p := newPlace(t)
	was := p.blob(p.main, "a.txt")
	ignore, b := p.blob(p.main, ".gitignore"), p.blob(p.main, "dir/b.txt")
	work(p)
	index, err := os.ReadFile(strings.TrimSpace(p.git(p.tree, "rev-parse", "--git-path", "index")))
	require.NoError(t, err)
	objects := p.git(p.main, "count-objects")

	got, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	want := []git.Change{
		{Path: ".gitignore", OldMode: "100644", NewMode: "100755", OldHash: ignore, NewHash: ignore},
		{Path: "a.txt", OldMode: "100644", NewMode: "100644", OldHash: was, NewHash: p.blob(p.tree, "a.txt")},
		{Path: "committed", NewMode: "100644", NewHash: p.blob(p.tree, "committed")},
		{Path: "dir/b.txt", OldMode: "100644", OldHash: b},
		{Path: "empty", NewMode: "100644", NewHash: p.blob(p.tree, "empty")},
		{Path: "forced.log", NewMode: "100644", NewHash: p.blob(p.tree, "forced.log")},
		{Path: "link", NewMode: "120000", NewHash: p.hash("a.txt")},
		{Path: "new file", NewMode: "100644", NewHash: p.blob(p.tree, "new file")},
		{Path: "picture", NewMode: "100644", NewHash: p.blob(p.tree, "picture")},
	}
	if diff := cmp.Diff(want, got.Files); diff != "" {
		t.Errorf("Snapshot (-want +got)\n%s", diff)
	}
	after, err := os.ReadFile(strings.TrimSpace(p.git(p.tree, "rev-parse", "--git-path", "index")))
	require.NoError(t, err)
	require.Equal(t, index, after, "the user's index")
	require.Equal(t, objects, p.git(p.main, "count-objects"), "objects of the repository")
}

// hash is git's name for a blob of that content.
func (p place) hash(content string) string {
	p.t.Helper()
	cmd := exec.Command("git", "hash-object", "--stdin")
	cmd.Dir, cmd.Stdin = p.main.Dir, strings.NewReader(content)
	out, err := cmd.Output()
	require.NoError(p.t, err)
	return strings.TrimSpace(string(out))
}

// The patch's hash tells whether work is saved, so no setting may change it.
func TestSnapshotIsTheSameForEveryUser(t *testing.T) {
	p := newPlace(t)
	work(p)
	hostile, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	p.tree.Env = append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")
	plain, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	if diff := cmp.Diff(plain, hostile); diff != "" {
		t.Errorf("Snapshot (-without configuration +with a hostile one)\n%s", diff)
	}
}

func TestSnapshotOfNothing(t *testing.T) {
	p := newPlace(t)
	got, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	if diff := cmp.Diff(&git.Snapshot{}, got); diff != "" {
		t.Errorf("Snapshot (-want +got)\n%s", diff)
	}
}

// A file of the same size that was changed within the same tick of the clock
// as the index was written is told from an unchanged one by the index's time.
func TestSnapshotSeesARacyChange(t *testing.T) {
	p := newPlace(t)
	name := filepath.Join(p.tree.Dir, "a.txt")
	at := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(name, at, at))
	p.git(p.tree, "update-index", "--refresh")
	before, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(before), "two", "TWO", 1)), 0o644))
	require.NoError(t, os.Chtimes(name, at, at))
	index := strings.TrimSpace(p.git(p.tree, "rev-parse", "--path-format=absolute", "--git-path", "index"))
	require.NoError(t, os.Chtimes(index, at, at))
	p.git(p.tree, "config", "core.trustctime", "false")
	got, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	require.Len(t, got.Files, 1, "the change was missed")
}

func TestApply(t *testing.T) {
	p := newPlace(t)
	work(p)
	snap, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	tree, err := p.main.Apply(t.Context(), p.base, snap.Patch, snap.Files, nil)
	require.NoError(t, err)
	p.git(p.tree, "add", "-A")
	require.Equal(t, strings.TrimSpace(p.git(p.tree, "write-tree")), tree, "the tree that it makes")
	got, err := p.main.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	// forced.log is ignored in the main work tree, whose index does not have it.
	want := append([]git.Change{}, snap.Files...)
	for i, c := range want {
		if c.Path == "forced.log" {
			want = append(want[:i], want[i+1:]...)
			break
		}
	}
	if diff := cmp.Diff(want, got.Files); diff != "" {
		t.Errorf("the main work tree (-want +got)\n%s", diff)
	}
	require.FileExists(t, filepath.Join(p.main.Dir, "forced.log"))
	require.NoDirExists(t, filepath.Join(p.main.Dir, "dir"), "a folder that is empty now")
	require.Empty(t, p.git(p.main, "diff", "--cached", "--name-only"), "the index")
}

// A file takes the place of a folder, also of one that is left hollow by an
// apply that was killed, and a folder that of a file.
func TestApplyTakesPlaces(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(filepath.Join(p.tree.Dir, "dir")))
	p.write(p.tree, "dir", "a file\n")
	require.NoError(t, os.Remove(filepath.Join(p.tree.Dir, "a.txt")))
	p.write(p.tree, "a.txt/below", "in a folder\n")
	snap, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(p.main.Dir, "dir", "b.txt")))
	require.NoError(t, os.MkdirAll(filepath.Join(p.main.Dir, "dir", "hollow", "deep"), 0o700))
	_, err = p.main.Apply(t.Context(), p.base, snap.Patch, snap.Files, nil)
	require.NoError(t, err)
	got, err := p.main.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	if diff := cmp.Diff(snap.Files, got.Files); diff != "" {
		t.Errorf("the main work tree (-want +got)\n%s", diff)
	}
}

// Where one of the moves fails, those before it are taken back.
func TestApplyPutsBack(t *testing.T) {
	p := newPlace(t)
	p.write(p.tree, "a.txt", "other\n")
	p.write(p.tree, "z", "new\n")
	p.write(p.tree, "zz/below", "in a folder\n")
	require.NoError(t, os.Remove(filepath.Join(p.tree.Dir, "dir", "b.txt")))
	snap, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	p.write(p.main, "z/mine.log", "ignored\n")
	_, err = p.main.Apply(t.Context(), p.base, snap.Patch, snap.Files, nil)
	require.ErrorContains(t, err, "directory not empty")
	if diff := cmp.Diff("", p.git(p.main, "status", "--porcelain", "--untracked-files=all")); diff != "" {
		t.Errorf("the main work tree after a failure (-want +got)\n%s", diff)
	}
	require.FileExists(t, filepath.Join(p.main.Dir, "z", "mine.log"))
}

func TestApplyAllOrNothing(t *testing.T) {
	p := newPlace(t)
	p.write(p.tree, "a.txt", "other\n")
	p.write(p.tree, "z/deep", "new\n")
	require.NoError(t, os.Remove(filepath.Join(p.tree.Dir, "dir", "b.txt")))
	snap, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	// What cannot be written: a file whose filter fails.
	p.git(p.main, "config", "filter.broken.clean", "cat")
	p.git(p.main, "config", "filter.broken.smudge", "false")
	p.git(p.main, "config", "filter.broken.required", "true")
	require.NoError(t, os.WriteFile(filepath.Join(p.main.Dir, ".git", "info", "attributes"), []byte("z/deep filter=broken\n"), 0o600))
	_, err = p.main.Apply(t.Context(), p.base, snap.Patch, snap.Files, nil)
	require.ErrorContains(t, err, "smudge filter")
	if diff := cmp.Diff("", p.git(p.main, "status", "--porcelain", "--untracked-files=all")); diff != "" {
		t.Errorf("the main work tree after a failure (-want +got)\n%s", diff)
	}
	require.FileExists(t, filepath.Join(p.main.Dir, "dir", "b.txt"))
}

func TestApplyRefusesAnotherPatch(t *testing.T) {
	p := newPlace(t)
	p.write(p.tree, "a.txt", "other\n")
	p.write(p.tree, "dir/b.txt", "other\n")
	snap, err := p.tree.Snapshot(t.Context(), p.base)
	require.NoError(t, err)
	_, err = p.main.Apply(t.Context(), p.base, snap.Patch, snap.Files[:1], nil)
	require.ErrorContains(t, err, "other files")
	_, err = p.main.Apply(t.Context(), p.base, snap.Patch[:len(snap.Patch)/2], snap.Files, nil)
	require.Error(t, err)
	require.Empty(t, p.git(p.main, "status", "--porcelain"))
}

func TestInTheWay(t *testing.T) {
	p := newPlace(t)
	p.write(p.main, "x.log", "ignored\n")
	p.write(p.main, "full/y.log", "ignored\n")
	require.NoError(t, os.Mkdir(filepath.Join(p.main.Dir, "hollow"), 0o700))
	require.NoError(t, os.Symlink("dir", filepath.Join(p.main.Dir, "elsewhere.log")))
	for _, test := range []struct {
		name    string
		leaving []string
		want    string
	}{
		{"free", nil, ""},
		{"dir/free", nil, ""},
		{"free/dir/free", nil, ""},
		{"hollow", nil, ""},
		{"x.log", nil, "x.log"},
		{"x.log/below", nil, "x.log"},
		{"full", nil, "full/y.log"},
		{"elsewhere.log/b", nil, "elsewhere.log"},
		{"dir", nil, "dir/b.txt"},
		{"dir", []string{"dir/b.txt"}, ""},
		{"a.txt/below", []string{"a.txt"}, ""},
	} {
		got, err := p.main.InTheWay(test.name, test.leaving)
		require.NoError(t, err, test.name)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("InTheWay(%q, %q) (-want +got)\n%s", test.name, test.leaving, diff)
		}
	}
}
