package dirlock_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/dirlock"
)

// Only what has the name and nobody holds is removed.
func TestSweep(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is locked there, and nothing swept")
	}
	parent := t.TempDir()
	dir := func(name string) string { return filepath.Join(parent, name) }
	for _, name := range []string{"own-held", "own-left", "other"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir(name), "below"), 0o755))
	}
	require.NoError(t, os.WriteFile(dir("own-file"), nil, 0o644))
	held, err := dirlock.Lock(dir("own-held"), true)
	require.NoError(t, err)
	sweep := func() { dirlock.Sweep(parent, regexp.MustCompile(`^own-`), os.RemoveAll) }
	sweep()
	require.NoDirExists(t, dir("own-left"))
	for _, name := range []string{"own-held", "other"} {
		require.DirExists(t, filepath.Join(dir(name), "below"))
	}
	require.FileExists(t, dir("own-file"))
	require.True(t, dirlock.IsAt(held, dir("own-held")))
	require.NoError(t, held.Close())
	sweep()
	require.NoDirExists(t, dir("own-held"))
	dirlock.Sweep(dir("gone"), regexp.MustCompile(``), os.RemoveAll)
}

// A folder that was swept away and made anew by another is not the one locked.
func TestIsAt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own")
	require.NoError(t, os.Mkdir(dir, 0o755))
	lock, err := dirlock.Lock(dir, true)
	require.NoError(t, err)
	defer lock.Close()
	require.True(t, dirlock.IsAt(lock, dir))
	require.NoError(t, os.Rename(dir, dir+"-away"))
	require.False(t, dirlock.IsAt(lock, dir))
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.False(t, dirlock.IsAt(lock, dir))
}

// A folder that is swept away before it has its lock is made again.
func TestMake(t *testing.T) {
	parent, made := t.TempDir(), 0
	dir, lock, err := dirlock.Make(func() (string, error) {
		made++
		dir, err := os.MkdirTemp(parent, "own-")
		if err == nil && made == 1 {
			err = os.Remove(dir)
		}
		return dir, err
	})
	require.NoError(t, err)
	defer lock.Close()
	require.Equal(t, 2, made)
	require.True(t, dirlock.IsAt(lock, dir))
	_, _, err = dirlock.Make(func() (string, error) { return "", os.ErrPermission })
	require.ErrorIs(t, err, os.ErrPermission)
}
