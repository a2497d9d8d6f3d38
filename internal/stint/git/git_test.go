package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

// place is a repository with a linked worktree, and a hostile configuration of
// its user.
type place struct {
	t    *testing.T
	main git.Tree
	tree git.Tree // linked, of branch work
	base string
}

const hostile = `[core]
	compression = 9
	attributesFile = ~/attributes
[user]
	name = u
	email = u@example.test
[init]
	defaultBranch = main
[diff]
	noprefix = true
	context = 0
	relative = true
	external = false
	suppressBlankEmpty = true
[color]
	ui = always
[status]
	showUntrackedFiles = no
	relativePaths = true
[apply]
	whitespace = fix
[diff "text"]
	textconv = false
	binary = true
[advice]
	detachedHead = false
`

func newPlace(t *testing.T) place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := place{t: t}
	env := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_GLOB_PATHSPECS=1", "GIT_ICASE_PATHSPECS=1", "GIT_DIR="+filepath.Join(dir, "elsewhere"), "GIT_INDEX_FILE="+filepath.Join(dir, "elsewhere", "index"))
	p.main = git.Tree{Dir: filepath.Join(dir, "main"), Env: env, Stage: "stage/of apply"}
	p.tree = git.Tree{Dir: filepath.Join(dir, "work tree"), Env: env}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(hostile), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "attributes"), []byte("a.txt -diff\nnew* diff=text\npicture diff\n"), 0o600))
	require.NoError(t, os.Mkdir(p.main.Dir, 0o700))
	p.git(p.main, "init", "-q")
	p.write(p.main, "a.txt", "one\n\ntwo\nthree\nfour\nfive\n")
	p.write(p.main, "dir/b.txt", "b\n")
	p.write(p.main, ".gitignore", "*.log\nout/\n")
	p.git(p.main, "add", ".")
	p.git(p.main, "commit", "-qm", "one")
	p.base, err = p.main.Head(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.main.AddBranch(t.Context(), "work", p.base))
	require.NoError(t, p.main.AddWorktree(t.Context(), p.tree.Dir, "work"))
	return p
}

func (p place) git(in git.Tree, args ...string) string {
	p.t.Helper()
	out, err := in.Out(p.t.Context(), args...)
	require.NoError(p.t, err)
	return out
}

func (p place) write(in git.Tree, name, content string) {
	p.t.Helper()
	name = filepath.Join(in.Dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(p.t, os.WriteFile(name, []byte(content), 0o644))
}

func (p place) commit(message string) {
	p.t.Helper()
	p.git(p.tree, "add", "-A")
	p.git(p.tree, "commit", "-qm", message)
}

func TestMainWorkTree(t *testing.T) {
	p := newPlace(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(p.main.Dir, link))
	for _, dir := range []string{p.main.Dir, filepath.Join(p.main.Dir, "dir"), p.tree.Dir, filepath.Join(p.tree.Dir, "dir"), link} {
		got, err := git.Main(t.Context(), p.main.Env, dir)
		require.NoError(t, err)
		if diff := cmp.Diff(p.main.Dir, got.Dir); diff != "" {
			t.Errorf("Main(%s) (-want +got)\n%s", dir, diff)
		}
	}
	if _, err := git.Main(t.Context(), p.main.Env, t.TempDir()); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("Main outside of a repository: %v", err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	p.git(p.main, "clone", "-q", "--bare", p.main.Dir, bare)
	of := filepath.Join(t.TempDir(), "of-bare")
	p.git(git.Tree{Dir: bare, Env: p.main.Env}, "worktree", "add", "-q", of, "main")
	if _, err := git.Main(t.Context(), p.main.Env, of); err == nil {
		t.Error("Main of a bare repository's worktree finds a main work tree")
	}
}

// From a worktree of a submodule git does not tell where its main one is.
func TestMainOfASubmodule(t *testing.T) {
	p := newPlace(t)
	p.git(p.main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", p.main.Dir, "sub")
	sub := git.Tree{Dir: filepath.Join(p.main.Dir, "sub"), Env: p.main.Env}
	got, err := git.Main(t.Context(), sub.Env, sub.Dir)
	require.NoError(t, err)
	require.Equal(t, sub.Dir, got.Dir)
	of := filepath.Join(t.TempDir(), "of-sub")
	p.git(sub, "worktree", "add", "-q", of)
	_, err = git.Main(t.Context(), sub.Env, of)
	require.ErrorContains(t, err, "does not lie in its main work tree (a submodule's never does), so that is not found from here: go there")
}

func TestHeadAndRef(t *testing.T) {
	p := newPlace(t)
	empty := git.Tree{Dir: t.TempDir(), Env: p.main.Env}
	p.git(empty, "init", "-q")
	head, err := empty.Head(t.Context())
	require.NoError(t, err)
	require.Empty(t, head, "HEAD of a repository without a commit")
	for name, want := range map[string]string{"refs/heads/work": p.base, "refs/heads/wor": "", "refs/heads/absent": ""} {
		got, err := p.main.Ref(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.Error(t, p.main.AddBranch(t.Context(), "work", p.base), "a branch that is there")
	p.write(p.tree, "c", "c")
	p.commit("two")
	require.Error(t, p.main.DeleteBranch(t.Context(), "work", p.base), "a branch that has moved on")
}

func TestTracks(t *testing.T) {
	p := newPlace(t)
	p.write(p.main, "*.txt", "a name that is a pattern\n")
	for name, want := range map[string]bool{"a.txt": true, "*.txt": false, "absent": false} {
		got, err := p.main.Tracks(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}

func TestLinked(t *testing.T) {
	p := newPlace(t)
	other := newPlace(t)
	made := filepath.Join(p.main.Dir, "made-again")
	require.NoError(t, os.Mkdir(made, 0o700))
	for _, test := range []struct {
		name, dir string
		ok        bool
	}{
		{"linked worktree", p.tree.Dir, true},
		{"main work tree", p.main.Dir, false},
		{"folder in a linked worktree", filepath.Join(p.tree.Dir, "dir"), false},
		{"folder in the main work tree", made, false},
		{"worktree of another repository", other.tree.Dir, false},
		{"no work tree", t.TempDir(), false},
		{"missing", filepath.Join(p.main.Dir, "missing"), false},
	} {
		if err := p.main.Linked(t.Context(), test.dir); (err == nil) != test.ok {
			t.Errorf("%s: Linked = %v", test.name, err)
		}
	}
}

// With settings of each worktree's own, git may take another folder for its files.
func TestLinkedWithSettingsOfItsOwn(t *testing.T) {
	p := newPlace(t)
	p.git(p.main, "config", "extensions.worktreeConfig", "true")
	require.NoError(t, p.main.Linked(t.Context(), p.tree.Dir))
	p.git(p.tree, "config", "--worktree", "core.worktree", t.TempDir())
	require.ErrorContains(t, p.main.Linked(t.Context(), p.tree.Dir), "is not the top of a work tree")
}

// What lies as git made it is told without git, and nothing else is.
func TestWorktreeWithoutGit(t *testing.T) {
	for _, test := range []struct {
		name          string
		do            func(p place, own string)
		linked, entry bool // git is not asked
	}{
		{"as it was made", func(place, string) {}, true, true},
		{"detached", func(p place, _ string) { p.git(p.tree, "checkout", "-q", "--detach") }, true, true},
		{"locked", func(p place, _ string) { p.git(p.main, "worktree", "lock", p.tree.Dir) }, true, false},
		{"no worktree", func(p place, _ string) { require.NoError(p.t, os.Remove(filepath.Join(p.tree.Dir, ".git"))) }, false, false},
		{"of nothing", func(p place, own string) { require.NoError(p.t, os.RemoveAll(own)) }, false, false},
		{"without HEAD", func(p place, own string) { require.NoError(p.t, os.WriteFile(filepath.Join(own, "HEAD"), nil, 0o600)) }, false, false},
		{"of another repository", func(p place, own string) {
			other := newPlace(p.t).main.Dir
			to := filepath.Join(other, ".git", "worktrees", "another")
			require.NoError(p.t, os.MkdirAll(filepath.Dir(to), 0o700))
			require.NoError(p.t, os.Rename(own, to))
			require.NoError(p.t, os.WriteFile(filepath.Join(p.tree.Dir, ".git"), []byte("gitdir: "+to+"\n"), 0o600))
		}, false, false},
		{"settings of its own", func(p place, _ string) { p.git(p.main, "config", "extensions.worktreeConfig", "true") }, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			test.do(p, strings.TrimSpace(p.git(p.tree, "rev-parse", "--absolute-git-dir")))
			t.Setenv("PATH", t.TempDir())
			err := p.main.Linked(t.Context(), p.tree.Dir)
			require.Equal(t, test.linked, err == nil, "Linked = %v", err)
			got, err := p.main.Worktree(t.Context(), p.tree.Dir)
			require.Equal(t, test.entry, err == nil, "Worktree = %v", err)
			if test.entry {
				require.Equal(t, git.Worktree{Dir: p.tree.Dir}, got)
			}
		})
	}
}

// Of one that went since it was looked at, git is asked where it was.
func TestOrphansOfOneThatWent(t *testing.T) {
	p := newPlace(t)
	p.git(p.tree, "checkout", "-q", "--detach")
	p.write(p.tree, "c", "c\n")
	p.commit("lost")
	at, err := p.main.Worktree(t.Context(), p.tree.Dir)
	require.NoError(t, err)
	lost := strings.TrimSpace(p.git(p.tree, "rev-parse", "HEAD"))
	require.NoError(t, os.RemoveAll(p.tree.Dir))
	left, err := p.main.Orphans(t.Context(), at)
	require.NoError(t, err)
	require.Equal(t, []string{lost}, left)
}

func TestWorktrees(t *testing.T) {
	p := newPlace(t)
	p.git(p.main, "worktree", "lock", "--reason", "away", p.tree.Dir)
	got, err := p.main.Worktrees(t.Context())
	require.NoError(t, err)
	want := []git.Worktree{{Dir: p.main.Dir, Head: p.base, Branch: "refs/heads/main"}, {Dir: p.tree.Dir, Head: p.base, Branch: "refs/heads/work", Locked: true, Reason: "away"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Worktrees (-want +got)\n%s", diff)
	}
}

func TestRemoveWorktreeThatIsGone(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.tree.Dir))
	require.NoError(t, p.main.RemoveWorktree(t.Context(), p.tree.Dir, false))
	got, err := p.main.Worktrees(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Error(t, p.main.RemoveWorktree(t.Context(), p.main.Dir, true), "the main work tree")
	require.FileExists(t, filepath.Join(p.main.Dir, "a.txt"))
}

func TestUnsaved(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(p place)
		want git.Unsaved
	}{
		{"nothing", func(place) {}, git.Unsaved{}},
		{"changed", func(p place) { p.write(p.tree, "a.txt", "x\n") }, git.Unsaved{Changes: []string{"a.txt"}}},
		{"staged", func(p place) { p.write(p.tree, "c", "c\n"); p.git(p.tree, "add", "c") }, git.Unsaved{Changes: []string{"c"}}},
		{"deleted", func(p place) { require.NoError(p.t, os.Remove(filepath.Join(p.tree.Dir, "a.txt"))) }, git.Unsaved{Changes: []string{"a.txt"}}},
		{"renamed", func(p place) { p.git(p.tree, "mv", "a.txt", "c.txt") }, git.Unsaved{Changes: []string{"a.txt", "c.txt"}}},
		{"untracked", func(p place) { p.write(p.tree, "new/c d", "c\n") }, git.Unsaved{Untracked: []string{"new/c d"}}},
		{"ignored", func(p place) { p.write(p.tree, "x.log", "c\n"); p.write(p.tree, "out/y", "y") }, git.Unsaved{Ignored: []string{"out/", "x.log"}}},
		{"told to overlook", func(p place) {
			p.git(p.tree, "update-index", "--assume-unchanged", "a.txt")
			p.git(p.tree, "update-index", "--skip-worktree", "dir/b.txt")
			p.write(p.tree, "a.txt", "x\n")
			p.write(p.tree, "dir/b.txt", "y\n")
		}, git.Unsaved{Changes: []string{"a.txt", "dir/b.txt"}, Overlooked: []string{"a.txt", "dir/b.txt"}}},
		{"overlooked, and another changed", func(p place) {
			p.git(p.tree, "update-index", "--assume-unchanged", "a.txt")
			p.write(p.tree, "a.txt", "x\n")
			p.write(p.tree, "dir/b.txt", "y\n")
		}, git.Unsaved{Changes: []string{"a.txt", "dir/b.txt"}, Overlooked: []string{"a.txt"}}},
		{"overlooked and as it was", func(p place) { p.git(p.tree, "update-index", "--assume-unchanged", "a.txt") }, git.Unsaved{}},
		{"committed", func(p place) { p.write(p.tree, "c", "c\n"); p.commit("two") }, git.Unsaved{}},
		{"amended", func(p place) {
			p.write(p.tree, "c", "c\n")
			p.commit("two")
			p.git(p.tree, "commit", "-q", "--amend", "-m", "three")
		}, git.Unsaved{}},
		{"stashed", func(p place) { p.write(p.tree, "a.txt", "x\n"); p.git(p.tree, "stash") }, git.Unsaved{}},
		{"repository inside", func(p place) {
			p.git(p.main, "clone", "-q", p.main.Dir, filepath.Join(p.tree.Dir, "inside"))
		}, git.Unsaved{Submodules: []string{"inside"}}},
		{"repository without a commit inside", func(p place) {
			p.git(p.main, "init", "-q", filepath.Join(p.tree.Dir, "new/inside"))
		}, git.Unsaved{Submodules: []string{"new/inside"}}},
		{"repository in an ignored folder", func(p place) {
			p.write(p.tree, "out/y", "y")
			p.git(p.main, "clone", "-q", p.main.Dir, filepath.Join(p.tree.Dir, "out/deep/inside"))
		}, git.Unsaved{Ignored: []string{"out/"}, Submodules: []string{"out/deep/inside"}}},
		{"ignored repository", func(p place) {
			p.git(p.main, "clone", "-q", p.main.Dir, filepath.Join(p.tree.Dir, "x.log"))
		}, git.Unsaved{Ignored: []string{"x.log/"}, Submodules: []string{"x.log"}}},
		{"repository in a folder of tracked files", func(p place) {
			p.write(p.tree, "dir/deep/c", "c")
			p.commit("deep")
			for _, dir := range []string{"dir", "dir/deep"} {
				p.git(p.main, "init", "-q", filepath.Join(p.tree.Dir, dir))
			}
		}, git.Unsaved{Submodules: []string{"dir", "dir/deep"}}},
		{"repository that a symlink leads to", func(p place) {
			require.NoError(p.t, os.RemoveAll(filepath.Join(p.tree.Dir, "dir")))
			require.NoError(p.t, os.Symlink(p.main.Dir, filepath.Join(p.tree.Dir, "dir")))
		}, git.Unsaved{Changes: []string{"dir/b.txt"}, Untracked: []string{"dir"}}},
		{"committed repository inside", func(p place) {
			p.git(p.main, "clone", "-q", p.main.Dir, filepath.Join(p.tree.Dir, "inside"))
			p.commit("with inside")
		}, git.Unsaved{Submodules: []string{"inside"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			test.do(p)
			got, err := p.tree.Unsaved(t.Context(), p.main)
			require.NoError(t, err)
			if diff := cmp.Diff(&test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Unsaved (-want +got)\n%s", diff)
			}
		})
	}
}
