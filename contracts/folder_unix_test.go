//go:build unix

package contracts

import (
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
	foreign := filepath.Join(parent, "thaw-mine")
	require.NoError(t, os.Mkdir(foreign, 0o755))
	held, err := newFolder("thaw")
	require.NoError(t, err)
	require.NoDirExists(t, left)

	second, err := newFolder("hostile thaw")
	require.NoError(t, err)
	require.DirExists(t, held.dir)
	require.NoError(t, sweep(parent))
	require.DirExists(t, held.dir)
	require.NoError(t, held.lock.Close()) // as the end of its process would
	require.NoError(t, sweep(parent))
	third, err := newFolder("thaw")
	require.NoError(t, err)
	require.NoDirExists(t, held.dir)
	require.DirExists(t, foreign)
	for _, p := range []*folder{second, third} {
		require.NoError(t, p.remove())
		require.NoDirExists(t, p.dir)
	}
}
