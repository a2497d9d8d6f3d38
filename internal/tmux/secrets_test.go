//go:build linux

package tmux_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/stretchr/testify/require"
)

// sampler looks at the command line of every process, over and over.
type sampler struct {
	canary []byte
	looks  atomic.Int64
	seen   atomic.Int64
}

func sample(t *testing.T, canary string) *sampler {
	s := &sampler{canary: []byte(canary)}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				s.look()
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
	})
	return s
}

func (s *sampler) look() {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, s.canary) {
			s.seen.Add(1)
		}
	}
	s.looks.Add(1)
}

// attach attaches a client in control mode and returns what it was told until
// it is let go, since a server shows its messages only to one.
func attach(t *testing.T, u tmux.User) (detach func() string) {
	t.Helper()
	cmd := exec.Command("tmux", "-u", "-S", u.Socket, "-C", "attach-session")
	cmd.Env = u.Env
	var out bytes.Buffer
	cmd.Stdout = &out
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	detach = sync.OnceValue(func() string {
		in.Close()
		cmd.Wait()
		return out.String()
	})
	t.Cleanup(func() { detach() })
	require.Eventually(t, func() bool {
		clients, err := u.Run(t.Context(), "list-clients")
		return err == nil && clients != ""
	}, 10*time.Second, 5*time.Millisecond)
	return detach
}

// Where a value must not be: command lines, the server's messages,
// what clients are told, and errors.
func TestValuesAreInNoSink(t *testing.T) {
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	const planted, canary = "planted-9d1c", "canary-5e7b"

	// Each sink shows a value that is handed over in another way.
	shows := sample(t, planted)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Env: []string{"TURN=1"}, Argv: sleep()}))
	detach := attach(t, u)
	for until := time.Now().Add(time.Minute); shows.seen.Load() == 0; {
		require.True(t, time.Now().Before(until), "command lines are not seen")
		_, err := u.Run(t.Context(), "set-environment", "-g", "A", planted)
		require.NoError(t, err)
	}
	require.Contains(t, messages(t, u), planted)
	_, err := u.Run(t.Context(), "set-option", "-s", "message-limit", "77")
	require.NoError(t, err)
	_, err = u.Run(t.Context(), "rename-session", "-t", "=one", planted)
	require.NoError(t, err)
	require.Contains(t, detach(), planted, "what a client is told")

	hidden := sample(t, canary)
	detach = attach(t, u)
	pane := onlyPane(t, u)
	value := canary + strings.Repeat("x", 100_000)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "two", Dir: dir, Env: []string{"A=" + value}, Argv: []string{"true"}}))
	var errs []error
	errs = append(errs, u.NewSession(t.Context(), tmux.NewSession{Name: "two", Dir: dir, Env: []string{"A=" + value, "=" + value}, Argv: sleep()}))
	_, err = u.Run(t.Context(), "kill-session", "-t", "=two")
	require.NoError(t, err)
	for turn := range 10 {
		end(t, u)
		r := tmux.Respawn{Pane: pane.ID, Session: pane.SessionID, Dir: dir, Env: []string{"A=" + value, fmt.Sprintf("TURN=%d", turn)}, Argv: sleep()}
		require.NoError(t, u.Respawn(t.Context(), r))
		require.Equal(t, value, environOf(t, u, fmt.Sprintf("TURN=%d", turn))["A"])
		errs = append(errs, u.Respawn(t.Context(), r)) // its program runs
		r.Session = "$9"
		errs = append(errs, u.Respawn(t.Context(), r))
	}
	for _, err := range errs {
		require.Error(t, err)
		require.False(t, strings.Contains(err.Error(), canary), "an error shows a value")
	}
	require.Zero(t, hidden.seen.Load(), "command lines that show a value")
	require.Greater(t, hidden.looks.Load(), int64(20))
	require.False(t, strings.Contains(messages(t, u), canary), "the server's messages show a value")
	requireLimit(t, u, "77")
	require.False(t, strings.Contains(detach(), canary), "a client is told a value")
}

func messages(t *testing.T, u tmux.User) string {
	t.Helper()
	out, err := u.Run(t.Context(), "show-messages")
	require.NoError(t, err)
	return out
}

// A hook that waits has the server do other clients' commands between two of a
// batch: those of another batch must not bring the log back meanwhile.
func TestBatchesAtOnce(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.Limit = time.Minute
	dir := filepath.Dir(u.Socket)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Argv: sleep()}))
	detach := attach(t, u)
	defer detach()
	for _, set := range [][]string{
		{"set-option", "-s", "message-limit", "77"},
		{"set-hook", "-g", "after-set-environment", `run-shell "sleep 0.02"`},
	} {
		_, err := u.Run(t.Context(), set...)
		require.NoError(t, err)
	}
	pane := onlyPane(t, u)
	end(t, u)
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			env := []string{"A=canary", "B=canary", "C=canary", "D=canary", "E=canary", "F=canary"}[n:]
			err := u.Respawn(t.Context(), tmux.Respawn{Pane: pane.ID, Session: pane.SessionID, Dir: dir, Env: env, Argv: sleep()})
			if err != nil && !strings.Contains(err.Error(), "still active") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.False(t, strings.Contains(messages(t, u), "canary"), "the server's messages show a value")
	requireLimit(t, u, "77")
}

// A setting that a batch which was lost half-way left is put right.
func TestLostBatch(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: "/", Argv: sleep()}))
	for _, set := range [][]string{{"@message_limit_was", "77"}, {"message-limit", "0"}} {
		_, err := u.Run(t.Context(), append([]string{"set-option", "-s"}, set...)...)
		require.NoError(t, err)
	}
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "two", Dir: "/", Argv: sleep()}))
	requireLimit(t, u, "77")
}
