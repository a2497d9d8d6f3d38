//go:build linux

package tmux

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What was cut short on its way does nothing at all, wherever it was cut. Only
// from inside can a script be cut.
func TestScriptIsWhole(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "tm")
	require.NoError(t, err)
	u := User{Socket: filepath.Join(dir, "s"), Env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TMUX=")}
	require.NoError(t, u.NewSession(t.Context(), NewSession{Name: "one", Dir: dir, Argv: []string{"sleep", "1000"}}))
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			_, err := u.Run(context.Background(), "kill-server")
			if errors.Is(err, ErrAbsent) {
				break
			}
			require.True(t, time.Now().Before(end), "the server does not end: %v", err)
		}
		require.NoError(t, os.RemoveAll(dir))
	})
	before, err := u.Run(t.Context(), "show-options", "-s")
	require.NoError(t, err)
	script, err := scriptOf([]words{{"set-option", "-s", "@a", "x y"}, {"set-option", "-s", "@b", "z"}})
	require.NoError(t, err)
	whole := len(script) - len("\n")
	for n := 1; n < whole; n++ {
		out, said, err := u.exec(t.Context(), script[:n], []string{"-S", u.Socket, "source-file", "-"})
		require.Error(t, err, "%q: %q %q", script[:n], out, said)
	}
	after, err := u.Run(t.Context(), "show-options", "-s")
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, _, err = u.exec(t.Context(), script[:whole], []string{"-S", u.Socket, "source-file", "-"})
	require.NoError(t, err)
	after, err = u.Run(t.Context(), "show-options", "-s")
	require.NoError(t, err)
	require.Equal(t, "@a \"x y\"\n@b z\n"+before, after)
}
