package process_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
)

// sh runs a script in a folder of its own.
func sh(t *testing.T, script string, timeout time.Duration) (*process.Result, string) {
	t.Helper()
	var also bytes.Buffer
	run := process.Run{Args: []string{"sh", "-c", script}, Dir: t.TempDir(), Env: os.Environ(), Timeout: timeout, Also: &also}
	result, err := run.Start(t.Context())
	require.NoError(t, err)
	require.Equal(t, also.String(), string(result.Output))
	return result, run.Dir
}

func TestStart(t *testing.T) {
	got, dir := sh(t, `echo out; echo err >&2; echo "$PWD"; exit 3`, time.Hour)
	require.Equal(t, 3, got.Exit)
	require.Equal(t, "out\nerr\n"+dir+"\n", string(got.Output))
	got, _ = sh(t, `kill -9 $$`, time.Hour)
	require.Equal(t, -1, got.Exit)
	require.False(t, got.TimedOut)
}

// What a program has started ends with it, whether it ends by itself, by the
// limit or by the end of ctx.
func TestStartEndsAll(t *testing.T) {
	const script = `sleep 600 >/dev/null 2>&1 & echo $!; `
	got, _ := sh(t, script+`exit 0`, time.Hour)
	require.Zero(t, got.Exit)
	requireEnded(t, got.Output)
	got, _ = sh(t, script+`wait`, 200*time.Millisecond)
	require.True(t, got.TimedOut)
	requireEnded(t, got.Output)

	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	ended := make(chan error, 1)
	go func() {
		_, err := process.Run{Args: []string{"sh", "-c", "echo $$ >pid; sleep 600"}, Dir: dir, Env: os.Environ(), Timeout: time.Hour}.Start(ctx)
		ended <- err
	}()
	var pid []byte
	require.Eventually(t, func() bool {
		pid, _ = os.ReadFile(filepath.Join(dir, "pid"))
		return bytes.HasSuffix(pid, []byte("\n"))
	}, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	requireEnded(t, pid)
}

func requireEnded(t *testing.T, pid []byte) {
	t.Helper()
	require.Eventually(t, func() bool {
		return exec.Command("kill", "-0", string(bytes.TrimSpace(pid))).Run() != nil
	}, time.Minute, time.Millisecond, "what the program has started still runs")
}
