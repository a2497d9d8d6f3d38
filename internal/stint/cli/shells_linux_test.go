package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each shell is set up as the manual says, and completes what is typed, with
// nothing of the package bash-completion.
func TestShellsComplete(t *testing.T) {
	page, err := os.ReadFile("../../../docs/stint.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)\nmkdir -p ~/.local/share/bash-completion.*?\n```").Find(page)
	require.NotNil(t, block, "docs/stint.md does not say how a shell is set up")
	stories := build(t)
	for _, shell := range []struct {
		name string
		argv []string
		rc   string // what the user's own file of the shell has
	}{
		{"bash", []string{"bash", "--noprofile", "--rcfile", ".bashrc", "-i"}, "source <(stint completion bash)\n"},
		{"zsh", []string{"zsh", "-i"}, "fpath=(~/.zfunc $fpath)\nautoload -U compinit && compinit\n"},
		{"fish", []string{"fish", "-i"}, ""},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := exec.LookPath(shell.name); err != nil {
				if os.Getenv("PERMAFROST_CHECK") == "1" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			d := newDesk(t)
			d.end(filepath.Join(d.dir, "tmux-"+uid(), "default"))
			socket := filepath.Join(d.dir, "s")
			d.end(socket)
			d.env = append(d.env, "PATH="+stories+":"+os.Getenv("PATH"), "SHELL=/bin/sh", "LC_ALL=C.UTF-8", "TERM=xterm", "ZDOTDIR="+d.dir)
			d.must("bash", "-c", strings.TrimSuffix(string(block), "```"))
			require.NoError(t, os.WriteFile(filepath.Join(d.dir, "."+shell.name+"rc"), []byte("PS1='$ '\n"+shell.rc), 0o600))
			out, _ := d.stint(0, "session", "open", "--no-attach", "--work-item", "github:octo/repo#15")
			id := opened.FindStringSubmatch(out)[1]
			d.must(append([]string{"tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "-c", d.dir}, shell.argv...)...)
			d.press(socket, "cd repo", "Enter")
			for _, tt := range []struct{ typed, want string }{
				{"stint session sh", "stint session show$"},
				{"stint session close " + id[:6], "stint session close " + id},
				{"stint session restart --work-item github:octo/re", `stint session restart --work-item github:octo/repo\\?#15`},
				{"stint session close " + id + " --discard=sub", "stint session close " + id + " --discard=submodules"},
				{"stint runs list --state pen", "stint runs list --state pending"},
			} {
				d.press(socket, "-l", "clear")
				d.press(socket, "Enter")
				d.press(socket, "-l", tt.typed)
				d.shows(socket, regexp.MustCompile(`(?m)^.*`+regexp.QuoteMeta(tt.typed)))
				d.press(socket, "Tab")
				screen := d.shows(socket, regexp.MustCompile(`(?m)^.*`+tt.want))
				require.NotContains(t, screen, "not found")
				d.press(socket, "C-u")
			}
		})
	}
}

// press types into the one pane on a socket.
func (d desk) press(socket string, keys ...string) {
	d.Helper()
	d.must(append([]string{"tmux", "-S", socket, "send-keys"}, keys...)...)
}

// shows waits until the screen of the one pane on a socket shows what is
// wanted.
func (d desk) shows(socket string, want *regexp.Regexp) (screen string) {
	d.Helper()
	defer func() {
		if d.Failed() {
			d.Logf("screen:\n%s", screen)
		}
	}()
	require.Eventually(d, func() bool {
		cmd := exec.Command("tmux", "-u", "-S", socket, "capture-pane", "-p")
		cmd.Env = d.env
		b, err := cmd.Output()
		require.NoError(d, err)
		screen = string(b)
		return want.MatchString(screen)
	}, patience, 10*pause, "%s", want)
	return screen
}
