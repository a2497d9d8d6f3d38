//go:build linux

package tmux_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// onlyPane is the one pane of a server.
func onlyPane(t *testing.T, u tmux.User) tmux.Marked {
	t.Helper()
	panes, err := u.ListMarked(t.Context(), "@owner")
	require.NoError(t, err)
	require.Len(t, panes, 1)
	return panes[0]
}

// end ends the program of the one pane and waits until tmux knows.
func end(t *testing.T, u tmux.User) {
	t.Helper()
	require.NoError(t, syscall.Kill(onlyPane(t, u).PID, syscall.SIGKILL))
	require.Eventually(t, func() bool { return onlyPane(t, u).Dead }, 10*time.Second, 5*time.Millisecond)
}

// environOf waits until the one pane has a program with the variable mark, and
// returns what it was started with.
func environOf(t *testing.T, u tmux.User, mark string) map[string]string {
	t.Helper()
	env := map[string]string{}
	require.Eventually(t, func() bool {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(onlyPane(t, u).PID) + "/environ")
		clear(env)
		for _, entry := range strings.Split(string(b), "\x00") {
			name, value, _ := strings.Cut(entry, "=")
			env[name] = value
		}
		name, value, _ := strings.Cut(mark, "=")
		return err == nil && env[name] == value
	}, 10*time.Second, 5*time.Millisecond)
	return env
}

// The pane, its window and its session are the same, its history is kept, and
// the program is a new one with a new environment.
func TestRespawn(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.Env = append(u.Env, "SERVERS=1")
	dir := filepath.Dir(u.Socket)
	other := filepath.Join(dir, "#H")
	require.NoError(t, os.Mkdir(other, 0o700))
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{
		Name: "one", Dir: dir, Env: []string{"TURN=1", "KEPT=1", "CHANGED=1", "GONE=1"}, Options: []tmux.Option{{"@owner", "me"}, {"@declared", "CHANGED GONE"}},
		Argv: []string{"sh", "-c", "seq 100; exec sleep 1000"},
	}))
	first := onlyPane(t, u)
	require.Equal(t, "me", first.Mark)
	require.Eventually(t, func() bool { return strings.Contains(shown(t, u), "\n100\n") }, 10*time.Second, 5*time.Millisecond)
	env := environOf(t, u, "TURN=1")
	require.Equal(t, "1", env["SERVERS"])

	r := tmux.Respawn{
		Pane: first.ID, Session: first.SessionID, Dir: other, Env: []string{"TURN=2", "CHANGED=2"}, Hide: []string{"GONE", "SERVERS"},
		Options: []tmux.Option{{"@declared", "CHANGED"}}, Argv: []string{"sh", "-c", "pwd; exec sleep 1000"},
	}
	var refused *tmux.RefusedError
	require.ErrorAs(t, u.Respawn(t.Context(), r), &refused, "its program runs")
	require.Equal(t, "respawn-pane", refused.Command)
	require.Contains(t, refused.Message, "still active")
	require.Equal(t, first.PID, onlyPane(t, u).PID)

	end(t, u)
	require.NoError(t, u.Respawn(t.Context(), r))
	env = environOf(t, u, "TURN=2")
	want := map[string]string{"KEPT": "1", "CHANGED": "2", "TMUX_PANE": first.ID, "PWD": other}
	got := map[string]string{"KEPT": env["KEPT"], "CHANGED": env["CHANGED"], "TMUX_PANE": env["TMUX_PANE"], "PWD": env["PWD"]}
	for _, hidden := range []string{"GONE", "SERVERS"} {
		if value, there := env[hidden]; there {
			got[hidden] = value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the new program's environment (-want +got)\n%s", diff)
	}
	second := onlyPane(t, u)
	require.NotEqual(t, first.PID, second.PID)
	require.Equal(t, other, second.Start)
	require.Equal(t, []string{first.ID, first.SessionID, first.Mark}, []string{second.ID, second.SessionID, second.Mark})
	declared, err := u.Run(t.Context(), "show-options", "-pv", "-t", first.ID, "@declared")
	require.NoError(t, err)
	require.Equal(t, "CHANGED\n", declared)
	require.Eventually(t, func() bool { return strings.Contains(shown(t, u), other) }, 10*time.Second, 5*time.Millisecond)
	require.Contains(t, shown(t, u), "1\n2\n3\n", "history")

	// What was hidden is back when it is declared again.
	end(t, u)
	r.Env, r.Hide = []string{"TURN=3", "GONE=3"}, nil
	require.NoError(t, u.Respawn(t.Context(), r))
	env = environOf(t, u, "TURN=3")
	require.Equal(t, []string{"1", "2", "3"}, []string{env["KEPT"], env["CHANGED"], env["GONE"]})
	require.NotContains(t, env, "SERVERS")
}

// shown is the history of the one pane and its screen.
func shown(t *testing.T, u tmux.User) string {
	t.Helper()
	out, err := u.Run(t.Context(), "capture-pane", "-p", "-S", "-", "-t", onlyPane(t, u).ID)
	require.NoError(t, err)
	return "\n" + out
}

// What one command of a batch refuses is told, those behind it are not done,
// and the server's setting is back.
func TestRespawnIsRefused(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	require.ErrorIs(t, u.Respawn(t.Context(), tmux.Respawn{Pane: "%0", Session: "$0", Dir: dir, Argv: sleep()}), tmux.ErrAbsent)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Argv: sleep()}))
	_, err := u.Run(t.Context(), "set-option", "-s", "message-limit", "77")
	require.NoError(t, err)
	end(t, u)
	for _, test := range []struct {
		pane, session, want string
	}{
		{"%0", "$9", "$9"},
		{"%9", "$0", "%9"},
	} {
		var refused *tmux.RefusedError
		err := u.Respawn(t.Context(), tmux.Respawn{Pane: test.pane, Session: test.session, Dir: dir, Env: []string{"A=1"}, Argv: sleep()})
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "respawn-pane", refused.Command)
		require.Contains(t, refused.Message, test.want)
		require.True(t, onlyPane(t, u).Dead)
		requireLimit(t, u, "77")
	}
}

// requireLimit is for the server's message-limit, and that nothing else is
// left among its options.
func requireLimit(t *testing.T, u tmux.User, want string) {
	t.Helper()
	out, err := u.Run(t.Context(), "show-options", "-s")
	require.NoError(t, err)
	require.Contains(t, "\n"+out, "\nmessage-limit "+want+"\n")
	require.NotContains(t, out, "@")
}

// How a program has ended is told where the server knows it: 3.3a does not
// always, and not at once.
func TestEnded(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Argv: sleep()}))
	require.Empty(t, onlyPane(t, u).Ended)
	end(t, u)
	for program, want := range map[string]string{"exit 3": "exit status 3", "kill -TERM $$": "signal (15|TERM)"} {
		var ended string
		require.Eventually(t, func() bool {
			pane := onlyPane(t, u)
			if ended = pane.Ended; pane.Dead && !regexp.MustCompile("^"+want+"$").MatchString(ended) {
				require.NoError(t, u.Respawn(t.Context(), tmux.Respawn{Pane: pane.ID, Session: pane.SessionID, Dir: dir, Argv: []string{"sh", "-c", program}}))
				return false
			}
			return pane.Dead
		}, 10*time.Second, 50*time.Millisecond, "%s: %q", program, ended)
	}
}

// A user's configuration may have panes go when their programs end.
func TestKeep(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: "/", Argv: sleep()}))
	pane := onlyPane(t, u)
	for _, scope := range []string{"-p", "-w"} {
		_, err := u.Run(t.Context(), "set-option", scope, "-t", pane.ID, "remain-on-exit", "off")
		require.NoError(t, err)
	}
	require.NoError(t, u.Keep(t.Context(), pane.ID))
	end(t, u)
	require.Equal(t, pane.PID, onlyPane(t, u).PID)
}
