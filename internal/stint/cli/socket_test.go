package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// desk is a repository and two tmux servers, which a box has not: it has one.
type desk struct {
	testing.TB
	dir string
	env []string
}

func newDesk(t testing.TB) desk {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "desk")
	require.NoError(t, err)
	dir, err = filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	t.Cleanup(func() { endAll(t, dir) })
	d := desk{t, dir, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMUX_TMPDIR=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "repo"), 0o700))
	t.Chdir(filepath.Join(dir, "repo"))
	d.must("git", "init", "-q")
	d.stint(0, "init", "--harness", "sh")
	d.must("git", "add", ".")
	d.must("git", "commit", "-qm", "one")
	return d
}

// endAll ends what is left below a desk: its servers have ended by now, and an
// agent that ignores their end has not.
func endAll(t testing.TB, dir string) {
	t.Helper()
	left := func() (pids []int) {
		procs, err := filepath.Glob("/proc/[0-9]*")
		require.NoError(t, err)
		for _, proc := range procs {
			environ, _ := os.ReadFile(filepath.Join(proc, "environ"))
			cwd, _ := os.Readlink(filepath.Join(proc, "cwd"))
			pid, err := strconv.Atoi(filepath.Base(proc))
			if err == nil && pid != os.Getpid() && (bytes.Contains(environ, []byte("HOME="+dir+"\x00")) || strings.HasPrefix(cwd, dir+"/")) {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		pids := left()
		if len(pids) == 0 {
			return
		}
		require.True(t, time.Now().Before(deadline), "processes %d of %s do not end", pids, dir)
		for _, pid := range pids {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended by itself
			}
		}
	}
}

func (d desk) must(argv ...string) {
	d.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	require.NoError(d, err, "%s", out)
}

func (d desk) stint(want int, args ...string) (stdout, stderr string) {
	d.Helper()
	var out, errs bytes.Buffer
	require.Equal(d, want, cli.Main(args, d.env, os.Stdin, &out, &errs), "%s\n%s%s", args, &out, &errs)
	return out.String(), errs.String()
}

// sessions are those of the server on a socket; none where nobody listens.
func (d desk) sessions(socket string) string {
	d.Helper()
	cmd := exec.CommandContext(d.Context(), "tmux", "-S", socket, "list-sessions", "-F", "#{session_name}")
	cmd.Env = d.env
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
}

// end ends the server on a socket, with whatever a failed test left in it.
func (d desk) end(socket string) {
	d.Cleanup(func() {
		for deadline := time.Now().Add(10 * time.Second); d.alive(socket); time.Sleep(10 * time.Millisecond) {
			require.True(d, time.Now().Before(deadline), "the server on %s does not end", socket)
		}
	})
}

func (d desk) alive(socket string) bool {
	cmd := exec.CommandContext(context.Background(), "tmux", "-S", socket, "kill-server")
	cmd.Env = d.env
	return cmd.Run() == nil
}

// Sessions are opened on the configured server, and found on the one that they
// were opened on, whatever is configured by then.
func TestSocket(t *testing.T) {
	d := newDesk(t)
	one, two := filepath.Join(d.dir, "servers", "one"), filepath.Join(d.dir, "servers", "two")
	standard := filepath.Join(d.dir, "tmux-"+uid(), "default")
	for _, socket := range []string{one, two, standard} {
		d.end(socket)
	}
	d.configure(one)
	refused := "stint: tmux socket \"" + one + "\": its folder is not there: make it, or change tmux.socket in stint.toml\n"
	_, said := d.stint(1, "session", "open", "--no-attach")
	require.Equal(t, refused, said)
	require.NoError(t, os.WriteFile(filepath.Dir(one), nil, 0o600))
	_, said = d.stint(1, "session", "open", "--no-attach")
	require.Equal(t, "stint: tmux socket \""+one+"\": it would lie in a file: change tmux.socket in stint.toml\n", said)
	require.NoError(t, os.Remove(filepath.Dir(one)))
	require.NoError(t, os.Mkdir(filepath.Dir(one), 0o700))

	d.stint(0, "session", "open", "--standing", "first", "--no-attach")
	d.configure(two)
	d.stint(0, "session", "open", "--standing", "second", "--no-attach")
	got := []string{d.sessions(one), d.sessions(two), d.sessions(standard)}
	if diff := cmp.Diff([]string{"stint-standing-first", "stint-standing-second", ""}, got); diff != "" {
		t.Errorf("sessions of each server (-want +got)\n%s", diff)
	}
	out, _ := d.stint(0, "session", "list")
	live := regexp.MustCompile(`(?m)^(\w+) +open +live .* standing (\w+)$`).FindAllStringSubmatch(out, -1)
	require.Len(t, live, 2, out)
	for _, session := range live {
		d.stint(0, "session", "close", session[1])
	}
	require.Empty(t, d.sessions(one)+d.sessions(two))

	// Linux takes 107 bytes.
	d.configure(filepath.Join(filepath.Dir(one), strings.Repeat("x", 108)))
	_, said = d.stint(1, "session", "open", "--no-attach")
	require.Contains(t, said, "does not answer, so nothing was opened: ")
	require.Contains(t, said, "File name too long")
	out, _ = d.stint(0, "session", "list", "--all")
	require.NotRegexp(t, ` (open|creating) `, out)
}

// A server may know its socket by another path than stint.toml does: a command
// in a session is found out all the same.
func TestSocketOfTwoPaths(t *testing.T) {
	d := newDesk(t)
	socket := filepath.Join(d.dir, "servers", "s")
	require.NoError(t, os.Mkdir(filepath.Dir(socket), 0o700))
	require.NoError(t, os.Symlink("servers", filepath.Join(d.dir, "link")))
	d.end(socket)
	d.must("tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-s", "own", "sleep 1000")
	d.configure(filepath.Join(d.dir, "link", "s"))
	out, _ := d.stint(0, "session", "open", "--no-attach", "--json")
	id := regexp.MustCompile(`"id": "(.*)"`).FindStringSubmatch(out)[1]
	cmd := exec.Command("tmux", "-S", socket, "display-message", "-p", "-t", "=stint-"+id+":", "#{pane_id}")
	cmd.Env = d.env
	pane, err := cmd.Output()
	require.NoError(t, err)
	d.env = append(d.env, "TMUX="+socket+",1,0", "TMUX_PANE="+strings.TrimSpace(string(pane)))
	_, said := d.stint(1, "session", "close", id)
	require.Contains(t, said, "this command runs in it and would end with it")
}

func (d desk) configure(socket string) {
	d.Helper()
	require.NoError(d, os.WriteFile("stint.toml", []byte("config_version = 1\n[session]\nharness = \"sh\"\n[tmux]\nsocket = \""+socket+"\"\n"), 0o600))
}

func uid() string { return strconv.Itoa(os.Getuid()) }
