package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted is a tmux server that counts processes by itself, as one in a
// container does whose socket is shared.
type counted struct {
	rotation
	in  io.Writer
	out *bufio.Reader
}

// newCounted starts the desk's server in a PID namespace of its own.
func newCounted(d rotation) counted {
	d.Helper()
	script := fmt.Sprintf(`tmux -S %s -f /dev/null new-session -d "exec sleep 1000" && echo ready || exit
while read -r last; do echo $last >/proc/sys/kernel/ns_last_pid; echo $?; done`, d.socket)
	argv := []string{"unshare", "--pid", "--fork", "--kill-child"}
	if os.Getuid() != 0 {
		argv = append(argv, "--user", "--map-root-user")
	}
	cmd := exec.Command(argv[0], append(argv[1:], "sh", "-c", script)...)
	cmd.Env = d.env
	in, err := cmd.StdinPipe()
	require.NoError(d, err)
	out, err := cmd.StdoutPipe()
	require.NoError(d, err)
	require.NoError(d, cmd.Start())
	d.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	c := counted{d, in, bufio.NewReader(out)}
	if c.line() != "ready" {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			d.Fatal("no PID namespace can be made")
		}
		d.Skip("no PID namespace can be made")
	}
	return c
}

func (c counted) line() string {
	line, _ := c.out.ReadString('\n')
	return strings.TrimSpace(line)
}

// as opens a session whose program is counted as pid is here.
func (c counted) as(pid int) (id string) {
	c.Helper()
	require.Eventually(c, func() bool {
		fmt.Fprintln(c.in, pid-1)
		if c.line() != "0" {
			c.Skip("the kernel lets nobody choose a number")
		}
		out, _ := c.stint(0, "session", "open", "agent", "--no-attach")
		id = opened.FindStringSubmatch(out)[1]
		return c.pane(id).pid == pid
	}, patience, pause)
	return id
}

// What has the number here that a pane's program has elsewhere is another's: it
// is neither ended nor taken for that program.
func TestCountedElsewhere(t *testing.T) {
	d := newCounted(newRotation(t, "TOKEN=first\n"))
	// It leads a terminal session, as the program of a pane does.
	bystander := exec.Command("sleep", "1000")
	bystander.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, bystander.Start())
	t.Cleanup(func() {
		bystander.Process.Kill()
		bystander.Wait()
	})
	id := d.as(bystander.Process.Pid)
	was := d.pane(id)
	d.rotate("TOKEN=second\n")

	elsewhere := fmt.Sprintf("pane %s: process %d here is not its program: its tmux server runs where processes are counted otherwise, as in a container", strings.Fields(was.place)[2], was.pid)
	for _, args := range [][]string{nil, {"--force"}, {"--dry-run"}} {
		out, _ := d.stint(1, append([]string{"session", "restart", id}, args...)...)
		require.Equal(t, "unverified it was left alone: "+elsewhere+": restart it from there", rows(out)[id], args)
	}
	kill := fmt.Sprintf("tmux -S %s kill-session -t '=stint-%s'", d.socket, id)
	_, said := d.stint(1, "session", "close", id, "--discard")
	require.Equal(t, fmt.Sprintf("stint: session %q: not closed: %s: close it from there, or end it by %s and close it again\n", id, elsewhere, kill), said)
	require.False(t, ended(bystander.Process.Pid), "the bystander was ended")
	require.Equal(t, was, d.pane(id))

	d.must("sh", "-c", kill)
	d.stint(0, "session", "close", id, "--discard")
	require.False(t, ended(bystander.Process.Pid), "the bystander was ended")
}
