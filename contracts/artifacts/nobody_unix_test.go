//go:build unix

package artifacts_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// What permission refuses is tried by a user who is not root: root may read and
// write everything.
func TestNobody(t *testing.T) {
	contracts.AnyPlace(t)
	if !contracts.AsNobody(t) {
		return
	}
	t.Run("unreadable", func(t *testing.T) { each(t, whatever, unreadable) })
	t.Run("unwritable", func(t *testing.T) { each(t, saved.applies, unwritable) })
}

// A manifest that may not be read is refused like a damaged one, and hides
// nobody.
func unreadable(t *testing.T, p place) {
	p.settle(t)
	for id, name := range map[string]string{"r19.manifest.unreadable": p.manifest(), "r19.patch.unreadable": p.patch()} {
		if name == p.patch() && !p.told.holds() {
			continue
		}
		m := p.get(t)
		p.f.Settle(t)
		require.NoError(t, os.Chmod(p.th.Path(name), 0))
		all, skipped, err := p.store.Manifests()
		require.NoError(t, err)
		p.f.Equal(t, id+".neighbours", slices.ContainsFunc(all, func(m *artifact.Manifest) bool { return m.ID == neighbour }), true)
		if name == p.manifest() {
			p.f.Equal(t, id+".unreadable", reasons(skipped), []string{"permission: " + p.th.Path(name)})
			_, err = p.store.Get(p.run)
		} else {
			_, err = p.store.Patch(m)
		}
		p.f.Equal(t, id, named(err), "permission")
		if p.told.applies() {
			_, err = p.store.Apply(t.Context(), p.main, p.run)
			p.f.Equal(t, id+".apply", named(err), "permission")
		}
		require.NoError(t, os.Chmod(p.th.Path(name), 0o600))
		p.f.Unchanged(t, p.tries()...)
	}
}

// An apply that cannot make one file leaves none of the others, and one that
// cannot say in the run's folder that it began makes none.
func unwritable(t *testing.T, p place) {
	run := filepath.Dir(p.th.Path(p.manifest()))
	require.NoError(t, os.Chmod(run, 0o500))
	p.f.Settle(t)
	_, err := p.store.Apply(t.Context(), p.main, p.run)
	p.f.Equal(t, "r13.unwritable", named(err), "permission")
	p.f.Unchanged(t, p.tries()...)
	require.NoError(t, os.Chmod(run, 0o700))
	if !p.told.worked() {
		return
	}
	docs := p.th.Path("project/docs")
	require.NoError(t, os.Mkdir(docs, 0o500))
	_, err = p.store.Apply(t.Context(), p.main, p.run)
	p.f.Equal(t, "r13.atomic", named(err), "permission")
	p.f.Equal(t, "r13.atomic.tree", treeOf(t, p.th, "project"), p.whole(base))
	stored, _ := p.stored(t)
	p.f.Equal(t, "r13.atomic.manifest", stored, p.said(t))
	require.NoError(t, os.Chmod(docs, 0o700))
	p.f.Equal(t, "r13.atomic.again", p.apply(t), "none")
	p.checkApplied(t)
}
