//go:build unix

package scenario_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// A script that is no file, or has no end, is refused before it is read.
func TestLoadOfNoFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"fifo", func(path string) error { return syscall.Mkfifo(path, 0o644) }, "is no regular file but p"},
		{"device", func(path string) error { return os.Symlink("/dev/zero", path) }, "is no regular file but Dc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "notes", "open.txtar")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
			require.NoError(t, tt.make(path))
			_, err := scenario.Load(dir)
			require.ErrorContains(t, err, path+": "+tt.want)
		})
	}
}
