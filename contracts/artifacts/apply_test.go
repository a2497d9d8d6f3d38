package artifacts_test

import (
	"fmt"
	"os"
	"path/filepath"
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
	m := p.said(t, "show")
	m.State, m.Revision, m.UpdatedAt, m.AppliedAt = "applied", m.Revision+1, p.at(), p.at()
	release := since(p.f.Release)
	m.Receipt = &artifact.Receipt{Base: m.Base, Tree: release.trees["worked"], PatchSHA256: release.sum, AppliedAt: p.at()}
	return m
}

// pending says whether the run can be applied.
func (p place) pending() bool { return p.story.state == "pending" && !p.moved }

// A run that was left pending is applied by today's code: also one of which an
// apply was killed.
func TestApply(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.pending() {
			return
		}
		patch, done, err := p.store.Validate(t.Context(), p.main, p.get(t))
		require.NoError(t, err)
		f.Equal(t, "r13.validate", string(patch), p.saidPatch(t))
		f.Equal(t, "r13.done", done, []git.Change(nil))
		f.Unchanged(t, p.tries()...)

		got, err := p.store.Apply(t.Context(), p.main, p.run)
		if !f.Equal(t, "r13.apply", refusal(err), "none") {
			return
		}
		p.checkApplied(t)
		f.Equal(t, "r13.answer", got, p.applied(t))
		f.Equal(t, "r13.zone", got.AppliedAt.Location().String(), "UTC")
		f.Unchanged(t, p.applies()...)
		f.Equal(t, "r13.left", p.kept(t), p.keepsApplied())
		_, err = os.Lstat(p.th.Path("project/.stint/apply"))
		f.Equal(t, "r13.left.apply", named(err), "missing")

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
	p.f.Equal(t, "r13.tree", treeOf(t, p.th, "project"), p.whole(worked))
	p.f.CheckGit(t, "r13.tree.git", "project", contracts.Git{
		Revisions: map[string]string{"HEAD^{tree}": since(p.f.Release).trees["base"]},
		Status:    statusApplied + ignoredOwn, Reflog: p.commits, Worktrees: p.worktrees(),
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

// worktrees are the main one and, unless it is closed, the session's.
func (p place) worktrees() []string {
	all := []string{p.th.Path("project")}
	if p.story.worktree != nil {
		all = append(all, p.th.Path(p.worktree()))
	}
	return all
}

// keepsApplied is what the state folder holds after an apply.
func (p place) keepsApplied() []string {
	p.more = []string{"apply.lock"}
	return p.keeps()
}

// An apply that was killed between two moves, or between the last one and the
// manifest, is finished by the next.
func TestApplyOfWhatIsHalfDone(t *testing.T) {
	halves := map[string][]string{
		"some": {"README.md", "docs/memory/notes.md", "link", "old.txt", "tool.sh"},
		"all": {"README.md", "committed.txt", "docs/memory/notes.md", "link", "moved.txt", "moves.txt",
			"odd name ü.txt", "old.txt", "staged.txt", "tool.sh"},
	}
	for name, half := range halves {
		t.Run(name, func(t *testing.T) {
			contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
				t.Parallel()
				p := thaw(t, f)
				if !p.pending() {
					return
				}
				var want []git.Change
				for _, name := range half {
					put(t, p.th.Path("project"), name, changed[name])
					want = append(want, p.change(name))
				}
				_, done, err := p.store.Validate(t.Context(), p.main, p.get(t))
				require.NoError(t, err)
				f.Equal(t, "r13.half", done, want)
				f.Equal(t, "r13.half.apply", p.apply(t), "none")
				p.checkApplied(t)
			})
		})
	}
}

// change is what the work did to one file.
func (p place) change(name string) git.Change {
	for _, f := range changes() {
		if f.Path == name {
			return git.Change{Path: f.Path, OldMode: f.OldMode, NewMode: f.NewMode, OldHash: f.OldHash, NewHash: f.NewHash}
		}
	}
	panic(name)
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
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.pending() {
			return
		}
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
			require.NoError(t, damage(p.th.Path(p.patch())))
			f.Settle(t)
			_, err := p.store.Patch(m)
			f.Equal(t, id, named(err), want)
			_, _, err = p.store.Validate(t.Context(), p.main, m)
			f.Equal(t, id+".validate", named(err), want)
			_, err = p.store.Apply(t.Context(), p.main, p.run)
			f.Equal(t, id+".apply", named(err), want)
			held, err := p.store.Holds(func(*artifact.Manifest) bool { return true }, m.Base, work)
			require.NoError(t, err)
			f.Equal(t, id+".holds", held, false)
			f.Unchanged(t, p.tries()...)
			require.NoError(t, os.RemoveAll(p.th.Path(p.patch())))
			require.NoError(t, os.WriteFile(p.th.Path(p.patch()), whole, 0o600))
		}
	})
}

// link puts a symlink to aside in the place of the file, which is moved there.
func link(file, aside string) error {
	if err := os.Rename(file, aside); err != nil {
		return err
	}
	return os.Symlink(filepath.Base(aside), file)
}
