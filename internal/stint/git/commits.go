package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unreachable adds the commits that nothing leads to once the worktree is
// gone: those that its HEAD is or was at, and what only it keeps.
func (t Tree) unreachable(ctx context.Context, main Tree, head string, u *Unsaved) error {
	if head == "" {
		// git does not show the reflog of such a HEAD, which may have been
		// anywhere before.
		return fmt.Errorf("worktree %q: its branch has no commit yet, so git does not tell what would be lost: switch to one that has", t.Dir)
	}
	was, err := t.Out(ctx, "rev-list", "--walk-reflogs", "HEAD")
	if err != nil {
		return err
	}
	aside, err := t.aside(ctx)
	if err != nil {
		return err
	}
	all, err := main.orphans(ctx, head+"\n"+was+aside)
	if err != nil || len(all) == 0 {
		return err
	}
	if u.Commits, err = main.orphans(ctx, head); err != nil {
		return err
	}
	u.Left = slices.DeleteFunc(all, func(c string) bool { return slices.Contains(u.Commits, c) })
	return nil
}

// aside lists what a worktree keeps beside its HEAD: refs of its own, and the
// changes that a rebase or a merge put aside until it is done.
func (t Tree) aside(ctx context.Context) (string, error) {
	dir, err := t.gitDir(ctx)
	if err != nil {
		return "", err
	}
	var all string
	if mayHaveRefs(dir) {
		if all, err = t.Out(ctx, "for-each-ref", "--format=%(objectname)", "refs/worktree", "refs/bisect", "refs/rewritten"); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"rebase-merge/autostash", "rebase-apply/autostash", "MERGE_AUTOSTASH"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		all += string(b)
	}
	return all, nil
}

// mayHaveRefs tells whether a worktree may have refs of its own. git keeps them
// in files, in folders that it makes for them, and packs none of them; with
// another store there is one more folder.
func mayHaveRefs(dir string) bool {
	return slices.ContainsFunc([]string{"reftable", "refs/worktree", "refs/bisect", "refs/rewritten"},
		func(name string) bool { return exists(filepath.Join(dir, name)) })
}

// Orphans lists the commits that nothing leads to once git forgets the linked
// worktree w, whose folder is gone already.
func (t Tree) Orphans(ctx context.Context, w Worktree) ([]string, error) {
	if w.Dir != "" && w.Head == "" {
		// It was there when it was looked at, so that git was not asked.
		var err error
		if w, err = t.listed(ctx, w.Dir); err != nil {
			return nil, err
		}
	}
	if strings.Trim(w.Head, "0") == "" {
		return nil, nil
	}
	return t.orphans(ctx, w.Head)
}

// orphans lists those of the commits, and of what is behind them, that no ref
// of the main work tree t leads to. A commit that was amended is still in the
// reflog of its branch.
func (t Tree) orphans(ctx context.Context, commits string) ([]string, error) {
	// Without an empty line, at which git would stop to read.
	all := strings.Fields(commits)
	left, err := t.unreferred(ctx, all)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	kept, err := t.Out(ctx, "rev-list", "--walk-reflogs", "--branches")
	if err != nil {
		return nil, err
	}
	for commit := range strings.FieldsSeq(kept) {
		all = append(all, "^"+commit)
	}
	return t.unreferred(ctx, all)
}

// unreferred lists the commits, and what is behind them, that no ref leads to.
// Those that begin with ^ lead to what is not listed.
func (t Tree) unreferred(ctx context.Context, commits []string) ([]string, error) {
	out, err := t.run(ctx, nil, strings.Join(commits, "\n")+"\n", []string{"rev-list", "--single-worktree", "--stdin", "--not", "--all"})
	return strings.Fields(out), err
}
