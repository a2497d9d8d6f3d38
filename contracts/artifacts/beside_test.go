package artifacts_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// treeOf is the work tree at a path in the box, without what is git's and
// stint's own.
func treeOf(t *testing.T, th *contracts.Thawed, box string) files {
	t.Helper()
	fsys, all := th.FS(t, box), make(files)
	require.NoError(t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git" && !d.IsDir(), name == ".stint" && !d.IsDir():
			return nil
		case name == ".git", name == ".stint":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		all[name], err = fileOf(fsys, name)
		return err
	}))
	return all
}

func fileOf(fsys fs.FS, name string) (file, error) {
	info, err := fs.Lstat(fsys, name)
	if err != nil {
		return file{}, err
	}
	if info.Mode().Type() == fs.ModeSymlink {
		to, err := fs.ReadLink(fsys, name)
		return file{symlink, to}, err
	}
	b, err := fs.ReadFile(fsys, name)
	if info.Mode()&0o100 != 0 {
		return file{program, string(b)}, err
	}
	return file{plain, string(b)}, err
}

func TestWorkTrees(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		f.Equal(t, "r13.frozen", treeOf(t, p.th, "project"), p.whole(p.project))
		if p.story.worktree != nil {
			f.Equal(t, "r13.frozen.worktree", treeOf(t, p.th, p.worktree()), p.whole(p.story.worktree))
		}
		for view, want := range map[string]string{"status": "", "after": p.status} {
			if slices.Contains(f.Views(), view) {
				f.Equal(t, "r13.frozen.status", string(f.View(view).Stdout), want)
				f.Equal(t, "r13.frozen.exit", f.View(view).Exit, 0)
			}
		}
	})
}

func TestGit(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		trees := since(f.Release).trees
		head := strings.TrimSuffix(string(f.View("head").Stdout), "\n")
		f.Equal(t, "r13.git.head", f.View("head").Exit, 0)
		want := contracts.Git{
			Revisions: map[string]string{"HEAD^{tree}": trees[p.tree], p.firstCommit(): head},
			Status:    p.status + p.ignored, Reflog: p.commits, Worktrees: []string{p.th.Path("project")},
		}
		if p.story.worktree != nil {
			want.Worktrees = append(want.Worktrees, p.th.Path(p.worktree()))
		}
		f.CheckGit(t, "r13.git", "project", want)
		if p.story.worktree == nil {
			return
		}
		// The first entry in a new work tree's reflog has no message.
		want.Reflog = []string{"reset: moving to HEAD"}
		want.Revisions = map[string]string{"HEAD^{tree}": trees[p.took], "HEAD": head}
		want.Status = statusPicture
		if p.made {
			want.Reflog = []string{"commit: some of it", "reset: moving to HEAD"}
			want.Revisions = map[string]string{"HEAD^{tree}": trees[p.took], "HEAD~1": head}
			want.Status = statusWorked
		}
		f.CheckGit(t, "r13.git.worktree", p.worktree(), want)
	})
}

// firstCommit is the run's base.
func (p place) firstCommit() string {
	if p.moved {
		return "HEAD~1"
	}
	return "HEAD"
}

// The state folder holds what the script left there, and nothing else: locks,
// which are empty, and what a killed apply left.
func TestState(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		f.Equal(t, "r10.state", p.kept(t), p.keeps())
		for name, want := range map[string]string{".gitignore": since(f.Release).ignored, "lock": ""} {
			b, err := fs.ReadFile(p.th.FS(t, "project/.stint"), name)
			require.NoError(t, err)
			f.Equal(t, "r10.own", string(b), want)
		}
		marker, err := project.ReadMarker(p.th.FS(t, "project"))
		require.NoError(t, err)
		at := time.Unix(marker.CreatedAt, 0).UTC()
		f.Equal(t, "r10.marker.time", at, f.To, cmpopts.EquateApproxTime(f.To.Sub(f.From)+time.Second))
		f.Equal(t, "r10.marker", marker.ProjectID, path.Base(p.state))
	})
}

// kept lists the files of the state folder, those in workspaces left out.
func (p place) kept(t *testing.T) []string {
	t.Helper()
	var all []string
	require.NoError(t, fs.WalkDir(p.th.FS(t, p.state), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "workspaces":
			return fs.SkipDir
		case !d.IsDir():
			all = append(all, name)
		}
		if info, err := d.Info(); strings.HasSuffix(name, "lock") && (err != nil || info.Size() > 0) {
			all = append(all, name+" is not empty")
		}
		return nil
	}))
	return all
}

func (p place) keeps() []string {
	all := []string{"worktrees.lock"}
	for _, name := range []string{"lock", "making.lock", "session.json"} {
		all = append(all, "sessions/"+p.session+"/"+name)
	}
	if p.made {
		for _, name := range []string{"changes.patch", "lock", "manifest.json"} {
			all = append(all, "runs/"+p.run+"/"+name)
		}
	}
	all = append(all, p.more...)
	slices.Sort(all)
	return all
}

// What a killed apply leaves is the files of the patch, made and not moved.
func TestLeftovers(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		staged, err := fs.Sub(p.th.FS(t, "project"), ".stint/apply")
		require.NoError(t, err)
		if _, err := fs.Stat(staged, "."); err != nil {
			f.Equal(t, "r13.leftovers", p.f.Scenario == "applying", false)
			return
		}
		f.Equal(t, "r13.leftovers", treeOf(t, p.th, "project/.stint/apply"), files{}.with(changed))
		for _, name := range p.more {
			if sum, ok := strings.CutPrefix(name, "scratch/objects/"); ok {
				f.Equal(t, "r13.leftovers.object", p.object(t, name), strings.ReplaceAll(sum, "/", ""))
			}
		}
		f.Equal(t, "r13.leftovers.index", p.index(t, "scratch/index"), p.lines(worked))
	})
}

// object is git's name of what the object at a path in the state folder holds.
func (p place) object(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(p.th.FS(t, p.state), name)
	require.NoError(t, err)
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return err.Error()
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", sha1.Sum(content))
}

// index is what git finds in the index at a path in the state folder, and
// whether the sum at its end is that of the rest.
func (p place) index(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(p.th.FS(t, p.state), name)
	require.NoError(t, err)
	if end := len(b) - sha1.Size; end < 0 || [sha1.Size]byte(b[end:]) != sha1.Sum(b[:end]) {
		return "its sum is wrong"
	}
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "--stage", "-z")
	cmd.Dir = p.main.Dir
	cmd.Env = append(slices.Clone(p.main.Env), "GIT_INDEX_FILE="+p.th.Path(p.state+"/"+name))
	out, err := cmd.Output()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// lines are those of git ls-files --stage -z for a work tree.
func (p place) lines(tree files) string {
	var all strings.Builder
	tree = p.whole(tree)
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		fmt.Fprintf(&all, "%s %s 0\t%s\x00", tree[name].Mode, tree[name].hash(), name)
	}
	return all.String()
}
