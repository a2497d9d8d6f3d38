//go:build unix

package artifacts_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// What permission refuses is tried by a user who is not root: root may read and
// write everything.
func TestNobody(t *testing.T) {
	if os.Getuid() == 0 {
		asNobody(t)
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

// asNobody runs the test that calls it once more, in a process that is not
// root's. Its fixtures lie where it may read them.
func asNobody(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "contracts")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	own, err := os.Executable()
	require.NoError(t, err)
	program, fixtures, tmp := filepath.Join(dir, "test"), filepath.Join(dir, "fixtures"), filepath.Join(dir, "tmp")
	frozen, err := contracts.Find(".")
	require.NoError(t, err)
	require.NoError(t, errors.Join(os.CopyFS(fixtures, os.DirFS(frozen)), os.Mkdir(tmp, 0o700)))
	b, err := os.ReadFile(own)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, b, 0o700))
	require.NoError(t, hand(dir, 65534))
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, contracts.FixturesEnv+"="+fixtures)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if id := asserted.FindSubmatch(out); id != nil {
		t.Attr("freeze.assert", string(id[1]))
		t.Fatalf("%s: %v\n%s", id[1], err, out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}

// asserted finds the first assertion that failed in the other process.
var asserted = regexp.MustCompile(`freeze\.assert (\S+)`)

// hand makes everything in dir, and dir, another user's.
func hand(dir string, uid int) error {
	return filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, uid, uid))
	})
}
