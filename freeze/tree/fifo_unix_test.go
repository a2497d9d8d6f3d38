//go:build unix

package tree_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// To open a fifo would block until somebody writes to it.
func TestReadFileOfAFifo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	_, err := tree.ReadFile(os.DirFS(dir), "fifo", 5)
	require.EqualError(t, err, "is no regular file but p---------")
}
