package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that forgot to call Main is told so: its supervisor is the program
// again, which must not start a box and so on without end.
func TestWithoutMain(t *testing.T) {
	t.Parallel()
	program := t.TempDir() + "/nomain"
	out, err := command("go", "build", "-o", program, "./testdata/nomain").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = command(program).CombinedOutput()
	require.NoError(t, err)
	require.Regexp(t, `^box "/tmp/fz\.[a-z]{8}": its supervisor, a copy of this program, does not answer: sandbox.Main must be the first`, string(out))
}
