package scenario_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func output(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	require.NoError(t, err)
	return string(out)
}

// until waits for cond.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("waited in vain for %s", what)
			return
		}
	}
}

// hold waits for the box at root to be up, stands in it with a process that is
// none of the box's, and lets its script go on. What it returns ends that.
func hold(t testing.TB, root string) (release func()) {
	t.Helper()
	standing := make(chan *exec.Cmd, 1)
	go func() {
		project := filepath.Join(root, "project")
		until(t, "the box", func() bool {
			_, err := os.Stat(filepath.Join(root, "home", ".local", "state", "jot", "config.toml"))
			return err == nil
		})
		cmd := exec.Command("sleep", "600")
		cmd.Dir = project
		if err := cmd.Start(); err != nil {
			t.Error(err)
		}
		standing <- cmd
		if err := os.WriteFile(filepath.Join(project, "go"), nil, 0o666); err != nil {
			t.Error(err)
		}
	}()
	return func() {
		cmd := <-standing
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
}
