package contracts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What is read from git's files is what git says itself, of the main work tree
// and of linked ones, also where a worktree is half made or is gone.
func TestLookAsGit(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(top, "main")
	run := func(in string, args ...string) string {
		t.Helper()
		out, err := git(t.Context(), in, "", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		require.NoError(t, err)
		return out
	}
	run(top, "init", "-q", dir)
	run(dir, "commit", "-q", "--allow-empty", "-m", "one")
	linked := []string{filepath.Join(top, "b linked"), filepath.Join(dir, "a-linked")}
	for _, at := range append(slices.Clone(linked), filepath.Join(top, "gone")) {
		run(dir, "worktree", "add", "-q", "--detach", at)
	}
	run(linked[0], "commit", "-q", "--allow-empty", "-m", "two\ttabs")
	require.NoError(t, os.RemoveAll(filepath.Join(top, "gone")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git/worktrees/half"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".git/worktrees/none"), nil, 0o644))
	for _, at := range append(linked, dir) {
		messages := strings.FieldsFunc(run(at, "reflog", "show", "--format=%gs", "HEAD"), func(r rune) bool { return r == '\n' })
		want := Git{Reflog: messages}
		for field := range strings.SplitSeq(run(at, "worktree", "list", "--porcelain", "-z"), "\x00") {
			if tree, is := strings.CutPrefix(field, "worktree "); is {
				want.Worktrees = append(want.Worktrees, tree)
			}
		}
		require.Len(t, want.Worktrees, 4)
		got, err := look(t.Context(), at, []string{"HEAD^{tree}"}, []string{"fsck"})
		require.NoError(t, err, at)
		if diff := cmp.Diff(want, Git{Reflog: got.Reflog, Worktrees: got.Worktrees}); diff != "" {
			t.Errorf("look(%s) (-git +got)\n%s", at, diff)
		}
	}
}

// What git's own files tell of a revision is what git says. Where they may not
// be all there is, they tell nothing.
func TestLooseAsGit(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir, linked := filepath.Join(top, "main"), filepath.Join(top, "linked")
	run := func(in string, args ...string) string {
		t.Helper()
		out, err := git(t.Context(), in, "", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		require.NoError(t, err)
		return strings.TrimSpace(out)
	}
	run(top, "init", "-q", "-b", "main", dir)
	run(dir, "commit", "-q", "--allow-empty", "-m", "one")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600))
	run(dir, "add", "file")
	run(dir, "commit", "-q", "-m", "two")
	run(dir, "worktree", "add", "-q", "-b", "a/branch", linked, "HEAD~1")
	run(dir, "symbolic-ref", "refs/heads/other", "refs/heads/main")
	tell := func(at, rev string) (id string, is bool) {
		t.Helper()
		own, common, err := gitFolders(at)
		require.NoError(t, err)
		ids, is := loose(own, common, []string{rev})
		return ids[rev], is
	}
	told := []string{"HEAD", "HEAD^{tree}", "refs/heads/main", "refs/heads/a/branch", "refs/heads/a/branch^{tree}"}
	for _, at := range []string{dir, linked} {
		for _, rev := range told {
			id, is := tell(at, rev)
			require.True(t, is, rev)
			require.Equal(t, run(at, "rev-parse", rev), id, rev)
		}
		for _, rev := range []string{"main", "HEAD^", "HEAD~1", "HEAD^{commit}", "refs/heads/gone", "refs/heads/other", "refs/heads/other^{tree}",
			"refs/heads/../heads/main", "refs/heads/main..HEAD", "HEAD:file", "@", ""} {
			_, is := tell(at, rev)
			require.False(t, is, rev)
		}
	}
	run(linked, "checkout", "-q", "--detach")
	id, is := tell(linked, "HEAD^{tree}")
	require.True(t, is)
	require.Equal(t, run(linked, "rev-parse", "HEAD^{tree}"), id)

	// Each in its turn, with a commit in a file of its own before it.
	for _, does := range [][]string{{"replace", "HEAD", "HEAD~1"}, {"repack", "-q", "-a", "-d"}, {"pack-refs", "--all"}} {
		run(dir, "commit", "-q", "--allow-empty", "-m", "more")
		_, is := tell(dir, "HEAD^{tree}")
		require.True(t, is, "before %s", does)
		run(dir, does...)
		_, is = tell(dir, "HEAD^{tree}")
		require.False(t, is, "after %s", does)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git/refs/replace")))
	}
}
