package artifacts_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"

	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// What the release had applied or discarded is not applied, and not discarded,
// by today's code. Nor is what the agent may still be at.
func TestRefusedByState(t *testing.T) {
	settled := func(s saved) bool { return !s.waits() }
	each(t, settled, func(t *testing.T, p place) {
		for _, way := range []struct {
			id, done string
			do       func(place, *testing.T) string
		}{{"r13.refused", "applied", place.apply}, {"r14.refused", "discarded", place.discard}} {
			want := fmt.Sprintf("run %q: it is %s, and only a pending one, or an interrupted one that holds work, can be %s", p.run, p.told.state, way.done)
			if p.told.state == artifact.Running {
				want = fmt.Sprintf("run %q: it is running", p.run)
			}
			p.f.Equal(t, way.id, way.do(p, t), want)
			p.f.Unchanged(t)
		}
	})
}

// A run is applied to the commit it was made on, and to no other.
func TestRefusedOnAnotherCommit(t *testing.T) {
	each(t, saved.waits, func(t *testing.T, p place) {
		f, base := p.f, p.said(t).Base
		if !p.told.moved {
			p.git(t, "commit", "-q", "--allow-empty", "-m", "moved on")
			f.Settle(t)
		}
		want := fmt.Sprintf("run %q: it was made on commit %.12s, and %q is at %.12s", p.run, base, p.main.Dir, p.git(t, "rev-parse", "HEAD"))
		_, _, err := p.store.Validate(t.Context(), p.main, p.get(t))
		f.Equal(t, "r13.moved.validate", refusal(err), want)
		f.Unchanged(t)
		f.Equal(t, "r13.moved", p.apply(t), want)
		f.Unchanged(t, p.tries()...)
	})
}

func (p place) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = p.main.Dir
	cmd.Env = append(slices.Clone(p.main.Env), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// own is work of somebody's own in the main work tree, where the run has some.
type own struct {
	id    string
	files files
	at    string // that the refusal names
}

// among says whether the run is one that it is written for.
func (o own) among(s saved) bool {
	_, binary := s.work["picture"]
	return binary == strings.HasPrefix(o.id, "r13.own.binary") && (binary || s.worked())
}

var owns = []own{
	{"r13.own.content", files{"README.md": {plain, "A small project.\nmine\n"}}, "README.md"},
	{"r13.own.mode", files{"README.md": {program, "A small project.\n"}}, "README.md"},
	{"r13.own.removed", files{"tool.sh": {}}, "tool.sh"},
	{"r13.own.leaving", files{"old.txt": {plain, "It stays.\n"}}, "old.txt"},
	{"r13.own.new", files{"committed.txt": {plain, "mine\n"}}, "committed.txt"},
	{"r13.own.new-program", files{"staged.txt": {program, "staged\n"}}, "staged.txt"},
	{"r13.own.other-link", files{"link": {symlink, "README.md"}}, "link"},
	{"r13.own.no-link", files{"link": {plain, "docs/memory/notes.md"}}, "link"},
	{"r13.own.in-folder", files{"link/mine.txt": {plain, "mine\n"}}, "link/mine.txt"},
	{"r13.own.no-folder", files{"docs": {plain, "mine\n"}}, "docs"},
	{"r13.own.linked-folder", files{"docs": {symlink, ".stint"}}, "docs"},
	{"r13.own.linked-out", files{"docs": {symlink, "../home"}}, "docs"},
	{"r13.own.ignored", files{".git/info/exclude": {plain, "committed.txt\n"}, "committed.txt": {plain, "mine\n"}}, "committed.txt"},
	{"r13.own.binary", files{"picture": {plain, "\x00\x09"}}, "picture"},
	{"r13.own.binary-text", files{"picture": {plain, "mine\n"}}, "picture"},
}

// besides says whether both can be in one work tree.
func (o own) besides(other own) bool {
	for name := range o.files {
		for its := range other.files {
			if name == its || strings.HasPrefix(name, its+"/") || strings.HasPrefix(its, name+"/") {
				return false
			}
		}
	}
	return true
}

// together are those for a run, in as few work trees as hold them all.
func together(s saved) (trees [][]own) {
	for _, o := range owns {
		if !o.among(s) {
			continue
		}
		at := slices.IndexFunc(trees, func(tree []own) bool { return !slices.ContainsFunc(tree, func(is own) bool { return !is.besides(o) }) })
		if at < 0 {
			at, trees = len(trees), append(trees, nil)
		}
		trees[at] = append(trees[at], o)
	}
	return trees
}

// Work of somebody's own is never written over, and none of the run's work is
// written beside it. All of it is named: each is seen, whatever lies beside it.
// (That each is enough is held by the tests of the store.)
func TestRefusedForOwnWork(t *testing.T) {
	contracts.AnyPlace(t)
	work := func(s saved) bool { return s.applies() && together(s) != nil }
	each(t, work, func(t *testing.T, p place) {
		f := p.f
		dir := p.main.Dir
		for _, tree := range together(p.told) {
			var at []string
			for _, o := range tree {
				for name, mine := range o.files {
					put(t, dir, name, mine)
				}
				at = append(at, fmt.Sprintf("%q", o.at))
			}
			f.Settle(t)
			got, said := p.apply(t), fmt.Sprintf("run %q: %q has changes of its own in ", p.run, dir)
			named, _ := strings.CutPrefix(got, said)
			for i, o := range tree {
				f.Equal(t, o.id, slices.Contains(strings.Split(named, ", "), at[i]), true)
			}
			slices.Sort(at)
			f.Equal(t, "r13.own", got, said+strings.Join(at, ", "))
			f.Unchanged(t, p.tries()...)
			for _, o := range tree {
				for name := range o.files {
					put(t, dir, name, p.base[name])
				}
			}
			require.NoError(t, os.RemoveAll(p.th.Path("project/link")))
			put(t, dir, ".git/info/exclude", file{plain, ""})
		}
		f.Equal(t, "r13.own.none", p.apply(t), "none")
		p.checkApplied(t)
	})
}
