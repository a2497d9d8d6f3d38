package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// A maintainer opens a shell in a box, runs the release there, and leaves.
func TestShell(t *testing.T) {
	requireTmux(t)
	repo := smallSubject(t)
	cache := t.TempDir()
	cmd := freezeCommand(repo, cache, "shell", "v1.0.0") // a tag: nothing is frozen yet
	terminal, err := pty.Start(cmd)
	require.NoError(t, err)
	defer terminal.Close()
	// A shell answers to what is typed: the sum shows that it was run and not
	// merely echoed.
	_, err = io.WriteString(terminal, "jot --version; echo sum=$((40+2)) flags=$-; pwd; exit 7\n")
	require.NoError(t, err)
	said := make(chan string)
	go func() {
		out, _ := io.ReadAll(terminal) // ends with EIO when the last process has closed it
		said <- string(out)
	}()
	var out string
	select {
	case out = <-said:
	case <-time.After(time.Minute):
		cmd.Process.Signal(os.Interrupt)
		t.Fatal("the shell did not end")
	}
	require.NoError(t, cmd.Wait(), "how a shell ends is its own matter\n%s", out)
	require.Contains(t, out, "jot 1.0.0")
	require.Contains(t, out, "On PATH: cat chmod cut date git jot ")
	require.Contains(t, out, "sum=42")
	require.Regexp(t, `/tmp/fz\.[a-z]+/project`, out)
	require.Regexp(t, `flags=[a-z]*m`, out, "job control: the shell has a terminal of its own")
	require.Empty(t, boxesOf(t, cmd.Process.Pid))
	root := filepath.Dir(out[strings.Index(out, "/tmp/fz.") : strings.Index(out, "/project")+len("/project")])
	require.NoDirExists(t, root)
}
