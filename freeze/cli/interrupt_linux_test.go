package cli_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Ctrl-C ends a command that has nothing to take down, whatever it is at: here
// it waits for somebody to read its answer, which is longer than the pipe.
func TestInterruptedAnswer(t *testing.T) {
	repo, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	for _, args := range [][]string{{"list", "--json"}, {"diff", "v0.1.2", "v0.3.0", "--json"}} {
		t.Run(args[0], func(t *testing.T) {
			read, write, err := os.Pipe()
			require.NoError(t, err)
			defer read.Close()
			const page = 4096
			_, err = unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, page)
			require.NoError(t, err)
			cmd := freezeCommand(repo, t.TempDir(), args...)
			cmd.Stdout = write
			require.NoError(t, cmd.Start())
			defer cmd.Process.Kill()
			require.NoError(t, write.Close())
			require.Eventually(t, func() bool {
				n, err := unix.IoctlGetInt(int(read.Fd()), unix.TIOCINQ)
				return err == nil && n > 0
			}, time.Minute, 5*time.Millisecond, "it answers nothing")
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case <-ended:
				require.Equal(t, syscall.SIGINT, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
			case <-time.After(time.Minute):
				t.Fatal("it still waits")
			}
		})
	}
}
