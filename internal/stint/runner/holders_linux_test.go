package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What has ended while it was looked at is no holder any more, and has no name.
func TestHoldersHaveNames(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	require.NoError(t, err)
	defer file.Close()
	cmd := exec.Command("sh", "-c", "while :; do env true; done")
	cmd.ExtraFiles = []*os.File{file}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for range 100 {
		all := holders(file.Name())
		require.NotEmpty(t, all)
		for _, one := range all {
			require.Regexp(t, `^\d+ \("\w+"\)$`, one)
		}
	}
}
