package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// Each of these leaves behind what one layer alone can see. With that layer
// switched off the box counts as empty while it is not: that is what the layer
// is for.

func TestLayerLease(t *testing.T) {
	t.Parallel()
	hold := func(t *testing.T, cfg sandbox.Config) (*sandbox.Box, int) {
		b := start(t, cfg)
		holder, said := player(t, nil, "hold-lease", b.Root()+"/lease")
		require.Equal(t, "holding", said)
		return b, holder.Process.Pid
	}
	t.Run("on", func(t *testing.T) {
		b, pid := hold(t, sandbox.Config{})
		require.NoError(t, b.Stop(t.Context()))
		if diff := cmp.Diff(map[int][]string{pid: {"lease"}}, why(b.Ended())); diff != "" {
			t.Errorf("ended (-want +got)\n%s", diff)
		}
	})
	t.Run("off", func(t *testing.T) {
		b, pid := hold(t, sandbox.Without(sandbox.Config{}, "A"))
		require.NoError(t, b.Stop(t.Context()))
		require.Empty(t, b.Ended())
		require.True(t, lives(pid))
	})
}

func TestLayerDescendants(t *testing.T) {
	t.Parallel()
	leave := func(t *testing.T, cfg sandbox.Config) (*sandbox.Box, string) {
		cfg.NoNamespace = true
		b := start(t, cfg)
		seconds := token()
		sh(t, b, `cd /; env -i setsid sleep `+seconds+` >/dev/null 2>&1 &`)
		t.Cleanup(func() { killAll(t, seconds) })
		comesUp(t, seconds)
		return b, seconds
	}
	t.Run("on", func(t *testing.T) {
		b, seconds := leave(t, sandbox.Config{})
		pid := running(t, seconds)[0]
		require.NoError(t, b.Stop(t.Context()))
		if diff := cmp.Diff(map[int][]string{pid: {"descendant"}}, why(b.Ended())); diff != "" {
			t.Errorf("ended (-want +got)\n%s", diff)
		}
		require.Empty(t, running(t, seconds))
	})
	t.Run("off", func(t *testing.T) {
		b, seconds := leave(t, sandbox.Without(sandbox.Config{}, "B"))
		require.NoError(t, b.Stop(t.Context()))
		require.Len(t, running(t, seconds), 1)
	})
}

// listener is another process that listens, since what this one starts for other
// tests has its files until the exec.
func listener(t *testing.T, socket string) *exec.Cmd {
	t.Helper()
	cmd, said := player(t, nil, "listen", "/", socket)
	require.Equal(t, "listening", said)
	return cmd
}

func TestLayerListens(t *testing.T) {
	t.Parallel()
	listen := func(t *testing.T, cfg sandbox.Config) (*sandbox.Box, *exec.Cmd) {
		b := start(t, cfg)
		return b, listener(t, b.Tmp()+"/socket")
	}
	t.Run("on", func(t *testing.T) {
		b, holder := listen(t, impatient)
		err := held(t, b.Stop(t.Context()))
		if diff := cmp.Diff(map[int][]string{holder.Process.Pid: {"listens"}}, why(err.Left)); diff != "" {
			t.Errorf("left (-want +got)\n%s", diff)
		}
		holder.Process.Kill()
		holder.Wait()
		require.NoError(t, b.Stop(t.Context()))
	})
	t.Run("off", func(t *testing.T) {
		b, _ := listen(t, sandbox.Without(impatient, "C"))
		require.NoError(t, b.Stop(t.Context()))
	})
}

// The kernel shows a path as it was given to bind, which may be a relative one.
// A socket of the same name that lies elsewhere is nothing of the box.
func TestLayerListensByRelativePath(t *testing.T) {
	t.Parallel()
	b := start(t, impatient)
	elsewhere, said := player(t, nil, "listen", t.TempDir(), "socket")
	require.Equal(t, "listening", said)
	require.NoError(t, syscall.Mknod(b.Tmp()+"/socket", syscall.S_IFSOCK|0o700, 0))
	holder, said := player(t, nil, "listen", b.Home(), "socket")
	require.Equal(t, "listening", said)

	held := held(t, b.Stop(t.Context()))
	if diff := cmp.Diff(map[int][]string{holder.Process.Pid: {"listens"}}, why(held.Left)); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
	require.Equal(t, fmt.Sprintf("somebody listens on %q", b.Home()+"/socket"), held.Why)
	holder.Process.Kill()
	holder.Wait()
	require.NoError(t, b.Stop(t.Context()))
	require.True(t, lives(elsewhere.Process.Pid))
}

func TestLayerMarker(t *testing.T) {
	t.Parallel()
	for name, stand := range map[string]func(*exec.Cmd, *sandbox.Box){
		"marker": func(cmd *exec.Cmd, b *sandbox.Box) { cmd.Env = []string{"PERMAFROST_BOX=" + b.Root()} },
		"cwd":    func(cmd *exec.Cmd, b *sandbox.Box) { cmd.Dir = b.Project() },
	} {
		t.Run(name+" on", func(t *testing.T) {
			b := start(t, impatient)
			cmd := command("sleep", "1000")
			stand(cmd, b)
			outside(t, cmd)
			err := held(t, b.Stop(t.Context()))
			if diff := cmp.Diff(map[int][]string{cmd.Process.Pid: {name}}, why(err.Left)); diff != "" {
				t.Errorf("left (-want +got)\n%s", diff)
			}
			require.True(t, lives(cmd.Process.Pid), "it is none of the box's own")
			cmd.Process.Kill()
			cmd.Wait()
		})
		t.Run(name+" off", func(t *testing.T) {
			b := start(t, sandbox.Without(impatient, "D"))
			cmd := command("sleep", "1000")
			stand(cmd, b)
			outside(t, cmd)
			require.NoError(t, b.Stop(t.Context()))
			require.True(t, lives(cmd.Process.Pid))
		})
	}
}

// With a namespace the kernel ends all that a killed supervisor leaves, and
// the box can still be proved empty. Without one, nobody can tell.
func TestLayerNamespace(t *testing.T) {
	t.Parallel()
	leave := func(t *testing.T, cfg sandbox.Config) (*sandbox.Box, string) {
		b, err := sandbox.Start(t.Context(), cfg)
		require.NoError(t, err)
		seconds := token()
		sh(t, b, `cd /; env -i setsid sleep `+seconds+` >/dev/null 2>&1 &`)
		comesUp(t, seconds)
		kill(t, supervisorOf(t, b.Root()))
		return b, seconds
	}
	t.Run("on", func(t *testing.T) {
		needNamespace(t, start(t, sandbox.Config{}))
		b, seconds := leave(t, sandbox.Config{Root: hiddenRoot(), Tools: tools})
		goesAway(t, seconds)
		require.NoError(t, b.Close())
		require.NoDirExists(t, b.Root())
	})
	t.Run("off", func(t *testing.T) {
		b, seconds := leave(t, sandbox.Config{Root: hiddenRoot(), Tools: tools, NoNamespace: true})
		t.Cleanup(func() { os.RemoveAll(b.Root()) })
		err := held(t, b.Close())
		require.Contains(t, err.Why, "nobody can tell any more what was started in it")
		require.Len(t, running(t, seconds), 1)
		require.DirExists(t, b.Root())
		killAll(t, seconds)
	})
}

// Somebody else listens at the place of the box's own server and never answers
// the one who asks it to end, who is not left waiting.
func TestNobodyAnswersKillServer(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true, Patience: 1500 * time.Millisecond})
	l := listener(t, b.Socket())
	held := held(t, b.Stop(t.Context()))
	if diff := cmp.Diff(map[int][]string{l.Process.Pid: {"listens"}}, why(held.Left)); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
	require.Equal(t, fmt.Sprintf("somebody listens on %q", b.Socket()), held.Why)
	require.Equal(t, []int{l.Process.Pid}, running(t, b.Socket()+"\x00"))
	l.Process.Kill()
	l.Wait()
	require.NoError(t, b.Stop(t.Context()))
	require.Empty(t, b.Ended())
}
