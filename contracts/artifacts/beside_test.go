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
	"github.com/freeze-contracts/permafrost/readers/artifact"
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
	every(t, func(t *testing.T, p place) {
		f := p.f
		f.Equal(t, "r13.frozen", treeOf(t, p.th, "project"), p.whole(p.project))
		if p.story.worktree != nil {
			f.Equal(t, "r13.frozen.worktree", treeOf(t, p.th, p.worktree()), p.whole(p.story.worktree))
		}
		head := string(f.View("head").Stdout)
		for view, want := range map[string]string{"status": "", "after": p.status, "worktrees": p.linked(head)} {
			if slices.Contains(f.Views(), view) {
				f.Equal(t, "r13.frozen.status", string(f.View(view).Stdout), want)
				f.Equal(t, "r13.frozen.exit", f.View(view).Exit, 0)
			}
		}
	})
}

// linked is what git worktree list --porcelain says of the main work tree and
// that of a turn.
func (p place) linked(head string) string {
	all := fmt.Sprintf("worktree %s\nHEAD %sbranch refs/heads/main\n\n", p.main.Dir, head)
	if p.story.worktree != nil {
		all += fmt.Sprintf("worktree %s\nHEAD %sdetached\n\n", p.th.Path(p.worktree()), head)
	}
	return all
}

func TestGit(t *testing.T) {
	every(t, func(t *testing.T, p place) {
		f := p.f
		head := strings.TrimSuffix(string(f.View("head").Stdout), "\n")
		f.Equal(t, "r13.git.head", f.View("head").Exit, 0)
		was := "HEAD" + strings.Repeat("~1", len(p.commits)-1)
		want := contracts.Git{
			Revisions: map[string]string{"HEAD^{tree}": p.whole(p.head).tree(), was: head},
			Status:    p.status + p.ignored, Reflog: p.commits, Worktrees: p.worktrees(),
		}
		f.CheckGit(t, "r13.git", "project", want)
		if p.story.worktree == nil {
			return
		}
		was = "HEAD" + strings.Repeat("~1", max(len(p.reflog)-1, 0))
		want.Revisions = map[string]string{"HEAD^{tree}": p.whole(p.took).tree(), was: head}
		want.Status, want.Reflog = p.dirty, p.reflog
		f.CheckGit(t, "r13.git.worktree", p.worktree(), want)
	})
}

// worktrees are the main one and, as long as it is there, the other one.
func (p place) worktrees() []string {
	all := []string{p.main.Dir}
	if p.story.worktree != nil {
		all = append(all, p.th.Path(p.worktree()))
	}
	return all
}

// The state folder holds what the script left there, and nothing else: locks,
// which are empty, and what a killed apply or turn left.
func TestState(t *testing.T) {
	every(t, func(t *testing.T, p place) {
		f := p.f
		f.Equal(t, "r10.state", p.kept(t), p.keeps())
		for name, want := range map[string]string{".gitignore": p.ignores(), "lock": ""} {
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
		if info, err := d.Info(); empty(name) && (err != nil || info.Size() > 0) {
			all = append(all, name+" is not empty")
		}
		return nil
	}))
	return all
}

// empty is what says all by being there.
func empty(name string) bool {
	return strings.HasSuffix(name, "lock") || path.Base(name) == "applying"
}

func (p place) keeps(more ...string) []string {
	all := append([]string{"worktrees.lock"}, more...)
	if p.sessionID != "" {
		all = append(all, below("sessions/"+p.sessionID, "lock", "making.lock", "session.json")...)
	}
	if p.talkID != "" {
		all = append(all, below("conversations", p.talkID+".json", p.talkID+".lock")...)
	}
	for i, r := range p.runs {
		run := "runs/" + p.ids[i]
		all = append(all, below(run, "lock", "manifest.json")...)
		if r.holds() {
			all = append(all, run+"/changes.patch")
		}
		if r.kind == artifact.Turn {
			all = append(all, below(run, "making.lock", "running.lock")...)
		}
	}
	for _, name := range append(p.killed(), p.more...) {
		if len(p.ids) > 0 {
			name = strings.ReplaceAll(name, "RUN", p.ids[0])
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func below(dir string, names ...string) (all []string) {
	for _, name := range names {
		all = append(all, dir+"/"+name)
	}
	return all
}

// killed is what a killed apply leaves since v0.2.0: it says that it began, and
// knows beforehand what tree it makes.
func (p place) killed() (all []string) {
	if !converses(p.f) || !slices.ContainsFunc(p.runs, func(s saved) bool { return s.half }) {
		return nil
	}
	for _, id := range p.whole(worked).trees() {
		all = append(all, "scratch/objects/"+id[:2]+"/"+id[2:])
	}
	return append(all, "runs/RUN/applying")
}

// What a killed apply leaves is the files of the patch, made and not moved, and
// what a killed turn leaves is what git had made of its work.
func TestLeftovers(t *testing.T) {
	every(t, func(t *testing.T, p place) {
		staged, err := fs.Sub(p.th.FS(t, "project"), ".stint/apply")
		require.NoError(t, err)
		if _, err := fs.Stat(staged, "."); err == nil || p.ignored == ignoredStaged {
			p.f.Equal(t, "r13.leftovers", treeOf(t, p.th, "project/.stint/apply"), files{}.with(changed))
		}
		for _, name := range p.kept(t) {
			scratch, in, _ := strings.Cut(name, "scratch/")
			if sum, ok := strings.CutPrefix(in, "objects/"); ok {
				p.f.Equal(t, "r13.leftovers.object", p.object(t, name), strings.ReplaceAll(sum, "/", ""))
			}
			if in == "index" {
				left := map[bool]files{true: worked, false: p.story.worktree}[scratch == ""]
				p.f.Equal(t, "r13.leftovers.index", p.index(t, name), p.lines(left))
			}
		}
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
