//go:build unix

package contracts_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// A fifo, in whatever place, is an error and nothing to wait for.
func TestMainReadsNoFifo(t *testing.T) {
	for _, name := range []string{
		"fifo", "releases.toml", "scenarios/notes/add.txtar", "scenarios/notes/more.txtar",
		"notes/fifo", "notes/v1.0.0/bindings.json", "notes/v1.0.0/add/tree/home/fifo", config,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := copyCorpus(t)
			at := filepath.Join(dir, filepath.FromSlash(name))
			if filepath.Base(name) != "fifo" && filepath.Base(name) != "more.txtar" {
				remove(name)(t, dir)
			}
			require.NoError(t, syscall.Mkfifo(at, 0o600))
			cmd := suite(t, "odd", "-test.timeout="+(20*time.Second).String())
			cmd.Env = append(cmd.Env, contracts.FixturesEnv+"="+dir)
			out, code := run(t, cmd)
			require.Equal(t, 1, code, out)
			require.Contains(t, out, name+": ")
		})
	}
}
