package contracts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// Git is what a repository or work tree is wanted to hold.
type Git struct {
	Revisions map[string]string // revision, as in HEAD^{tree}, to object id; one of them a tree
	Status    string            // what git status --porcelain prints, ignored files included
	Reflog    []string          // messages of HEAD's reflog, the newest first
	Worktrees []string          // absolute paths, as git worktree list gives them
}

// CheckGit asserts that the repository or work tree at the box-relative path
// box is whole, by git fsck, and holds what is wanted. The files of its .git
// count as read. Of what is in there, git keeps some for itself (COMMIT_EDITMSG,
// ORIG_HEAD): that is held by the hash in the manifest only. The objects are the
// same in any place: in the hostile run git does not verify them again, and their
// files count as read there as they do where it does.
func (f *Fixture) CheckGit(t testing.TB, id, box string, want Git) bool {
	t.Helper()
	isTree := func(rev string) bool { return strings.HasSuffix(rev, "^{tree}") }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(want.Revisions)), isTree) {
		t.Fatalf("%s: no tree is wanted; name one, as in HEAD^{tree}", id)
	}
	got, err := look(t.Context(), f.thawed.Path(box), slices.Collect(maps.Keys(want.Revisions)), f.fsck())
	if err != nil {
		f.fail(t, id, "%s: %s: %v", id, f.broken(id), err)
		return false
	}
	for _, e := range f.frozen.Entries {
		if at := box + "/.git"; e.Path == at || strings.HasPrefix(e.Path, at+"/") {
			f.read(e.Path)
		}
	}
	return f.Equal(t, id, got, want)
}

// fsck are the arguments of git that have it verify a repository. It asks a
// process each for two kinds of files beside the objects, in vain where the
// fixture has none. There are none in the hostile run.
func (f *Fixture) fsck() []string {
	if os.Getenv(hostileEnv) != "" {
		return nil
	}
	args := []string{"fsck", "--full", "--strict", "--no-progress", "--no-dangling"}
	for file, setting := range map[string]string{"/info/commit-graph": "core.commitGraph=false", "/pack/multi-pack-index": "core.multiPackIndex=false"} {
		if !slices.ContainsFunc(f.frozen.Entries, func(e tree.Entry) bool { return strings.Contains(e.Path, "/objects"+file) }) {
			args = slices.Concat([]string{"-c", setting}, args)
		}
	}
	return args
}

// look asks git for what the repository at dir holds, once fsck is content where
// there is one to ask for.
func look(ctx context.Context, dir string, revisions, fsck []string) (Git, error) {
	if len(fsck) > 0 {
		if _, err := git(ctx, dir, "", fsck...); err != nil {
			return Git{}, err
		}
	}
	own, common, err := gitFolders(dir)
	if err != nil {
		return Git{}, err
	}
	ids, is := loose(own, common, revisions)
	if !is {
		if ids, err = resolve(ctx, dir, revisions); err != nil {
			return Git{}, err
		}
	}
	g := Git{Revisions: ids}
	if g.Status, err = git(ctx, dir, "", "status", "--porcelain", "--untracked-files=all", "--ignored"); err != nil {
		return g, err
	}
	if g.Reflog, err = reflog(ctx, dir, own); err != nil {
		return g, err
	}
	g.Worktrees, err = worktrees(common)
	return g, err
}

// gitFolders are that of a work tree's own files and that of its repository's,
// absolute and with symlinks resolved.
func gitFolders(dir string) (own, common string, err error) {
	own = filepath.Join(dir, ".git")
	if link, err := os.ReadFile(own); err == nil {
		own = below(dir, strings.TrimPrefix(string(link), "gitdir: "))
	}
	if own, err = filepath.EvalSymlinks(own); err != nil {
		return "", "", err
	}
	to, err := os.ReadFile(filepath.Join(own, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return own, own, nil
	}
	return own, below(own, string(to)), err
}

// below is the path that a file of git's says, absolute or from dir.
func below(dir, line string) string {
	line = strings.TrimSuffix(line, "\n")
	if filepath.IsAbs(line) {
		return filepath.Clean(line)
	}
	return filepath.Join(dir, line)
}

// reflog lists the messages of HEAD's that are not empty. In a file, which git
// need not be asked for, they stand behind a tab.
func reflog(ctx context.Context, dir, own string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(own, "logs/HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		out, err := git(ctx, dir, "", "reflog", "show", "--format=%gs", "HEAD")
		return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' }), err
	}
	all := []string{}
	for line := range strings.Lines(string(data)) {
		if _, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); message != "" {
			all = append(all, message)
		}
	}
	slices.Reverse(all)
	return all, err
}

// worktrees lists those of the repository, in the order of git worktree list: the
// main one, and the linked ones by their paths.
func worktrees(common string) ([]string, error) {
	var linked []string
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		own := filepath.Join(common, "worktrees", e.Name())
		link, err := os.ReadFile(filepath.Join(own, "gitdir"))
		if err != nil || len(link) == 0 {
			continue // it is half made, and git does not list it either
		}
		linked = append(linked, strings.TrimSuffix(below(own, string(link)), "/.git"))
	}
	slices.Sort(linked)
	return append([]string{strings.TrimSuffix(common, "/.git")}, linked...), nil
}

// resolve asks one git for the object ids of all revisions.
func resolve(ctx context.Context, dir string, revisions []string) (map[string]string, error) {
	out, err := git(ctx, dir, strings.Join(revisions, "\n")+"\n", "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(revisions) {
		return nil, fmt.Errorf("git cat-file in %q: %d answers for %q: %q", dir, len(lines), revisions, lines)
	}
	ids := make(map[string]string, len(lines))
	for i, id := range lines {
		// What is not there is named again, with the reason.
		if strings.HasPrefix(id, revisions[i]+" ") {
			return nil, fmt.Errorf("git cat-file in %q: %s", dir, id)
		}
		ids[revisions[i]] = id
	}
	return ids, nil
}

// CheckSum asserts the sha256, in hex, of the file at the box-relative path box
// where it was thawed: for a patch, say, that a program other than the reader
// takes as it is. The file counts as read.
func (f *Fixture) CheckSum(t testing.TB, id, box, want string) bool {
	t.Helper()
	data, err := os.ReadFile(f.thawed.Path(box))
	if err != nil {
		t.Fatalf("%s: %s: %v", id, f.name(), err)
	}
	f.read(box)
	sum := sha256.Sum256(data)
	return f.Equal(t, id, hex.EncodeToString(sum[:]), want)
}

// git runs without the configuration of the user and the system, and without
// what a git that called us has left in the environment.
func git(ctx context.Context, dir, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") }),
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_OPTIONAL_LOCKS=0",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		for len(args) > 2 && args[0] == "-c" {
			args = args[2:]
		}
		return "", fmt.Errorf("git %s in %q: %w: %s%s", args[0], dir, err, &stderr, &stdout)
	}
	return stdout.String(), nil
}
