package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Status is the commit that is checked out, empty where there is none yet, and
// git's porcelain status, version 1, NUL separated, of all files that git does
// not ignore: the same for every configuration of the user.
func (t Tree) Status(ctx context.Context) (head, status string, err error) {
	head, all, err := t.status(ctx)
	var text strings.Builder
	for _, e := range all {
		text.WriteString(e.letters + " " + e.path + "\x00")
	}
	return head, text.String(), err
}

// state is an entry of git's status.
type state struct{ letters, path string }

// status asks for version 2, which tells the commit, too, and gives the letters
// and the order of version 1.
func (t Tree) status(ctx context.Context, more ...string) (head string, all []state, err error) {
	out, err := t.Out(ctx, append([]string{"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z",
		"--untracked-files=all", "--ignore-submodules=none", "--no-renames"}, more...)...)
	if err != nil {
		return "", nil, err
	}
	changed := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "#":
			if commit, is := strings.CutPrefix(rest, "branch.oid "); is && commit != "(initial)" {
				head = commit
			}
		case "1", "u":
			// Ahead of the path, the letters and six or eight values.
			f := strings.SplitN(rest, " ", map[string]int{"1": 8, "u": 10}[kind])
			all = append(all, state{strings.ReplaceAll(f[0], ".", " "), f[len(f)-1]})
			changed++
		case "?", "!":
			all = append(all, state{kind + kind, rest})
		default:
			return "", nil, fmt.Errorf("git status in %q: %q is no entry", t.Dir, line)
		}
	}
	// Conflicts stand behind other changes in version 2.
	slices.SortFunc(all[:changed], func(a, b state) int { return strings.Compare(a.path, b.path) })
	return head, all, nil
}

// Unsaved is what is only in a worktree, each a list of paths or commits.
type Unsaved struct {
	Changes    []string // tracked files that differ from HEAD
	Overlooked []string // those of them that git was told to overlook, so that it commits none of their changes
	Untracked  []string // files that git does not know and does not ignore
	Ignored    []string // files and folders that git ignores
	Submodules []string // repositories inside of it, known to git or not, which may hold commits of their own
	Commits    []string // that HEAD leads to, and no ref and no branch's reflog
	Left       []string // such ones that HEAD does not lead to, so that the files hold nothing of them
}

// Unsaved lists what would be lost with the linked worktree t of main.
func (t Tree) Unsaved(ctx context.Context, main Tree) (*Unsaved, error) {
	head, all, err := t.status(ctx, "--ignored=matching")
	if err != nil {
		return nil, err
	}
	u := new(Unsaved)
	for _, e := range all {
		switch path := e.path; e.letters {
		case "??":
			// All files are listed, so a folder is a repository.
			if dir, ok := strings.CutSuffix(path, "/"); ok {
				u.Submodules = append(u.Submodules, dir)
				continue
			}
			u.Untracked = append(u.Untracked, path)
		case "!!":
			u.Ignored = append(u.Ignored, path)
			inside, err := t.repositories(path)
			if err != nil {
				return nil, err
			}
			u.Submodules = append(u.Submodules, inside...)
		default:
			u.Changes = append(u.Changes, path)
		}
	}
	if err := t.hidden(ctx, u); err != nil {
		return nil, err
	}
	return u, t.unreachable(ctx, main, head, u)
}

// repositories lists those at and below an ignored path.
func (t Tree) repositories(name string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(filepath.Join(t.Dir, name), func(at string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return fs.SkipDir // git cannot remove what cannot be read
		case err != nil || d.Name() != ".git":
			return err
		}
		dir, err := filepath.Rel(t.Dir, filepath.Dir(at))
		all = append(all, dir)
		if err == nil && d.IsDir() {
			return fs.SkipDir
		}
		return err
	})
	return all, err
}

// hidden adds what status does not see: changes that the user told git to
// overlook, by the assume-unchanged or the skip-worktree bit, and repositories
// inside of the worktree whose files are clean.
func (t Tree) hidden(ctx context.Context, u *Unsaved) error {
	entries, _, err := t.entries(ctx)
	if err != nil {
		return err
	}
	var overlooked []string
	for _, e := range entries {
		if e.overlooked() {
			overlooked = append(overlooked, e.path)
		}
		if e.mode == "160000" && exists(filepath.Join(t.Dir, e.path, ".git")) {
			u.Submodules = append(u.Submodules, e.path)
		}
	}
	u.Submodules = append(u.Submodules, t.amid(entries)...)
	if overlooked == nil {
		return nil
	}
	changed, err := t.differ(ctx)
	u.Overlooked = slices.DeleteFunc(overlooked, func(path string) bool { return !slices.Contains(changed, path) })
	u.Changes = slices.Compact(slices.Sorted(slices.Values(append(u.Changes, changed...))))
	return err
}

// amid lists the repositories in folders of tracked files, which git passes
// over.
func (t Tree) amid(entries []entry) (all []string) {
	folders := map[string]bool{".": true} // whether one is there, and no symlink leads to it
	var visit func(dir string) bool
	visit = func(dir string) bool {
		there, known := folders[dir]
		if known {
			return there
		}
		info, err := os.Lstat(filepath.Join(t.Dir, dir))
		there = visit(path.Dir(dir)) && err == nil && info.IsDir()
		if folders[dir] = there; there && exists(filepath.Join(t.Dir, dir, ".git")) {
			all = append(all, dir)
		}
		return there
	}
	for _, e := range entries {
		visit(path.Dir(e.path))
	}
	return all
}

// differ lists the tracked files that differ from the index, with no regard
// to what the user told git to overlook.
func (t Tree) differ(ctx context.Context) ([]string, error) {
	s, err := t.scratch(ctx)
	if err != nil {
		return nil, err
	}
	defer s.remove()
	if _, err := s.copyIndex(ctx); err != nil {
		return nil, err
	}
	out, err := s.out(ctx, "diff-files", "-z", "--name-only", "--ignore-submodules=none")
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), err
}
