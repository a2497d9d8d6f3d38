//go:build unix

package contracts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Whoever runs the tests, permission refuses what is behind AsNobody.
func TestAsNobody(t *testing.T) {
	if !contracts.AsNobody(t) {
		return
	}
	name := filepath.Join(t.TempDir(), "closed")
	require.NoError(t, os.WriteFile(name, []byte("text"), 0))
	_, err := os.ReadFile(name)
	require.ErrorIs(t, err, fs.ErrPermission)
}
