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
