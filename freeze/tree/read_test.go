package tree_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("12345"), 0o644))
	require.NoError(t, os.Symlink("file", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(os.DevNull, filepath.Join(dir, "device")))
	sparse(t, filepath.Join(dir, "huge"), 1<<40)
	for _, tt := range []struct{ name, want, err string }{
		{"file", "12345", ""},
		{"link", "12345", ""},
		{".", "", "is no regular file but d"},
		{"device", "", "is no regular file but D"},
		{"huge", "", "has 1099511627776 bytes, more than the limit of 5"},
		{"none", "", "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tree.ReadFile(os.DirFS(dir), tt.name, 5)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}
