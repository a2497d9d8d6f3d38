package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ErrNoRepository is a folder that no repository's work tree holds.
var ErrNoRepository = errors.New("not inside a git work tree")

// Main finds the main work tree of the repository that dir is in, also from
// inside of a linked one. Its Dir is canonical.
func Main(ctx context.Context, env []string, dir string) (Tree, error) {
	t := Tree{Dir: dir, Env: env}
	out, err := t.Out(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	switch {
	case answered(err, 128) && !below(dir):
		return Tree{}, fmt.Errorf("%q: %w: go to a repository, or make one by git init", dir, ErrNoRepository)
	case answered(err, 128):
		return Tree{}, fmt.Errorf("%q: %w: %s", dir, ErrNoRepository, words(err))
	case err != nil:
		return Tree{}, err
	}
	if len(lines) != 3 {
		return Tree{}, fmt.Errorf("%q: the path of its repository has a newline: move it", dir)
	}
	t.Dir = lines[0]
	if git, common := lines[1], lines[2]; git != common {
		// Not from git's list, which fails while a worktree is half made.
		t.Dir = filepath.Dir(common)
		top, err := t.Line(ctx, "rev-parse", "--show-toplevel")
		if filepath.Base(common) != ".git" || err != nil || top != t.Dir {
			return Tree{}, noMain(ctx, env, dir, common)
		}
	}
	t.Dir, err = filepath.EvalSymlinks(t.Dir)
	return t, err
}

// below tells whether dir is below the top of a work tree, though git may not
// want to be there.
func below(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// noMain says why no main work tree is found from the linked one dir.
func noMain(ctx context.Context, env []string, dir, common string) error {
	if bare, err := (Tree{Dir: common, Env: env}).Line(ctx, "rev-parse", "--is-bare-repository"); err == nil && bare == "true" {
		return fmt.Errorf("%q: its repository %q has no main work tree, and stint needs one", dir, common)
	}
	return fmt.Errorf("%q: its repository %q does not lie in its main work tree (a submodule's never does), so that is not found from here: go there", dir, common)
}

// Worktree is one entry of git's list.
type Worktree struct {
	Dir    string
	Head   string // commit; zeros where there is none yet
	Branch string // full name of the ref; empty where HEAD is detached
	Locked bool
	Reason string // why it is locked; may be empty
}

// Worktrees lists the repository's work trees, the main one first.
func (t Tree) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := t.Out(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var all []Worktree
	for field := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(field, " ")
		if key == "worktree" {
			all = append(all, Worktree{Dir: value})
			continue
		}
		if len(all) == 0 {
			continue
		}
		switch w := &all[len(all)-1]; key {
		case "HEAD":
			w.Head = value
		case "branch":
			w.Branch = value
		case "locked":
			w.Locked, w.Reason = true, value
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("git worktree list in %q: no work tree in %q", t.Dir, out)
	}
	return all, nil
}

// Worktree is the entry of dir in that list, with nothing in it where there is
// none. Of one that lies as git made it and is not locked, it has Dir alone: git is
// not asked.
func (t Tree) Worktree(ctx context.Context, dir string) (Worktree, error) {
	// git locks one while it makes it: its folder is complete after the lock.
	if own := t.usual(dir); own != "" && !exists(filepath.Join(own, "locked")) {
		return Worktree{Dir: dir}, nil
	}
	return t.listed(ctx, dir)
}

func (t Tree) listed(ctx context.Context, dir string) (Worktree, error) {
	all, err := t.Worktrees(ctx)
	if i := slices.IndexFunc(all, func(w Worktree) bool { return w.Dir == dir }); i >= 0 {
		return all[i], nil
	}
	return Worktree{}, err
}

// Head is the commit that is checked out, and empty where there is none yet.
func (t Tree) Head(ctx context.Context) (string, error) {
	head, err := t.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if answered(err, 1) {
		return "", nil
	}
	return head, err
}

// Tracks tells whether the index holds the file path.
func (t Tree) Tracks(ctx context.Context, path string) (bool, error) {
	if t.unnamed(path) {
		return false, nil
	}
	out, err := t.Out(ctx, "ls-files", "-z", "--cached", "--", path)
	return out != "", err
}

// Exposed tells whether a file is neither tracked nor ignored, so that the next
// git add takes it. (check-ignore does not take paths as they are.)
func (t Tree) Exposed(ctx context.Context, path string) (bool, error) {
	out, err := t.Out(ctx, "ls-files", "-z", "--others", "--exclude-standard", "--", path)
	return out != "", err
}

// Ref is the object that the full ref name points to, and empty where there is
// no such ref.
func (t Tree) Ref(ctx context.Context, name string) (string, error) {
	commit, err := t.Line(ctx, "rev-parse", "--verify", "--quiet", name)
	if answered(err, 1) {
		return "", nil
	}
	return commit, err
}

// AddBranch makes a branch that must not exist.
func (t Tree) AddBranch(ctx context.Context, branch, commit string) error {
	return t.Do(ctx, "branch", "--no-track", "--", branch, commit)
}

// DeleteBranch deletes a branch if it still points to commit.
func (t Tree) DeleteBranch(ctx context.Context, branch, commit string) error {
	return t.Do(ctx, "update-ref", "-d", "refs/heads/"+branch, commit)
}

// AddWorktree makes a linked worktree of the branch.
func (t Tree) AddWorktree(ctx context.Context, dir, branch string) error {
	return t.Do(ctx, "worktree", "add", "--quiet", "--", dir, branch)
}

// AddDetached makes a linked worktree of the commit, on no branch.
func (t Tree) AddDetached(ctx context.Context, dir, commit string) error {
	return t.Do(ctx, "worktree", "add", "--quiet", "--detach", "--", dir, commit)
}

// Linked returns nil if dir is the top of a linked worktree of this
// repository. A folder that was made again in the place of one is none: git
// would answer there for whatever repository is around it.
func (t Tree) Linked(ctx context.Context, dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q is gone", dir)
	}
	if t.usual(dir) != "" {
		return nil
	}
	in := Tree{Dir: dir, Env: t.Env}
	out, err := in.Out(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	if err != nil {
		return fmt.Errorf("%q is no work tree: %s", dir, words(err))
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	ours, err := t.repository(ctx)
	if err != nil {
		return err
	}
	switch {
	case len(lines) != 3 || lines[0] != dir:
		return fmt.Errorf("%q is not the top of a work tree, which is %q", dir, lines[0])
	case lines[1] == lines[2]:
		return fmt.Errorf("%q is a main work tree, not a linked one", dir)
	case lines[2] != ours:
		return fmt.Errorf("%q is a work tree of another repository, %q", dir, lines[2])
	}
	return nil
}

// repository is the folder of git's own files, of a main work tree.
func (t Tree) repository(ctx context.Context) (string, error) {
	if dir := t.mainDir(); dir != "" {
		return dir, nil
	}
	return t.Line(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
}

// mainDir is that of a main work tree where it lies in it, as is usual, so that
// git need not be asked; empty in any other case.
func (t Tree) mainDir() string {
	dir := filepath.Join(t.Dir, ".git")
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() || exists(filepath.Join(dir, "commondir")) {
		return ""
	}
	return dir
}

// gitDir is the folder of git's own files of a work tree, main or linked.
func (t Tree) gitDir(ctx context.Context) (string, error) {
	if dir := t.linkedDir(); dir != "" {
		return dir, nil
	}
	return t.Line(ctx, "rev-parse", "--absolute-git-dir")
}

// linkedDir is that of a linked work tree, where it lies as git has made it, so
// that git need not be asked; empty in any other case.
func (t Tree) linkedDir() string {
	at := filepath.Join(t.Dir, ".git")
	link, err := os.ReadFile(at)
	if err != nil {
		return ""
	}
	dir, is := strings.CutPrefix(strings.TrimSuffix(string(link), "\n"), "gitdir: ")
	if !is || !filepath.IsAbs(dir) || strings.Contains(dir, "\n") {
		return ""
	}
	for name, want := range map[string]string{"gitdir": at + "\n", "commondir": "../..\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			return ""
		}
	}
	return dir
}

// usual is the folder of git's own files of the linked worktree dir of this
// repository, where all lies as git made it and no setting has git take another
// folder for its files, so that git need not be asked; empty in any other case.
func (t Tree) usual(dir string) string {
	main, own := t.mainDir(), Tree{Dir: dir}.linkedDir()
	if main == "" || own == "" || filepath.Dir(own) != filepath.Join(main, "worktrees") {
		return ""
	}
	// Only with settings of each worktree's own may one have core.worktree. git
	// follows no include for that.
	config, err := os.ReadFile(filepath.Join(main, "config"))
	if err != nil || bytes.Contains(bytes.ToLower(config), []byte("worktreeconfig")) {
		return ""
	}
	head, err := os.ReadFile(filepath.Join(own, "HEAD"))
	if err != nil || !isHead.Match(head) {
		return ""
	}
	return own
}

// isHead is what git takes for a HEAD, without which it takes no folder for its own.
var isHead = regexp.MustCompile(`^(ref: refs/.+|[0-9a-f]{40}|[0-9a-f]{64})\n$`)

// Initializing is why git itself locks a worktree while it makes it. One that
// is found with it when no git is at work was left half made.
const Initializing = "initializing"

// RemoveWorktree removes the linked worktree dir, with all that is in it, or
// what git still knows of it where the folder is gone; a locked one only if
// that is said. Whoever calls has looked at what would be lost.
func (t Tree) RemoveWorktree(ctx context.Context, dir string, locked bool) error {
	args := []string{"worktree", "remove", "--force"}
	if locked {
		args = append(args, "--force")
	}
	return t.Do(ctx, append(args, "--", dir)...)
}
