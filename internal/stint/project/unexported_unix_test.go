//go:build unix

package project

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A fifo that took a file's place after the look at it has no content.
func TestContentsOfFifo(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	require.ErrorContains(t, (&contents{left: maxContent}).file(root, "fifo", io.Discard), "no regular file")
}
