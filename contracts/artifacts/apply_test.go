package artifacts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	stint "github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// tries are what an apply may change that is refused or fails, as globs over
// paths in the box: its lock, the mark that it was begun, the time of objects
// that git would write again, and the scratch folder that a killed one left.
func (p place) tries() []string {
	return []string{p.state + "/apply.lock", p.state + "/runs/*/applying", "project/.git/objects/*/*",
		p.state + "/scratch", p.state + "/scratch/*", p.state + "/scratch/objects/*", p.state + "/scratch/objects/*/*"}
}

// applies are what an apply may change.
func (p place) applies() []string {
	return append(p.tries(), p.manifest(), "project/*", "project/docs/*", "project/docs/memory/*",
		"project/.stint/apply", "project/.stint/apply/*", "project/.stint/apply/docs/*", "project/.stint/apply/docs/memory/*")
}

// applied is the manifest that today's apply is wanted to leave.
func (p place) applied(t *testing.T) *artifact.Manifest {
	t.Helper()
	m := p.said(t)
	m.State, m.Revision, m.UpdatedAt, m.AppliedAt = "applied", m.Revision+1, p.at(), p.at()
	m.Receipt = &artifact.Receipt{Base: m.Base, Tree: p.makes().tree(), PatchSHA256: p.told.patchSum(), AppliedAt: p.at()}
	return m
}

// makes is the work tree that base and patch make.
func (p place) makes() files { return p.whole(p.base.with(p.told.work)) }

// A run that holds work nobody decided on is applied by today's code: also one
// that was interrupted, and one of which an apply was killed. The work in the
// main work tree is then what the release's patch was made of.
func TestApply(t *testing.T) {
	each(t, saved.applies, func(t *testing.T, p place) {
		f := p.f
		patch, done, err := p.store.Validate(t.Context(), p.main, p.get(t))
		require.NoError(t, err)
		f.Equal(t, "r13.validate", sum(string(patch)), p.told.patchSum())
		f.Equal(t, "r13.done", done, p.done(p.project))
		f.Unchanged(t, p.tries()...)

		got, err := p.store.Apply(t.Context(), p.main, p.run)
		if !f.Equal(t, "r13.apply", refusal(err), "none") {
			return
		}
		p.checkApplied(t)
		f.Equal(t, "r13.answer", got, p.applied(t))
		f.Equal(t, "r13.zone", got.AppliedAt.Location().String(), "UTC")
		f.Unchanged(t, p.applies()...)
		f.Equal(t, "r13.left", p.kept(t), p.keptApplied())
		_, err = os.Lstat(p.th.Path("project/.stint/apply"))
		f.Equal(t, "r13.left.apply", named(err), "missing")

		if len(done) == 0 { // else there is another run's work, too
			again, err := stint.Take(t.Context(), p.main, p.said(t).Base)
			require.NoError(t, err)
			f.Equal(t, "r13.taken", sum(string(again.Patch)), p.told.patchSum())
		}
		f.Settle(t)
		f.Equal(t, "r13.again", p.apply(t), fmt.Sprintf("run %q: it is applied, and only a pending one, or an interrupted one that holds work, can be applied", p.run))
		f.Unchanged(t)
		f.Equal(t, "r14.applied", p.discard(t), fmt.Sprintf("run %q: it is applied, and only a pending one, or an interrupted one that holds work, can be discarded", p.run))
		f.Unchanged(t)
	})
}

// checkApplied holds the work tree and the stored manifest after an apply.
func (p place) checkApplied(t *testing.T) {
	t.Helper()
	p.f.Equal(t, "r13.tree", treeOf(t, p.th, "project"), p.whole(p.project.with(p.told.work)))
	p.f.CheckGit(t, "r13.tree.git", "project", contracts.Git{
		Revisions: map[string]string{"HEAD^{tree}": p.whole(p.head).tree()},
		Status:    p.told.status + ignoredOwn, Reflog: p.commits, Worktrees: p.worktrees(),
	})
	stored, schema := p.stored(t)
	want := p.applied(t)
	p.f.Equal(t, "r13.state", stored.State, want.State)
	p.f.Equal(t, "r13.receipt", stored.Receipt, want.Receipt)
	p.f.Equal(t, "r13.manifest", stored, want)
	p.f.Equal(t, "r13.schema", schema, today)
	info, err := os.Lstat(p.th.Path(p.manifest()))
	require.NoError(t, err)
	p.f.Equal(t, "r13.mode", info.Mode().String(), "-rw-------")
	p.f.Equal(t, "r13.read", p.get(t), want)
}

// keptApplied is what the state folder holds after an apply: nothing of one
// that was killed.
func (p place) keptApplied() []string {
	p.runs = slices.Clone(p.runs)
	for i := range p.runs {
		p.runs[i].half = false
	}
	p.more = nil
	return p.keeps("apply.lock")
}

// halves are files that a killed apply had moved to their places.
var halves = map[string][]string{
	"some": {"README.md", "docs/memory/notes.md", "link", "old.txt", "tool.sh"},
	"all": {"README.md", "committed.txt", "docs/memory/notes.md", "link", "moved.txt", "moves.txt",
		"odd name ü.txt", "old.txt", "staged.txt", "tool.sh"},
	"binary": {"link", "picture"},
}

// An apply that was killed between two moves, or between the last one and the
// manifest, is finished by the next.
func TestApplyOfWhatIsHalfDone(t *testing.T) {
	for name, half := range halves {
		t.Run(name, func(t *testing.T) {
			has := func(s saved) bool {
				return s.applies() && !slices.ContainsFunc(half, func(name string) bool { _, is := s.work[name]; return !is })
			}
			each(t, has, func(t *testing.T, p place) {
				there := p.project
				for _, name := range half {
					put(t, p.main.Dir, name, p.told.work[name])
					there = there.with(files{name: p.told.work[name]})
				}
				_, done, err := p.store.Validate(t.Context(), p.main, p.get(t))
				require.NoError(t, err)
				p.f.Equal(t, "r13.half", done, p.done(there))
				p.f.Equal(t, "r13.half.apply", p.apply(t), "none")
				p.checkApplied(t)
			})
		})
	}
}

// done are the changes of the run that a work tree has already.
func (p place) done(tree files) (all []git.Change) {
	for _, f := range p.changes() {
		if tree[f.Path] == p.told.work[f.Path] {
			all = append(all, git.Change{Path: f.Path, OldMode: f.OldMode, NewMode: f.NewMode, OldHash: f.OldHash, NewHash: f.NewHash})
		}
	}
	return all
}

// put makes a file of a work tree what it is to be, or removes it.
func put(t *testing.T, dir, name string, f file) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.RemoveAll(name))
	if f.Mode == "" {
		return
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	switch f.Mode {
	case symlink:
		require.NoError(t, os.Symlink(f.Content, name))
	case program:
		require.NoError(t, os.WriteFile(name, []byte(f.Content), 0o755))
	default:
		require.NoError(t, os.WriteFile(name, []byte(f.Content), 0o644))
	}
}

// The patch on disk is held against the manifest, and the manifest's files
// against what the patch makes.
func TestApplyOfAnotherPatch(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, saved.applies, func(t *testing.T, p place) {
		f := p.f
		m := p.get(t)
		whole, err := os.ReadFile(p.th.Path(p.patch()))
		require.NoError(t, err)
		work := &stint.Work{Patch: whole}
		for name, damage := range map[string]func(file string) error{
			"altered":   func(file string) error { return os.WriteFile(file, append(whole[:len(whole):len(whole)], '\n'), 0o600) },
			"truncated": func(file string) error { return os.WriteFile(file, whole[:len(whole)/2], 0o600) },
			"empty":     func(file string) error { return os.WriteFile(file, nil, 0o600) },
			"same-size": func(file string) error { return os.WriteFile(file, append([]byte("D"), whole[1:]...), 0o600) },
			"missing":   os.Remove,
			"symlink":   func(file string) error { return link(file, file+".aside") },
			"larger":    func(file string) error { return os.Truncate(file, 16<<20+1) },
		} {
			want := map[string]string{"missing": "missing", "symlink": "not regular", "larger": "too large"}[name]
			if want == "" {
				want = "corrupt at "
			}
			id := "r19.patch" + "." + name
			file := p.th.Path(p.patch())
			require.NoError(t, damage(file))
			before := fileAt(t, file)
			_, err := p.store.Patch(m)
			f.Equal(t, id, named(err), want)
			_, _, err = p.store.Validate(t.Context(), p.main, m)
			f.Equal(t, id+".validate", named(err), want)
			_, err = p.store.Apply(t.Context(), p.main, p.run)
			f.Equal(t, id+".apply", named(err), want)
			held, err := p.store.Holds(func(*artifact.Manifest) bool { return true }, m.Base, work)
			require.NoError(t, err)
			f.Equal(t, id+".holds", held, false)
			f.Equal(t, id+".bytes", fileAt(t, file), before)
			require.NoError(t, os.RemoveAll(file))
			require.NoError(t, os.RemoveAll(file+".aside"))
			require.NoError(t, os.WriteFile(file, whole, 0o600))
		}
		f.Unchanged(t, append(p.tries(), p.patch())...)
	})
}

// link puts a symlink to aside in the place of the file, which is moved there.
func link(file, aside string) error {
	if err := os.Rename(file, aside); err != nil {
		return err
	}
	return os.Symlink(filepath.Base(aside), file)
}
