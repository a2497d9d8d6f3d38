//go:build linux

package tmux_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
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

// requireLimit is for the server's message-limit, and that nothing else is
// left among its options.
func requireLimit(t *testing.T, u tmux.User, want string) {
	t.Helper()
	out, err := u.Run(t.Context(), "show-options", "-s")
	require.NoError(t, err)
	require.Contains(t, "\n"+out, "\nmessage-limit "+want+"\n")
	require.NotContains(t, out, "@")
}
