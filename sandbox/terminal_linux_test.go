package sandbox_test

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
	"golang.org/x/term"
)

// An interactive shell has a terminal of its own, of the size of the caller's,
// which is raw meanwhile and as it was afterwards.
func TestInteractiveShell(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	keyboard, callers, err := pty.Open()
	require.NoError(t, err)
	defer keyboard.Close()
	defer callers.Close()
	require.NoError(t, pty.Setsize(callers, &pty.Winsize{Rows: 33, Cols: 101}))
	before, err := term.GetState(int(callers.Fd()))
	require.NoError(t, err)

	var screen lockedBuffer
	go io.Copy(&screen, keyboard)
	type result struct {
		code int
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"sh", "-i"}, Terminal: true, Stdin: callers, Stdout: callers})
		ended <- result{code, err}
	}()
	enter := func(line, shows string) {
		_, err := io.WriteString(keyboard, line+"\r")
		require.NoError(t, err)
		eventually(t, shows, func() bool { return strings.Contains(screen.String(), shows) })
	}
	enter("stty size", "33 101\r\n")
	enter("tty", "/dev/pts/")
	seconds := token()
	_, err = io.WriteString(keyboard, "sleep "+seconds+"\r")
	require.NoError(t, err)
	comesUp(t, seconds)
	_, err = io.WriteString(keyboard, "\x03")
	require.NoError(t, err)
	goesAway(t, seconds)
	enter("echo still $((40+2))", "still 42")
	require.NotContains(t, screen.String(), "job control turned off")
	require.NoError(t, pty.Setsize(callers, &pty.Winsize{Rows: 44, Cols: 120}))
	_, err = io.WriteString(keyboard, "exit 9\r")
	require.NoError(t, err)
	require.Equal(t, result{code: 9}, <-ended)
	after, err := term.GetState(int(callers.Fd()))
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// Input that is no terminal ends as at a keyboard.
func TestTerminalFromText(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	var out bytes.Buffer
	code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"sh", "-c", "stty -echo; tty; cat"}, Terminal: true,
		Stdin: strings.NewReader("typed\n"), Stdout: &out})
	require.NoError(t, err)
	require.Equal(t, 0, code)
	require.Regexp(t, `/dev/pts/\d+`, out.String())
	require.Contains(t, out.String(), "typed\r\n")
}

// A file is handed on as it is.
func TestFilesAreHandedOver(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{})
	ours, theirs, err := pty.Open()
	require.NoError(t, err)
	defer ours.Close()
	defer theirs.Close()
	code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"tty"}, Stdin: theirs})
	require.NoError(t, err)
	require.Equal(t, 0, code)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
