package sandbox_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// file is what must not change of a file of the user.
type file struct {
	Mode fs.FileMode
	Time time.Time
	Data string
}

func snapshot(t *testing.T, dir string) map[string]file {
	t.Helper()
	files := map[string]file{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		f := file{Mode: info.Mode(), Time: info.ModTime()}
		if f.Mode.IsRegular() {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			f.Data = string(data)
		}
		if f.Mode&fs.ModeSocket != 0 {
			f.Mode, f.Time = fs.ModeSocket, time.Time{} // tmux marks an attached client in the mode
		}
		files[path] = f
		return nil
	}))
	return files
}

// A user with a configuration, a HOME and a server of their own starts a box
// whose program does its worst to them, and finds all as it was.
func TestDecoyUser(t *testing.T) {
	tmux := tmuxPath(t)
	dir, err := os.MkdirTemp("/tmp", "u")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	home, sockets := dir+"/home", dir+"/tmux"
	for _, d := range []string{home, sockets, home + "/.config", home + "/.config/git", home + "/.config/tmux"} {
		require.NoError(t, os.Mkdir(d, 0o700))
	}
	conf := "run-shell 'echo loaded >>" + dir + "/loaded'\n"
	for path, data := range map[string]string{
		home + "/.tmux.conf":             conf,
		home + "/.config/tmux/tmux.conf": conf,
		home + "/.gitconfig":             "[user]\n\tname = Decoy\n[init]\n\tdefaultBranch = decoy\n",
		home + "/.config/git/ignore":     "*\n",
		home + "/.profile":               "echo loaded >>" + dir + "/loaded\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	}
	decoy := command(tmux, "-S", sockets+"/own", "-f", "/dev/null", "new-session", "-d", "-s", "decoy", "sleep 1000")
	decoy.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	require.NoError(t, decoy.Run())
	t.Cleanup(func() { command(tmux, "-S", sockets+"/own", "kill-server").Run() })
	const format = "#{pid} #{session_id} #{session_name} #{session_created} #{session_activity} #{session_attached}"
	state := func() string {
		out, err := command(tmux, "-S", sockets+"/own", "list-sessions", "-F", format).Output()
		require.NoError(t, err)
		return string(out)
	}

	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home+"/.config")
	t.Setenv("TMUX", sockets+"/own,1,0")
	t.Setenv("TMUX_TMPDIR", sockets)
	before, stateBefore := snapshot(t, dir), state()

	b, err := sandbox.Start(t.Context(), sandbox.Config{Tmux: true, Tools: tools})
	require.NoError(t, err)
	sh(t, b, `
		tmux new-session -d -s decoy
		git init -q && echo x >f && git add f && git commit -qm x
		git config --global user.name Changed
		mkdir -p $XDG_CONFIG_HOME && touch $XDG_CONFIG_HOME/x $HOME/x
		tmux kill-session -t decoy
		tmux new-session -d -s decoy
		! tmux -S `+sockets+`/own kill-server
		! tmux -L own kill-server
		`+tmux+` new-session -d
		tmux kill-server`)
	require.Equal(t, "main\n", sh(t, b, `git symbolic-ref --short HEAD`))
	require.FileExists(t, b.Home()+"/.gitconfig", "the box has a HOME that can be written")
	require.NoError(t, b.Close())

	require.Equal(t, stateBefore, state())
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("the user's files (-before +after)\n%s", diff)
	}
}
