package sandbox_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// The caller is killed: the supervisor takes the box down by itself.
func TestCallerKilled(t *testing.T) {
	needTmux(t)
	for _, kind := range []string{"namespace", "plain"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seconds := token()
			root := sandbox.FreshRoot(8)
			caller, _ := player(t, nil, "caller", kind, seconds, root)
			eventually(t, "server, pane, daemon and program", func() bool { return len(running(t, "sleep\x00"+seconds)) >= 3 })
			caller.Process.Kill()
			caller.Wait()
			eventually(t, "the box's removal", func() bool {
				_, err := os.Stat(root)
				return errors.Is(err, os.ErrNotExist)
			})
			require.Empty(t, running(t, seconds))
		})
	}
}

// Whenever the caller is killed, while it makes the box too, nothing runs
// afterwards. Before there is a supervisor a folder may stay, and is reaped.
func TestCallerKilledAtAnyMoment(t *testing.T) {
	needTmux(t)
	for i := range 24 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			seconds, root := token(), sandbox.FreshRoot(8)
			caller, _ := player(t, nil, "caller", []string{"namespace", "plain"}[i%2], seconds, root)
			time.Sleep(time.Duration(i*i) * 300 * time.Microsecond) // up to 160 ms
			caller.Process.Kill()
			caller.Wait()
			eventually(t, "the box's removal", func() bool {
				f, ok := found(t, root)
				if ok && !f.Owner {
					// An error here is a supervisor that has only just come.
					sandbox.Reap(t.Context(), f)
				}
				_, err := os.Stat(root)
				return errors.Is(err, os.ErrNotExist)
			})
			require.Empty(t, running(t, seconds))
		})
	}
}

// The program under test is killed while its session runs: the box comes down
// as ever, and the exit code tells the signal.
func TestProgramKilled(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true})
	seconds := token()
	code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"sh", "-c", `tmux new-session -d 'sleep ` + seconds + `'; kill -KILL $$`}})
	require.NoError(t, err)
	require.Equal(t, 128+9, code)
	comesUp(t, seconds)
	require.NoError(t, b.Close())
	require.Empty(t, running(t, seconds))
}

// A context that ends kills the program, and the box goes on.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	seconds := token()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		comesUp(t, seconds)
		cancel()
	}()
	code, err := b.Run(ctx, sandbox.Cmd{Args: []string{"sleep", seconds}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 128+9, code)
	require.Empty(t, running(t, seconds))
	require.Equal(t, "on\n", sh(t, b, "echo on"))
}

// A program that still runs when the box is stopped is ended with it.
func TestStopWhileRunning(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	seconds := token()
	ended := make(chan error)
	go func() {
		_, err := b.Run(context.Background(), sandbox.Cmd{Args: []string{"sleep", seconds}})
		ended <- err
	}()
	comesUp(t, seconds)
	require.NoError(t, b.Close())
	<-ended
	require.Empty(t, running(t, seconds))
}
