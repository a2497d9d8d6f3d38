package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/stretchr/testify/require"
)

// The program of a pane is known by its terminal, by the session that it leads
// and by who started it.
func TestOfPane(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "own")
	require.NoError(t, err)
	server := tmux.Server{Socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		server.Run(context.Background(), "kill-server")
		os.RemoveAll(dir)
	})
	start := func(command string) tmux.Marked {
		_, err := server.Run(t.Context(), "new-session", "-d", command)
		require.NoError(t, err)
		panes, err := server.ListPanes(t.Context())
		require.NoError(t, err)
		return tmux.Marked{Pane: panes[len(panes)-1]}
	}
	p, other := start("sleep 1000 & exec sleep 2000"), start("exec sleep 3000")
	require.Eventually(t, func() bool { return ofPane(&p) == nil && ofPane(&other) == nil }, 10*time.Second, 5*time.Millisecond)
	for name, change := range map[string]func(*tmux.Marked){
		"another's terminal":          func(p *tmux.Marked) { p.TTY = other.TTY },
		"a terminal that is not here": func(p *tmux.Marked) { p.TTY = filepath.Join(dir, "tty") },
		"another server":              func(p *tmux.Marked) { p.Server = os.Getpid() },
		"another's number":            func(p *tmux.Marked) { p.PID = other.PID },
		"this process":                func(p *tmux.Marked) { p.PID = os.Getpid() },
		"no process at all":           func(p *tmux.Marked) { p.PID = 1 << 30 },
		"a number that is none":       func(p *tmux.Marked) { p.PID = 0 },
	} {
		was := p
		change(&was)
		require.Error(t, ofPane(&was), name)
	}
}
