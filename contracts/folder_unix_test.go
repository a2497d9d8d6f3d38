//go:build unix

package contracts

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a killed process left is removed by the next one; what another one holds,
// and what has a name of its own, is not.
func TestNewFolderSweeps(t *testing.T) {
	parent := t.TempDir()
	t.Setenv(ThawEnv, parent)
	left := filepath.Join(parent, "hostile thaw-.123")
	require.NoError(t, os.MkdirAll(filepath.Join(left, "home", "closed"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(left, "home"), 0))
	for _, name := range []string{"thaw-.1", "place-.2", "hostile place-.3", "program-.4"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o755))
	}
	foreign := filepath.Join(parent, "thaw-mine")
	require.NoError(t, os.Mkdir(foreign, 0o755))
	held, err := newFolder("thaw")
	require.NoError(t, err)
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.DirExists(t, foreign)

	second, err := newFolder("hostile thaw")
	require.NoError(t, err)
	require.DirExists(t, held.dir)
	sweep(parent)
	require.DirExists(t, held.dir)
	require.NoError(t, held.lock.Close()) // as the end of its process would
	sweep(parent)
	third, err := newFolder("thaw")
	require.NoError(t, err)
	require.NoDirExists(t, held.dir)
	require.DirExists(t, foreign)
	for _, p := range []*folder{second, third} {
		require.NoError(t, p.remove())
		require.NoDirExists(t, p.dir)
	}
}

// Others share the folder for temporary files, and what of theirs lies there
// under such a name is in nobody's way.
func TestNewFolderLeavesWhatIsNotItsOwn(t *testing.T) {
	if !AsNobody(t) {
		return
	}
	parent := t.TempDir()
	left := filepath.Join(parent, "thaw-.123")
	require.NoError(t, os.Mkdir(left, 0o755))
	require.NoError(t, os.Chmod(parent, 0o555)) // as if the sticky bit kept it
	sweep(parent)
	require.DirExists(t, left)
	second := t.TempDir()
	p, err := newFolder("thaw", parent, filepath.Join(parent, "none"), second)
	require.NoError(t, err)
	require.Equal(t, second, filepath.Dir(p.dir))
	require.NoError(t, p.remove())
	_, err = newFolder("thaw", parent, filepath.Join(parent, "none"))
	require.ErrorIs(t, err, fs.ErrPermission)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.Chmod(parent, 0o755))
}
