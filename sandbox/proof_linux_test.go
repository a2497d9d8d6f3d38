package sandbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// cases leave something running behind in a box. SECONDS is replaced by a
// number that names the processes of the case.
var cases = []struct {
	name   string
	script string
	left   bool // a process of that number runs when the script has ended
}{
	{"no server ever", `true`, false},
	{"a server with a session", `tmux new-session -d 'sleep SECONDS'`, true},
	{"panes that ignore HUP and TERM", `tmux new-session -d 'trap "" HUP TERM; sleep SECONDS; sleep SECONDS'`, true},
	{"a daemon in a session of its own", `setsid sleep SECONDS >/dev/null 2>&1 &`, true},
	{"a daemon by double fork", `(sleep SECONDS >/dev/null 2>&1 &) &`, true},
	{"a daemon without environment, elsewhere", `cd /; env -i setsid sleep SECONDS >/dev/null 2>&1 &`, true},
	{"a daemon of a pane", `tmux new-session -d 'setsid sleep SECONDS & sleep SECONDS'`, true},
	{"a stopped server", `tmux new-session -d 'sleep SECONDS'; kill -STOP $(tmux display-message -p '#{pid}')`, true},
	{"a deleted socket", `tmux new-session -d 'sleep SECONDS'; rm $TMUX_TMPDIR/../s`, true},
	{"two servers on one path", `tmux new-session -d 'sleep SECONDS'; rm $TMUX_TMPDIR/../s; tmux new-session -d 'sleep SECONDS'`, true},
	{"an endless relaunch", `setsid sh -c 'while :; do tmux new-session -d "sleep SECONDS"; done' >/dev/null 2>&1 &`, true},
	{"an endless relaunch that ignores TERM", `setsid sh -c 'trap "" TERM HUP; while :; do tmux new-session -d "sleep SECONDS"; sleep 0.01; done' >/dev/null 2>&1 &`, true},
	{"a folder that its owner may not write", `mkdir -p a/b && touch a/b/c && chmod 0500 a/b a`, false},
}

func TestProof(t *testing.T) {
	for _, c := range cases {
		for _, plain := range []bool{false, true} {
			name := c.name + map[bool]string{false: " in a namespace", true: " without one"}[plain]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := start(t, sandbox.Config{Tmux: true, NoNamespace: plain})
				seconds := token()
				sh(t, b, strings.ReplaceAll(c.script, "SECONDS", seconds))
				if c.left {
					comesUp(t, seconds)
				}
				require.NoError(t, b.Stop(t.Context()))
				require.Empty(t, running(t, seconds))
				require.DirExists(t, b.Project(), "Stop removes nothing")
				require.NoError(t, b.Remove())
				require.NoDirExists(t, b.Root())
			})
		}
	}
}

// A tmux called by its absolute path is in the box all the same, ends with it,
// and is told.
func TestTmuxByAbsolutePath(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true})
	seconds := token()
	none, err := b.Tripwires()
	require.NoError(t, err)
	require.Empty(t, none)
	sh(t, b, tmuxPath(t)+` new-session -d 'sleep `+seconds+`'`)
	comesUp(t, seconds)
	sockets, err := b.Tripwires()
	require.NoError(t, err)
	require.Len(t, sockets, 1)
	require.True(t, strings.HasPrefix(sockets[0], b.Root()+"/tt/"), sockets[0])
	require.NoError(t, b.Close())
	require.Empty(t, running(t, seconds))
}

// A client that is stopped keeps the server alive without end, since the
// server waits for it.
func TestStoppedClient(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(map[bool]string{false: "in a namespace", true: "without one"}[plain], func(t *testing.T) {
			t.Parallel()
			b := start(t, sandbox.Config{Tmux: true, NoNamespace: plain})
			seconds := token()
			sh(t, b, `tmux new-session -d 'sleep `+seconds+`'`)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				b.Run(t.Context(), sandbox.Cmd{Args: []string{"tmux", "attach"}, Terminal: true})
			}()
			eventually(t, "the client", func() bool { return sh(t, b, `tmux list-clients`) != "" })
			sh(t, b, `kill -STOP $(tmux list-clients -F '#{client_pid}')`)
			require.NoError(t, b.Close())
			<-ended
			require.Empty(t, running(t, seconds))
		})
	}
}

// What had to be signalled is told, what went by itself is not. It has a quarter
// of a second to go, so this test runs alone.
func TestEnded(t *testing.T) {
	b := start(t, sandbox.Config{Tmux: true})
	gone, stays := token(), token()
	sh(t, b, `tmux new-session -d 'sleep `+gone+`'; setsid sleep `+stays+` >/dev/null 2>&1 &`)
	comesUp(t, gone)
	comesUp(t, stays)
	require.NoError(t, b.Stop(t.Context()))
	ended := b.Ended()
	require.Len(t, ended, 1)
	require.Equal(t, "sleep "+stays, ended[0].Command)
	require.Equal(t, []string{"descendant", "marker", "cwd"}, ended[0].Why)
}

// After Stop nothing can be started, and the tmux of the box is shut.
func TestStoppedBoxIsShut(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true})
	require.ErrorContains(t, b.Remove(), "not proved empty")
	require.NoError(t, b.Stop(t.Context()))
	_, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"sh"}})
	require.EqualError(t, err, `box "`+b.Root()+`": running "sh": the box was stopped`)

	out, err := command(b.Bin()+"/tmux", "new-session", "-d").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "is closing")
	require.NoError(t, b.Close())
	require.NoError(t, b.Close(), "Close may be called again")
}

func TestTwoBoxesAtOnce(t *testing.T) {
	t.Parallel()
	a, b := start(t, sandbox.Config{Tmux: true}), start(t, sandbox.Config{Tmux: true, FirstPID: 3000})
	inA, inB := token(), token()
	sh(t, a, `tmux new-session -d -s one 'sleep `+inA+`'`)
	sh(t, b, `tmux new-session -d -s two 'sleep `+inB+`'`)
	comesUp(t, inA)
	comesUp(t, inB)
	require.NoError(t, a.Close())
	require.Empty(t, running(t, inA))
	require.NotEmpty(t, running(t, inB))
	require.Equal(t, "two\n", sh(t, b, `tmux list-sessions -F '#{session_name}'`))
}

func TestFirstPID(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{FirstPID: 3000})
	needNamespace(t, b)
	var pid int
	_, err := fmt.Sscan(sh(t, b, `echo $$`), &pid)
	require.NoError(t, err)
	require.True(t, 3000 <= pid && pid < 3100, "pid %d", pid)
	require.Equal(t, 3000, b.FirstPID())
}

// A numbering that cannot be had is no reason to have no box, and is told.
func TestFirstPIDHasNoEffect(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]sandbox.Config{
		"more than the kernel has": {FirstPID: 1 << 30},
		"without a namespace":      {FirstPID: 3000, NoNamespace: true},
		"not asked for":            {},
	} {
		require.Zero(t, start(t, cfg).FirstPID(), name)
	}
}
