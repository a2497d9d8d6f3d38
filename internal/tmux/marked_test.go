package tmux_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

// sleep is a program that shows and does nothing.
func sleep() []string { return []string{"sleep", "1000"} }

// newUser is a server of this test's own, in a short folder.
func newUser(t *testing.T) tmux.User {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "tm")
	require.NoError(t, err)
	u := tmux.User{Socket: filepath.Join(dir, "s"), Env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TMUX=", "TMUX_TMPDIR="+dir)}
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

// Folders have tabs and newlines in their names, and others' sessions may be
// anywhere: a list is read whole all the same.
func TestListMarked(t *testing.T) {
	u := newUser(t)
	_, err := u.ListMarked(t.Context(), "@owner")
	require.ErrorIs(t, err, tmux.ErrAbsent)
	odd := filepath.Join(filepath.Dir(u.Socket), "a\tb\n=x\t%1\n\u00e9")
	require.NoError(t, os.Mkdir(odd, 0o700))
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "odd", Dir: odd, Options: []tmux.Option{{Name: "@owner", Value: "x"}}, Argv: sleep()}))
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "own", Dir: filepath.Dir(u.Socket), Options: []tmux.Option{{Name: "@owner", Value: "me"}}, Argv: sleep()}))
	_, err = u.Run(t.Context(), "split-window", "-d", "-t", "=own:", "-c", "/", "sleep", "1000")
	require.NoError(t, err)
	got, err := u.ListMarked(t.Context(), "@owner")
	require.NoError(t, err)
	require.NotEmpty(t, got)
	want := []tmux.Marked{
		{Pane: tmux.Pane{ID: "%0", Session: "odd", SessionID: "$0"}, Mark: "x"},
		{Pane: tmux.Pane{ID: "%1", Session: "own", SessionID: "$1"}, Mark: "me", Start: filepath.Dir(u.Socket)},
		{Pane: tmux.Pane{ID: "%2", Session: "own", SessionID: "$1"}, Start: "/"},
	}
	rest := cmpopts.IgnoreFields(tmux.Pane{}, "Window", "Index", "PID", "Active", "Shown", "Dead", "TTY", "Server", "Command", "Path")
	got[0].Start = "" // what comes behind the last tab of an odd one means nothing
	if diff := cmp.Diff(want, got, rest); diff != "" {
		t.Errorf("ListMarked (-want +got)\n%s", diff)
	}
}

// A program that ends at once leaves its pane, what it is given arrives to the
// byte, and the server is configured as its user wants it.
func TestNewSession(t *testing.T) {
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tmux.conf"), []byte("set -g @mine yes\n"), 0o600))
	out := filepath.Join(dir, "out")
	odd := `a b;c' "$HOME" #(id) ~ \;`
	require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{
		Name: "one", Dir: dir, Env: []string{"GIVEN=" + odd}, Options: []tmux.Option{{Name: "@owner", Value: "me"}},
		Argv: []string{"sh", "-c", `printf '%s\n' "$GIVEN" "$@" >out`, "sh", odd, ";", "last;"},
	}))
	require.Eventually(t, func() bool {
		panes, err := u.ListMarked(t.Context(), "@owner")
		return err == nil && len(panes) == 1 && panes[0].Dead
	}, 10*time.Second, 10*time.Millisecond)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	if diff := cmp.Diff(odd+"\n"+odd+"\n;\nlast;\n", string(got)); diff != "" {
		t.Errorf("what the program was given (-want +got)\n%s", diff)
	}
	mine, err := u.Run(t.Context(), "show-options", "-gv", "@mine")
	require.NoError(t, err)
	require.Equal(t, "yes\n", mine)
	var refused *tmux.RefusedError
	err = u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Options: []tmux.Option{{Name: "@owner", Value: "x"}}, Argv: []string{"true"}})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "new-session", refused.Command)
}

// A folder is taken as it is called, whatever tmux, its formats or a shell
// would make of the name; and it is the program's even if tmux cannot enter it.
func TestNewSessionInItsFolder(t *testing.T) {
	u := newUser(t)
	for i, name := range []string{"plain", "#H", "##H", "#", "a#", "###{pane_id}", "#(echo x)", "#[fg=red]", "##[", "%Y", "$HOME", "-a", " b;", `q"'\`, "\u00e9", "#,"} {
		dir := filepath.Join(filepath.Dir(u.Socket), name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		session := "s" + strconv.Itoa(i)
		require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{
			Name: session, Dir: dir, Options: []tmux.Option{{Name: "@owner", Value: session}}, Argv: []string{"sh", "-c", "pwd >../" + session + "; exec sleep 1000"},
		}))
		out := filepath.Join(filepath.Dir(u.Socket), session)
		require.Eventually(t, func() bool {
			got, err := os.ReadFile(out)
			return err == nil && string(got) == dir+"\n"
		}, 10*time.Second, 10*time.Millisecond, "%q: the folder of the program", name)
		panes, err := u.ListMarked(t.Context(), "@owner")
		require.NoError(t, err)
		at := slices.IndexFunc(panes, func(p tmux.Marked) bool { return p.Mark == session })
		require.GreaterOrEqual(t, at, 0, "%q", name)
		require.Equal(t, dir, panes[at].Start, "%q: the folder of the pane", name)
	}
}

func TestNoTmux(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := tmux.User{Socket: "/nowhere"}.ListMarked(t.Context(), "@owner")
	require.Equal(t, tmux.ErrMissing, err)
	require.Equal(t, tmux.ErrMissing, tmux.Supported(t.Context()))
}

func TestDefaultSocket(t *testing.T) {
	u := newUser(t)
	dir := filepath.Dir(u.Socket)
	want := filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()), "default")
	for _, test := range []struct {
		name, tmux, want string
		do               func()
	}{
		{"no server was ever there", "", want, func() {}},
		{"inside of another server that is gone", "TMUX=" + u.Socket + ",1,0", u.Socket, func() {}},
		{"inside of another server", "TMUX=" + u.Socket + ",1,0", u.Socket, func() {
			require.NoError(t, u.NewSession(t.Context(), tmux.NewSession{Name: "one", Dir: dir, Options: []tmux.Option{{Name: "@o", Value: "x"}}, Argv: []string{"sleep", "1000"}}))
		}},
	} {
		test.do()
		got, err := tmux.DefaultSocket(t.Context(), append(u.Env, test.tmux))
		require.NoError(t, err, test.name)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: DefaultSocket (-want +got)\n%s", test.name, diff)
		}
	}
}
