package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/config"
)

// It is read as tree.ReadFile reads, up to the limit of a file of settings.
func TestLoadOfWhatIsTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), config.Name)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, os.Truncate(path, 1<<40))
	_, err := config.Load(path)
	require.ErrorContains(t, err, `configuration "`+path+`": has 1099511627776 bytes, more than the limit of 16777216`)
}
