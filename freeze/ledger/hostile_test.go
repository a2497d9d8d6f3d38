//go:build unix

package ledger_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// What is no file, or has no end, is refused before it is read.
func TestLoadOfNoFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"fifo", func(path string) error { return syscall.Mkfifo(path, 0o644) }, "is no regular file but p"},
		{"device", func(path string) error { return os.Symlink("/dev/zero", path) }, "is no regular file but Dc"},
		{"folder", func(path string) error { return os.Mkdir(path, 0o755) }, "is no regular file but d"},
		{"huge", func(path string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		}, "has 1099511627776 bytes, more than the limit of 16777216"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), ledger.Name)
			require.NoError(t, tt.make(path))
			_, err := ledger.Load(os.DirFS(filepath.Dir(path)))
			require.ErrorContains(t, err, "ledger releases.toml: "+tt.want)
		})
	}
}
