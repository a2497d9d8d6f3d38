package env_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const paneMark = "STINT_SESSION_ID=x1"

// newUser is a tmux server of this test's own.
func newUser(t *testing.T) tmux.User {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "te")
	require.NoError(t, err)
	u := tmux.User{Socket: filepath.Join(dir, "s"), Env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TMUX=")}
	t.Cleanup(func() {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			_, err := u.Run(context.Background(), "kill-server")
			if errors.Is(err, tmux.ErrAbsent) {
				break
			}
			require.True(t, time.Now().Before(end), "the server does not end: %v", err)
		}
		require.NoError(t, os.RemoveAll(dir))
	})
	return u
}

// driftIn starts a session on variables and compares its program with f, when
// it is itself.
func driftIn(t *testing.T, u tmux.User, f *env.File, variables []string) (drift env.Drift) {
	t.Helper()
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{
		Name: "one", Dir: filepath.Dir(u.Socket), Env: append(variables, paneMark), Options: []tmux.Option{{Name: "@owner", Value: "me"}}, Argv: []string{"sleep", "1000"},
	}))
	require.Eventually(t, func() bool {
		panes, err := u.ListMarked(t.Context(), "@owner")
		require.NoError(t, err)
		require.False(t, panes[0].Dead)
		p, err := env.Hold(panes[0].PID)
		require.NoError(t, err)
		drift = f.Drift(p, paneMark)
		return panes[0].Command == "sleep" && drift.State != env.Unverified
	}, 10*time.Second, 5*time.Millisecond)
	return drift
}

// A program in the running tmux has every value that a file of the largest
// size declares.
func TestPaneOfAFullFile(t *testing.T) {
	var content strings.Builder
	content.WriteString("PATH=/nowhere\nTERM=nothing\nSTINT_SESSION_ID=mine\nEMPTY=\n")
	for i := range 8 {
		fmt.Fprintf(&content, "V%d=%s\n", i, inQuotes(strings.Repeat("a;'\"$~#b\n\xff", (env.MaxFile/8-100)/12)))
	}
	path := filepath.Join(t.TempDir(), "env")
	require.NoError(t, os.WriteFile(path, []byte(content.String()), 0o600))
	f, err := env.Read(path)
	require.NoError(t, err)
	require.Greater(t, content.Len(), env.MaxFile*9/10)
	if diff := cmp.Diff(env.Drift{State: env.Fresh}, driftIn(t, newUser(t), f, f.Environ())); diff != "" {
		t.Errorf("Drift (-want +got)\n%s", diff)
	}
	require.Equal(t, []string{"EMPTY", "V0", "V1", "V2", "V3", "V4", "V5", "V6", "V7"}, f.Names())
}

// What is called tmux's own does differ in a pane from what was asked for, and
// nothing else that a terminal or a shell knows does.
func TestReserved(t *testing.T) {
	own := []string{"PATH", "SHELL", "PWD", "OLDPWD", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"}
	others := []string{"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "EDITOR", "TMUX_TMPDIR", "TMPDIR", "UID", "ENV", "DISPLAY", "SSH_AUTH_SOCK", "STINT", "LINES", "COLUMNS"}
	var all []string
	for _, name := range append(own, others...) {
		all = append(all, name+"=/asked for")
	}
	u := newUser(t)
	f := env.Parse([]byte(strings.Join(all, "\n") + "\nCOLORTERM=1\nIFS=1\n_=1\nPS1=1\nSTINT_X=1\n"))
	if diff := cmp.Diff(env.Drift{State: env.Fresh}, driftIn(t, u, f, all)); diff != "" {
		t.Errorf("Drift (-want +got)\n%s", diff)
	}
	panes, err := u.ListMarked(t.Context(), "@owner")
	require.NoError(t, err)
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", panes[0].PID))
	require.NoError(t, err)
	for _, name := range own {
		require.True(t, env.Reserved(name), name)
		require.NotContains(t, "\x00"+string(b), "\x00"+name+"=/asked for\x00")
	}
	for _, name := range []string{"COLORTERM", "IFS", "_", "PS1", "STINT_X", "STINT_SESSION_ID"} {
		require.True(t, env.Reserved(name), name)
	}
	for _, name := range others {
		require.False(t, env.Reserved(name), name)
	}
}

// The longest variable that a file may declare starts a program, and one byte
// more kills the pane.
func TestMaxVariable(t *testing.T) {
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	for _, test := range []struct {
		size int
		dead bool
	}{{env.MaxVariable, false}, {env.MaxVariable + 1, true}} {
		name := fmt.Sprintf("s%d", test.size)
		entry := "A=" + strings.Repeat("x", test.size-2)
		require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: name, Dir: dir, Env: []string{entry}, Options: []tmux.Option{{Name: "@owner", Value: name}}, Argv: []string{"sh", "-c", "exec sleep 1000"}}))
		require.Eventually(t, func() bool {
			panes, err := u.ListMarked(t.Context(), "@owner")
			require.NoError(t, err)
			p := panes[len(panes)-1]
			return p.Mark == name && p.Dead == test.dead && (p.Dead || p.Command == "sleep")
		}, 10*time.Second, 5*time.Millisecond, name)
		require.Equal(t, !test.dead, len(env.Parse([]byte(entry)).Variables) == 1)
	}
}
