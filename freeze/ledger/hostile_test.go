package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// It is read as tree.ReadFile reads, up to the limit of a file of settings.
func TestLoadOfWhatIsTooLarge(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ledger.Name)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, os.Truncate(path, 1<<40))
	_, err := ledger.Load(os.DirFS(dir))
	require.ErrorContains(t, err, "ledger releases.toml: has 1099511627776 bytes, more than the limit of 16777216")
}
