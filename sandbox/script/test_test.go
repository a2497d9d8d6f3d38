package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/stretchr/testify/require"
)

const innerPattern = "PERMAFROST_SCRIPT_TEST"

// TestInner is what TestTestFails runs in a process of its own.
func TestInner(t *testing.T) {
	pattern, ok := os.LookupEnv(innerPattern)
	if !ok {
		t.Skip("only for TestTestFails")
	}
	script.Test(t, config(t), pattern)
}

func TestTestFails(t *testing.T) {
	needTmux(t)
	for pattern, want := range map[string]string{
		filepath.Join("testdata", "fail", "*.txtar"): "one.txtar:1: exec cli complain: unexpected command failure",
		filepath.Join("testdata", "none", "*.txtar"): "no script is named by",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestInner$")
		cmd.Env = append(os.Environ(), innerPattern+"="+pattern)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), want)
	}
}
