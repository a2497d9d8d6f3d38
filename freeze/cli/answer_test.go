//go:build linux

package cli_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An answer that cannot be written is a failure, said in one line.
func TestAnswerOnAFullDisk(t *testing.T) {
	requireTmux(t)
	repo, cache := smallSubject(t), t.TempDir()
	out, err := freezeCommand(repo, cache, "-q", "v1.0.0").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for command, code := range map[string]int{
		"-q v1.0.0": 1, "-q --json v1.0.0": 1, "check": 1, "check --json": 1, "list": 1, "list --json": 1,
		"doctor": 1, "doctor --json": 1, "reap --json": 1, "--help": 1, "check --help": 1, "--version": 1, "help": 1,
		"diff v1.0.0 v1.0.0": 2,
	} {
		t.Run(command, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			require.NoError(t, err)
			defer full.Close()
			cmd := freezeCommand(repo, cache, strings.Fields(command)...)
			var stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = full, &stderr
			require.Error(t, cmd.Run())
			require.Equal(t, code, cmd.ProcessState.ExitCode(), "%s", &stderr)
			require.Regexp(t, `^freeze: .*no space left on device\n$`, stderr.String())
		})
	}
}
