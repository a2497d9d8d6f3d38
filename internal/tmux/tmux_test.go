//go:build unix

package tmux_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// serve starts a server with one session of that name, whose pane shows and
// does nothing.
func serve(t *testing.T, session string) (tmux.Server, tmux.Pane) {
	t.Helper()
	s := empty(t)
	_, err := s.Run(t.Context(), "new-session", "-d", "-s", session, "-x", "80", "-y", "24", "exec sleep 1000")
	require.NoError(t, err)
	panes, err := s.ListPanes(t.Context())
	require.NoError(t, err)
	require.Len(t, panes, 1)
	t.Cleanup(func() {
		syscall.Kill(serverPID(t, panes[0]), syscall.SIGCONT)
		s.Run(context.Background(), "kill-server")
	})
	return s, panes[0]
}

// empty is a server that was not started.
func empty(t *testing.T) tmux.Server {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal("tmux is not installed")
		}
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("/tmp", "t")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return tmux.Server{Socket: dir + "/s", Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "SHELL=/bin/sh"}}
}

// serverPID is the parent of a pane's process.
func serverPID(t *testing.T, p tmux.Pane) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(p.PID)).Output()
	if err != nil {
		return 0x7fffffff // gone, and no pid that there can be
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	return pid
}

func TestListPanes(t *testing.T) {
	t.Parallel()
	s, pane := serve(t, "one")
	_, err := s.Run(t.Context(), "split-window", "-d", "-t", "one", "-c", "/usr", "exec sleep 1001")
	require.NoError(t, err)
	_, err = s.Run(t.Context(), "new-session", "-d", "-s", "one-more", "exec sleep 1002")
	require.NoError(t, err)
	var panes []tmux.Pane
	require.Eventually(t, func() bool { // a pane is a fork of tmux before it is the program
		panes, err = s.ListPanes(t.Context())
		return err == nil && len(panes) == 3 && panes[1].Path == "/usr" && !slices.ContainsFunc(panes, func(p tmux.Pane) bool { return p.Command != "sleep" || p.Path == "" })
	}, 10*time.Second, 5*time.Millisecond)
	wd, err := os.Getwd()
	require.NoError(t, err)
	server, err := s.Run(t.Context(), "display-message", "-p", "#{pid}")
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(server))
	require.NoError(t, err)
	tty := func(p tmux.Pane) string {
		at, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", p.PID))
		require.NoError(t, err)
		return at
	}
	want := []tmux.Pane{
		{ID: "%0", Session: "one", SessionID: "$0", PID: pane.PID, TTY: tty(panes[0]), Server: pid, Active: true, Shown: true, Command: "sleep", Path: wd},
		{ID: "%1", Session: "one", SessionID: "$0", Index: 1, PID: panes[1].PID, TTY: tty(panes[1]), Server: pid, Shown: true, Command: "sleep", Path: "/usr"},
		{ID: "%2", Session: "one-more", SessionID: "$1", PID: panes[2].PID, TTY: tty(panes[2]), Server: pid, Active: true, Shown: true, Command: "sleep", Path: wd},
	}
	if diff := cmp.Diff(want, panes); diff != "" {
		t.Errorf("ListPanes (-want +got)\n%s", diff)
	}
}

// Absent, unknown, and answered are three things.
func TestAnswers(t *testing.T) {
	t.Parallel()
	ask := func(s tmux.Server) error {
		_, err := s.ListPanes(t.Context())
		return err
	}
	t.Run("never started", func(t *testing.T) {
		s := empty(t)
		require.ErrorIs(t, ask(s), tmux.ErrAbsent)
		require.EqualError(t, ask(s), fmt.Sprintf("tmux list-panes on %q: no tmux server listens there", s.Socket))
	})
	t.Run("a socket that nobody listens on", func(t *testing.T) {
		s := empty(t)
		l, err := net.Listen("unix", s.Socket)
		require.NoError(t, err)
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		l.Close()
		require.ErrorIs(t, ask(s), tmux.ErrAbsent)
	})
	t.Run("a folder that is not there", func(t *testing.T) {
		s := empty(t)
		s.Socket += "/deeper/s"
		require.Error(t, ask(s))
	})
	t.Run("somebody who is no tmux", func(t *testing.T) {
		s := empty(t)
		l, err := net.Listen("unix", s.Socket)
		require.NoError(t, err)
		defer l.Close()
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Close()
			}
		}()
		unknown(t, ask(s))
	})
	t.Run("a stopped server", func(t *testing.T) {
		s, pane := serve(t, "one")
		pid := serverPID(t, pane)
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
		s.Limit = 200 * time.Millisecond
		started := time.Now()
		err := ask(s)
		unknown(t, err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(started), 30*time.Second, "it must not wait for the streams that the server holds")
		require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	})
	t.Run("no tmux", func(t *testing.T) {
		s := empty(t)
		s.Program = "/nowhere/tmux"
		unknown(t, ask(s))
	})
	t.Run("a refusal", func(t *testing.T) {
		s, _ := serve(t, "one")
		_, err := s.Run(t.Context(), "kill-session", "-t", "secret")
		var refused *tmux.RefusedError
		require.True(t, errors.As(err, &refused), "%v", err)
		require.Equal(t, &tmux.RefusedError{Command: "kill-session", Message: "can't find session: secret"}, refused)
	})
}

// An answer is one, though the client's streams stay open for a while: a server
// that has much to do closes them late.
func TestStreamsThatStayOpen(t *testing.T) {
	s, _ := serve(t, "one")
	real, err := exec.LookPath("tmux")
	require.NoError(t, err)
	late := t.TempDir()
	require.NoError(t, os.WriteFile(late+"/tmux", []byte("#!/bin/sh\nsleep 1 &\nexec "+real+" \"$@\"\n"), 0o700))
	t.Setenv("PATH", late+":"+os.Getenv("PATH"))
	for name, run := range map[string]func(context.Context, ...string) (string, error){
		"Server": s.Run, "User": tmux.User{Socket: s.Socket, Env: s.Env}.Run,
	} {
		out, err := run(t.Context(), "list-sessions", "-F", "#{session_name}")
		require.NoError(t, err, name)
		require.Equal(t, "one\n", out, name)
		_, err = run(t.Context(), "kill-session", "-t", "secret")
		require.ErrorAs(t, err, new(*tmux.RefusedError), name)
	}
}

// unknown is an error from which nothing may be concluded.
func unknown(t *testing.T, err error) {
	t.Helper()
	var refused *tmux.RefusedError
	require.Error(t, err)
	require.NotErrorIs(t, err, tmux.ErrAbsent)
	require.False(t, errors.As(err, &refused), "%v", err)
}

// Keys are pressed by name, text is typed as it is, a trailing semicolon too.
func TestKeysAndCapture(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, "idle")
	_, err := s.Run(t.Context(), "new-session", "-d", "-s", "cat", "-x", "40", "-y", "10", "stty -echo; exec cat")
	require.NoError(t, err)
	var pane string
	require.Eventually(t, func() bool { // what is typed before cat runs is shown twice
		panes, err := s.ListPanes(t.Context())
		i := slices.IndexFunc(panes, func(p tmux.Pane) bool { return p.Session == "cat" && p.Command == "cat" })
		if i >= 0 {
			pane = panes[i].ID
		}
		return err == nil && i >= 0
	}, 10*time.Second, 5*time.Millisecond)
	long := strings.Repeat("0123456789", 6)
	for _, text := range []string{"Enter é -x;", "#{pid}", long} {
		require.NoError(t, s.SendText(t.Context(), pane, text))
		require.NoError(t, s.SendKeys(t.Context(), pane, "Enter"))
	}
	require.NoError(t, s.SendKeys(t.Context(), pane, "a", "Space", "b;", "Enter"))
	want := "Enter é -x;\n#{pid}\n" + long[:40] + "\n" + long[40:] + "\na b;\n"
	var screen string
	require.Eventually(t, func() bool {
		screen, err = s.Capture(t.Context(), pane)
		return err == nil && strings.Contains(screen, "a b;")
	}, 10*time.Second, 5*time.Millisecond)
	if diff := cmp.Diff(want, strings.TrimRight(screen, "\n")+"\n"); diff != "" {
		t.Errorf("Capture (-want +got)\n%s", diff)
	}
}

func TestReadVersion(t *testing.T) {
	empty(t)
	said, err := exec.Command("tmux", "-V").Output()
	require.NoError(t, err)
	v, err := tmux.ReadVersion(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, string(said), "tmux "+v.Name+"\n")
	_, err = tmux.ReadVersion(t.Context(), "/bin/true")
	require.ErrorContains(t, err, "holds no version")

	require.NoError(t, tmux.Supported(t.Context()))
	old := t.TempDir()
	require.NoError(t, os.WriteFile(old+"/tmux", []byte("#!/bin/sh\necho tmux 3.1c\n"), 0o700))
	t.Setenv("PATH", old)
	err = tmux.Supported(t.Context())
	require.ErrorIs(t, err, tmux.ErrTooOld)
	require.EqualError(t, err, "tmux is 3.1c: 3.2 or newer is needed: update it")

	for _, c := range []struct {
		v           tmux.Version
		major, less int
		want        bool
	}{
		{tmux.Version{Major: 3, Minor: 2}, 3, 2, true},
		{tmux.Version{Major: 3, Minor: 1}, 3, 2, false},
		{tmux.Version{Major: 4, Minor: 0}, 3, 2, true},
		{tmux.Version{Major: 2, Minor: 9}, 3, 2, false},
	} {
		require.Equal(t, c.want, c.v.AtLeast(c.major, c.less), "%v", c)
	}
}
