package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

func TestUnsavedCommits(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(p place) []string // the commits that would be lost
	}{
		{"detached", func(p place) []string {
			p.git(p.tree, "checkout", "-q", "--detach")
			p.write(p.tree, "c", "c\n")
			p.commit("lost")
			return []string{p.git(p.tree, "rev-parse", "HEAD")}
		}},
		{"detached and left behind", func(p place) []string {
			p.git(p.tree, "checkout", "-q", "--detach")
			p.write(p.tree, "c", "c\n")
			p.commit("lost")
			lost := p.git(p.tree, "rev-parse", "HEAD")
			p.git(p.tree, "checkout", "-q", "work")
			return []string{lost}
		}},
		{"put aside by a rebase", func(p place) []string {
			p.write(p.tree, "c", "c\n")
			p.commit("two")
			p.write(p.tree, "a.txt", "precious\n")
			p.git(p.tree, "-c", "sequence.editor=sed -i 1ibreak", "rebase", "-q", "-i", "--autostash", "HEAD~1")
			aside, err := os.ReadFile(filepath.Join(strings.TrimSpace(p.git(p.tree, "rev-parse", "--absolute-git-dir")), "rebase-merge", "autostash"))
			require.NoError(p.t, err)
			return []string{string(aside), p.git(p.tree, "rev-parse", strings.TrimSpace(string(aside))+"^2")}
		}},
		{"a ref of the worktree's own", func(p place) []string {
			lost := p.git(p.tree, "commit-tree", "-m", "lost", "HEAD^{tree}")
			p.git(p.tree, "update-ref", "refs/worktree/own", strings.TrimSpace(lost))
			return []string{lost}
		}},
		{"detached and on a branch again", func(p place) []string {
			p.git(p.tree, "checkout", "-q", "--detach")
			p.write(p.tree, "c", "c\n")
			p.commit("kept")
			p.git(p.tree, "branch", "other")
			return nil
		}},
		{"detached and tagged", func(p place) []string {
			p.git(p.tree, "checkout", "-q", "--detach")
			p.write(p.tree, "c", "c\n")
			p.commit("kept")
			p.git(p.tree, "tag", "kept")
			return nil
		}},
		{"reset away on a branch", func(p place) []string {
			p.write(p.tree, "c", "c\n")
			p.commit("in the branch's reflog")
			p.git(p.tree, "reset", "-q", "--hard", "HEAD~1")
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			want := strings.Fields(strings.Join(test.do(p), ""))
			got, err := p.tree.Unsaved(t.Context(), p.main)
			require.NoError(t, err)
			if diff := cmp.Diff(want, slices.Concat(got.Commits, got.Left), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Commits and Left (-want +got)\n%s", diff)
			}
		})
	}
}

// What the worktree's files hold, too, is told from what they do not.
func TestUnsavedCommitsThatHeadLeft(t *testing.T) {
	p := newPlace(t)
	p.git(p.tree, "checkout", "-q", "--detach")
	p.git(p.tree, "commit", "-q", "--allow-empty", "-m", "left")
	left := strings.TrimSpace(p.git(p.tree, "rev-parse", "HEAD"))
	p.git(p.tree, "reset", "-q", "--hard", "HEAD~1")
	p.git(p.tree, "commit", "-q", "--allow-empty", "-m", "at")
	at := strings.TrimSpace(p.git(p.tree, "rev-parse", "HEAD"))
	got, err := p.tree.Unsaved(t.Context(), p.main)
	require.NoError(t, err)
	if diff := cmp.Diff(&git.Unsaved{Commits: []string{at}, Left: []string{left}}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Unsaved (-want +got)\n%s", diff)
	}
}

// The folder of a worktree is gone, and git still knows where its HEAD was.
func TestOrphans(t *testing.T) {
	p := newPlace(t)
	for _, test := range []struct {
		name string
		args []string
		lost bool
	}{
		{"on its branch", []string{"checkout", "-q", "work"}, false},
		{"detached at a branch", []string{"checkout", "-q", "--detach"}, false},
		{"detached", []string{"commit", "-q", "--allow-empty", "-m", "lost"}, true},
	} {
		p.git(p.tree, test.args...)
		var want []string
		if test.lost {
			want = strings.Fields(p.git(p.tree, "rev-parse", "HEAD"))
		}
		all, err := p.main.Worktrees(t.Context())
		require.NoError(t, err)
		require.NoError(t, os.Rename(p.tree.Dir, p.tree.Dir+" moved"))
		got, err := p.main.Orphans(t.Context(), all[1])
		require.NoError(t, err)
		require.NoError(t, os.Rename(p.tree.Dir+" moved", p.tree.Dir))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: Orphans (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestUnsavedOfABranchWithoutACommit(t *testing.T) {
	p := newPlace(t)
	p.git(p.tree, "checkout", "-q", "--orphan", "fresh")
	_, err := p.tree.Unsaved(t.Context(), p.main)
	require.ErrorContains(t, err, "switch to one that has")
}
