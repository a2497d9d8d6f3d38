package sandbox_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	b, err := sandbox.Start(context.Background(), sandbox.Config{Tmux: true, Tools: []string{"sh", "sleep", "cat", "env", "ps"}})
	require.NoError(t, err)
	t.Log(b.Namespace(), b.Root())
	var out bytes.Buffer
	code, err := b.Run(context.Background(), sandbox.Cmd{Args: []string{"sh", "-c", "ps axf; env; pwd; tmux new-session -d -s a 'sleep 1000'; tmux ls; exit 7"}, Stdout: &out, Stderr: &out})
	t.Log(out.String())
	require.NoError(t, err)
	require.Equal(t, 7, code)
	require.NoError(t, b.Close())
	require.Equal(t, 0, len(b.Ended()))
}
