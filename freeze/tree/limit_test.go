package tree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// sparse makes a file of that size which takes no room.
func sparse(t *testing.T, name string, size int64) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, nil, 0o644))
	require.NoError(t, os.Truncate(name, size))
}

func TestHugeFile(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "home"), 0o755))
	huge := filepath.Join(root, "home", "huge")
	sparse(t, huge, 1<<40)
	_, err := tree.Walk(root, []string{"home"})
	require.EqualError(t, err, `capture "home/huge": has 1099511627776 bytes, more than the limit of 67108864`)
	before, err := tree.States(root, []string{"home"})
	require.NoError(t, err)
	require.NoError(t, os.Truncate(huge, 1<<40+1))
	after, err := tree.States(root, []string{"home"})
	require.NoError(t, err)
	require.NotEqual(t, before["home/huge"], after["home/huge"])
	sparse(t, huge, 64<<20)
	entries, err := tree.Walk(root, []string{"home"})
	require.NoError(t, err)
	require.Len(t, entries[1].Data, 64<<20)
}

func TestManyLargeFiles(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "home"), 0o755))
	for _, name := range strings.Split("abcdefghi", "") {
		sparse(t, filepath.Join(root, "home", name), 60<<20)
	}
	_, err := tree.Walk(root, []string{"home"})
	require.ErrorContains(t, err, "with it the files have 566231040 bytes, more than the limit of 536870912 for one capture")
}

// deep makes that many folders in one another, with files beside each.
func deep(t testing.TB, levels int, name string) (root string) {
	t.Helper()
	root = t.TempDir()
	at, err := os.OpenRoot(root)
	require.NoError(t, err)
	for range levels {
		require.NoError(t, at.Mkdir(name, 0o755))
		below, err := at.OpenRoot(name)
		require.NoError(t, err)
		require.NoError(t, at.Close())
		at = below
		for _, file := range strings.Split("abcdefghij", "") {
			require.NoError(t, at.WriteFile("file "+file, nil, 0o644))
		}
	}
	require.NoError(t, at.Close())
	return root
}

func TestDeepTree(t *testing.T) {
	root := deep(t, 500, "d")
	entries, err := tree.Walk(root, []string{"d"})
	require.NoError(t, err)
	require.Len(t, entries, 500*11)
}

// The time that an entry takes does not grow with its depth: against the same
// number of entries in folders side by side it is a few times, for the length of
// the paths, and not hundreds.
func BenchmarkDeepTree(b *testing.B) {
	flat := b.TempDir()
	for n := range 500 {
		dir := filepath.Join(flat, "d", fmt.Sprint(n))
		require.NoError(b, os.MkdirAll(dir, 0o755))
		for _, file := range strings.Split("abcdefghij", "") {
			require.NoError(b, os.WriteFile(filepath.Join(dir, "file "+file), nil, 0o644))
		}
	}
	took := func(root string) time.Duration {
		began := time.Now()
		_, err := tree.Walk(root, []string{"d"})
		require.NoError(b, err)
		return time.Since(began)
	}
	root := deep(b, 500, "d")
	var deepest, beside time.Duration
	for b.Loop() {
		deepest += took(root)
		beside += took(flat)
	}
	b.ReportMetric(float64(deepest)/float64(beside), "x-flat")
}

func TestTooDeepTree(t *testing.T) {
	root := deep(t, 50, strings.Repeat("d", 100))
	_, err := tree.Walk(root, []string{strings.Repeat("d", 100)})
	require.ErrorContains(t, err, "the path has 1110 bytes, more than the limit of 1024")
}
