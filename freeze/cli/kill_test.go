package cli_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/subjects"
	"github.com/freeze-contracts/permafrost/sandbox"
)

var kills = flag.Int("kills", 10, "how often TestKilled ends freeze at a random moment")

// A freeze that is killed at any moment leaves the fixtures of before or those
// of after, and nothing that runs. The moments are spread over the whole cut
// of a second release; the next freeze finds all in order.
func TestKilled(t *testing.T) {
	requireTmux(t)
	repo := smallSubject(t)
	cache := t.TempDir()
	require.NoError(t, freezeCommand(repo, cache, "v1.0.0").Run())
	before := contents(t, repo)
	began := time.Now()
	require.NoError(t, freezeCommand(repo, cache, "v1.1.0").Run())
	length := time.Since(began)
	left, done := 0, 0
	for range *kills {
		require.NoError(t, os.RemoveAll(filepath.Join(repo, "fixtures", "notes", "v1.1.0")))
		restore(t, repo, before)
		killed := freezeCommand(repo, cache, "v1.1.0")
		killAt(t, killed, rand.N(length*11/10))
		if out, err := freezeCommand(repo, cache, "v1.0.0", "--quiet").CombinedOutput(); err != nil {
			t.Fatalf("the next freeze: %v\n%s", err, out)
		}
		require.Empty(t, boxesOf(t, killed.Process.Pid), "after the next freeze")
		if bytes.Contains(contents(t, repo), []byte("v1.1.0")) {
			done++
		} else {
			left++
			require.NoDirExists(t, filepath.Join(repo, "fixtures", "notes", "v1.1.0"))
		}
		if out, err := freezeCommand(repo, cache, "check").CombinedOutput(); err != nil {
			t.Fatalf("check: %v\n%s", err, out)
		}
	}
	t.Logf("%d kills: %d left the release before, %d the one after", *kills, left, done)
}

// Ctrl-C ends a freeze with its boxes proved empty, and leaves nothing of the
// release.
func TestInterrupted(t *testing.T) {
	requireTmux(t)
	repo := smallSubject(t)
	stdout, stderr := interrupted(t, freezeCommand(repo, t.TempDir(), "v1.0.0"))
	out := stdout + stderr
	require.Regexp(t, `(?m)^stopped +v1\.0\.0 notes/open`, out)
	require.Regexp(t, `(?m)^freeze: release v1\.0\.0: nothing of it was written: interrupt signal received$`, out)
	require.NotContains(t, out, "context canceled")
	require.NoDirExists(t, filepath.Join(repo, "fixtures", "notes"))
	require.NoFileExists(t, filepath.Join(repo, "fixtures", "releases.toml"))
}

// interrupted ends a freeze by Ctrl-C once it has a box, and returns what it
// prints. It goes after its boxes.
func interrupted(t *testing.T, cmd *exec.Cmd) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	waitForBox(t, cmd.Process.Pid)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, 1, cmd.ProcessState.ExitCode(), out.String()+errs.String())
	require.Empty(t, boxesOf(t, cmd.Process.Pid), "freeze went before its boxes")
	return out.String(), errs.String()
}

// smallSubject is the shell subject with one scenario, which uses tmux.
func smallSubject(t *testing.T) (repo string) {
	t.Helper()
	repo = subjects.Make(t, "shell")
	only(t, repo, "open")
	return repo
}

// only leaves one of a subject's scenarios.
func only(t *testing.T, repo, scenario string) {
	t.Helper()
	scripts, err := os.ReadDir(filepath.Join(repo, "fixtures", "scenarios", "notes"))
	require.NoError(t, err)
	for _, s := range scripts {
		if s.Name() != scenario+".txtar" {
			require.NoError(t, os.Remove(filepath.Join(repo, "fixtures", "scenarios", "notes", s.Name())))
		}
	}
}

func freezeCommand(repo, cache string, args ...string) *exec.Cmd {
	cmd := exec.Command("freeze", args...)
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "PERMAFROST_CACHE="+cache)
	return cmd
}

// killAt starts cmd, kills it after a while, and waits until every box that it
// had made is gone, but for those in which nothing had been started.
func killAt(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	require.NoError(t, cmd.Start())
	time.Sleep(after) // the moment is what is under test
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	deadline := time.Now().Add(30 * time.Second)
	for {
		left := slices.DeleteFunc(boxesOf(t, cmd.Process.Pid), func(b sandbox.Found) bool { return b.Spent })
		if len(left) == 0 {
			return
		}
		require.True(t, time.Now().Before(deadline), "after the kill there is still %+v", left)
		time.Sleep(20 * time.Millisecond)
	}
}

func waitForBox(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for len(boxesOf(t, pid)) == 0 {
		require.True(t, time.Now().Before(deadline), "freeze made no box")
		time.Sleep(10 * time.Millisecond)
	}
}

// boxesOf lists the boxes that were made by the process pid.
func boxesOf(t *testing.T, pid int) []sandbox.Found {
	t.Helper()
	boxes, err := sandbox.Boxes()
	require.NoError(t, err)
	return slices.DeleteFunc(boxes, func(b sandbox.Found) bool { return b.Founder != pid })
}

// contents is the ledger, from which the rest follows by freeze check.
func contents(t *testing.T, repo string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repo, "fixtures", "releases.toml"))
	require.NoError(t, err)
	return data
}

func restore(t *testing.T, repo string, ledger []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(repo, "fixtures", "releases.toml"), ledger, 0o644))
	require.False(t, strings.Contains(string(ledger), "v1.1.0"))
}
