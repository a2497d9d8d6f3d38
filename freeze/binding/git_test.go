package binding_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// gitBox is a real folder with a real repository and a worktree in it.
func gitBox(t *testing.T, root string, clone, gc bool) *binding.Run {
	t.Helper()
	from := time.Now()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "project"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "home"), 0o700))
	git := func(args ...string) { runGit(t, root, filepath.Join(root, "project"), args...) }
	write := func(name, data string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, "project", name), []byte(data), 0o644))
	}
	git("init", "-q", "-b", "main")
	write("a.txt", "a\n")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	id := hexOf(root)
	git("worktree", "add", "-q", "-b", "work/"+id, filepath.Join(root, "home/work-"+id))
	if clone {
		git("clone", "-q", root+"/project", root+"/home/clone")
		git("-C", root+"/home/clone", "fetch", "-q", "origin")
	}
	if gc {
		git("gc", "-q", "--prune=never")
	}
	write("b.txt", "staged\n")
	git("add", "b.txt")
	write("b.txt", "not staged\n")
	entries, err := tree.Walk(root, []string{"home", "project"})
	require.NoError(t, err)
	return &binding.Run{Root: root, From: from, To: time.Now(), Entries: entries}
}

// hexOf gives each box an id of its own, as a program would by chance.
func hexOf(root string) string { return sha256Hex("an id for " + root)[:12] }

func runGit(t *testing.T, root, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root + "/home", "GIT_CONFIG_NOSYSTEM=1", "GIT_TEMPLATE_DIR=" + root + "/none",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000", "LC_ALL=C",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=pack.threads", "GIT_CONFIG_VALUE_0=1",
		"GIT_CONFIG_KEY_1=gc.auto", "GIT_CONFIG_VALUE_1=0", "GIT_CONFIG_KEY_2=gc.reflogExpire", "GIT_CONFIG_VALUE_2=never"}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), out)
	return string(out)
}

func TestGit(t *testing.T) {
	const odd = "/with space/and-hyphen/and 'quote'"
	tests := []struct {
		name      string
		clone, gc bool
		root      string
		refused   string
	}{
		{name: "worktree", root: "/elsewhere"},
		{name: "worktree, odd root", root: odd},
		{name: "packed", gc: true, root: "/e"},
		{name: "clone", clone: true, gc: true, root: "/elsewhere/and/farther"},
		{name: "clone, odd root", clone: true, gc: true, root: odd},
		{name: "clone, comment in root", clone: true, root: "/a #b", refused: `it holds "#"`},
		{name: "clone, space at the end", clone: true, root: "/a ", refused: "it ends in a space"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("/tmp", "fz-binding-")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			box := func(root string) *binding.Run { return gitBox(t, dir+root, tt.clone, tt.gc) }
			a, b := box("/hjkmnpqr"), box("/l/zxwvtsrqpnm")
			bs, ds := binding.Find(a, b, nil, nil)
			noDifference(t, "Find", ds)
			noDifference(t, "Again", binding.Again(frozen(a), bs, box("/ttrrkkjjhh"), nil))

			root := dir + tt.root
			thawed, err := binding.Rebind(context.Background(), a.Entries, bs, root, nil)
			if tt.refused != "" {
				require.ErrorContains(t, err, tt.refused)
				return
			}
			require.NoError(t, err)
			put(t, root, thawed)
			work := root + "/home/work-" + hexOf(dir+"/hjkmnpqr")
			for _, at := range []string{root + "/project", work} {
				runGit(t, root, at, "update-index", "-q", "--refresh")
				runGit(t, root, at, "fsck", "--strict")
			}
			want := "AM b.txt\n"
			if d := cmp.Diff(want, runGit(t, root, root+"/project", "status", "--porcelain")); d != "" {
				t.Errorf("status (-want +got):\n%s", d)
			}
			require.Empty(t, runGit(t, root, work, "status", "--porcelain"))
			require.Contains(t, runGit(t, root, root+"/project", "worktree", "list"), work)
		})
	}
}

// The index is sorted by name and summed: an id in the name of a tracked file
// cannot be bound in it.
func TestGitIndexWithAnID(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "fz-binding-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	box := func(root string) *binding.Run {
		at := filepath.Join(root, "project")
		require.NoError(t, os.MkdirAll(filepath.Join(root, "home"), 0o700))
		require.NoError(t, os.MkdirAll(at, 0o700))
		runGit(t, root, at, "init", "-q", "-b", "main")
		require.NoError(t, os.WriteFile(filepath.Join(at, "run-"+hexOf(root)+".txt"), []byte("a\n"), 0o644))
		runGit(t, root, at, "add", ".")
		entries, err := tree.Walk(root, []string{"project"})
		require.NoError(t, err)
		return &binding.Run{Root: root, From: time.Now(), To: time.Now(), Entries: entries}
	}
	_, ds := binding.Find(box(dir+"/hjkmnpqr"), box(dir+"/zxwvtsrqpnm"), nil, nil)
	require.Len(t, ds, 1)
	require.Equal(t, "project/.git/index", ds[0].Path)
	require.Contains(t, ds[0].Why, "git's index differs: the names, modes or contents of tracked files are not the same in both boxes")
	require.Contains(t, ds[0].Why, "an id or a time in such a name cannot be bound")
}

// put writes entries below a root, parents first as Walk sorts them.
func put(t *testing.T, root string, entries []tree.Entry) {
	t.Helper()
	for _, e := range entries {
		at := filepath.Join(root, e.Path)
		switch e.Type {
		case tree.Dir:
			require.NoError(t, os.MkdirAll(at, 0o700))
		case tree.Symlink:
			require.NoError(t, os.Symlink(e.Target, at))
		case tree.File:
			require.NoError(t, os.WriteFile(at, e.Data, e.Mode|0o200))
		}
	}
}
