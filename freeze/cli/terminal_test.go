package cli_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// On a terminal there is a line for each scenario, a bar below, and colour but
// where it is not wanted; in the end the bar is gone.
func TestProgressOnATerminal(t *testing.T) {
	requireTmux(t)
	repo, cache := smallSubject(t), t.TempDir()
	require.NoError(t, freezeCommand(repo, cache, "v1.0.0").Run())
	const (
		erase = "\r\x1b[K"
		green = "\x1b[32m"
	)
	tests := []struct {
		name      string
		args, env []string
		has, not  []string
	}{
		{name: "plain", has: []string{
			erase + "v1.0.0: obtaining its programs\r\n",
			erase + "[....................] 0/1 v1.0.0 notes/open",
			erase + green + "identical\x1b[0m  v1.0.0 notes/open  ",
			erase + "[####################] 1/1 ",
		}},
		{name: "NO_COLOR", env: []string{"NO_COLOR=1"}, has: []string{erase + "identical  v1.0.0 notes/open  ", erase + "[####"}, not: []string{green, "\x1b[0m"}},
		{name: "dumb", env: []string{"TERM=dumb"}, has: []string{"identical  v1.0.0 notes/open  "}, not: []string{"\x1b", "[...."}},
		{name: "quiet", args: []string{"--quiet"}, not: []string{"\x1b", "notes/open"}},
		{name: "narrow", has: []string{erase + "[....................] 0/1 v1\r"}, not: []string{"0/1 v1.0.0 notes/open"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := freezeCommand(repo, cache, append(tt.args, "v1.0.0")...)
			cmd.Env = append(append(cmd.Env, "TERM=xterm", "NO_COLOR="), tt.env...)
			size := &pty.Winsize{Rows: 24, Cols: 80}
			if tt.name == "narrow" {
				size.Cols = 30
			}
			out := onTerminal(t, cmd, size)
			for _, s := range tt.has {
				require.Contains(t, out, s)
			}
			for _, s := range tt.not {
				require.NotContains(t, out, s)
			}
			last := out[strings.LastIndex(out, "\n")+1:]
			require.Empty(t, last, "what is left on the last line")
			require.True(t, strings.HasSuffix(out, "v1.0.0: 1 identical\r\n"), "%q", out)
		})
	}
}

// onTerminal runs a command that must succeed, and returns what it wrote.
func onTerminal(t *testing.T, cmd *exec.Cmd, size *pty.Winsize) string {
	t.Helper()
	terminal, err := pty.StartWithSize(cmd, size)
	require.NoError(t, err)
	defer terminal.Close()
	said := make(chan string, 1)
	go func() {
		out, _ := io.ReadAll(terminal) // ends with EIO when the last process has closed it
		said <- string(out)
	}()
	select {
	case out := <-said:
		require.NoError(t, cmd.Wait(), "%s", out)
		return out
	case <-time.After(2 * time.Minute):
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		t.Fatalf("%q did not end", cmd.Args)
		return ""
	}
}
