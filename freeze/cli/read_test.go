package cli_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A read that is killed at any moment leaves nothing that runs, though its
// script has started a tmux server; the next one clears what is left of boxes.
func TestKilledReading(t *testing.T) {
	requireTmux(t)
	repo, cache := readSubject(t, ""), t.TempDir()
	require.NoError(t, freezeCommand(repo, cache, "v1.0.0").Run())
	began := time.Now()
	out, err := freezeCommand(repo, cache, "read").CombinedOutput()
	require.NoError(t, err, "%s", out)
	length := time.Since(began)
	for range *kills {
		killed := freezeCommand(repo, cache, "read")
		killAt(t, killed, rand.N(length*11/10))
		out, err := freezeCommand(repo, cache, "read", "--quiet").CombinedOutput()
		require.NoError(t, err, "the next read: %s", out)
		require.Empty(t, boxesOf(t, killed.Process.Pid), "after the next read")
	}
}

// Ctrl-C ends a read with its boxes proved empty.
func TestInterruptedReading(t *testing.T) {
	requireTmux(t)
	repo, cache := readSubject(t, ""), t.TempDir()
	require.NoError(t, freezeCommand(repo, cache, "v1.0.0").Run())
	stdout, stderr := interrupted(t, freezeCommand(repo, cache, "read", "--json"))
	require.Regexp(t, `(?m)^freeze: not all was read: interrupt signal received$`, stderr)
	require.Empty(t, stdout)
}

// A box that somebody stands in is kept, and named; all that was read is told.
func TestHeldReading(t *testing.T) {
	requireTmux(t)
	repo, cache := readSubject(t, "exec sh -c 'until test -e go; do :; done'\n"), t.TempDir()
	require.NoError(t, freezeCommand(repo, cache, "v1.0.0").Run())
	cmd := freezeCommand(repo, cache, "read", "--quiet")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	waitForBox(t, cmd.Process.Pid)
	root := boxesOf(t, cmd.Process.Pid)[0].Root
	project := filepath.Join(root, "project")
	require.Eventually(t, func() bool { _, err := os.Stat(project); return err == nil }, time.Minute, 10*time.Millisecond)
	standing := exec.Command("sleep", "600")
	standing.Dir = project
	require.NoError(t, standing.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(root, "script")); return err == nil }, time.Minute, 10*time.Millisecond)
	require.NoError(t, os.WriteFile(filepath.Join(project, "go"), nil, 0o666))
	require.Error(t, cmd.Wait())
	require.Equal(t, 3, cmd.ProcessState.ExitCode(), out.String())
	require.Contains(t, out.String(), root)
	require.Contains(t, out.String(), "sleep 600")
	require.DirExists(t, project)
	require.NoError(t, standing.Process.Kill())
	_ = standing.Wait()
	// Its supervisor tries once more by itself, and meanwhile the box is in use.
	require.Eventually(t, func() bool {
		out, err := freezeCommand(repo, cache, "reap").CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, err = os.Stat(root)
		return os.IsNotExist(err)
	}, time.Minute, 100*time.Millisecond)
}

// readSubject is smallSubject with a reader script that uses tmux, and does
// more.
func readSubject(t *testing.T, more string) (repo string) {
	t.Helper()
	repo = smallSubject(t)
	toml := filepath.Join(repo, "freeze.toml")
	text, err := os.ReadFile(toml)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(toml, append(text, "\n[read]\nscripts = \"readers\"\n"...), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(repo, "readers"), 0o755))
	script := "# family: notes\nread list /*/text jot list --json\nexec jot open\nscreen jot -wait '^note\\?$'\n" + more
	require.NoError(t, os.WriteFile(filepath.Join(repo, "readers", "open.txtar"), []byte(script), 0o644))
	return repo
}
