package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// hiddenRoot is one that Boxes does not list: who reaps on this machine while
// these tests run leaves a box without an owner alone.
func hiddenRoot() string { return strings.Replace(sandbox.FreshRoot(8), "fz.", "ft.", 1) }

func found(t *testing.T, root string) (sandbox.Found, bool) {
	t.Helper()
	f, ok, err := sandbox.Inspect(root)
	require.NoError(t, err)
	return f, ok
}

// orphan waits until a box is kept without an owner. The lock of a process goes
// a moment later than the process itself seems to.
func orphan(t *testing.T, root string) (f sandbox.Found) {
	t.Helper()
	eventually(t, "a box without an owner", func() bool {
		var ok bool
		f, ok = found(t, root)
		return ok && !f.Owner
	})
	return f
}

// A box whose owner lives is listed as such and left alone.
func TestReapLeavesOwnersAlone(t *testing.T) {
	t.Parallel()
	b := start(t, sandbox.Config{Tmux: true})
	boxes, err := sandbox.Boxes()
	require.NoError(t, err)
	i := slices.IndexFunc(boxes, func(f sandbox.Found) bool { return f.Root == b.Root() })
	require.GreaterOrEqual(t, i, 0)
	f := boxes[i]
	require.True(t, f.Owner)
	require.ErrorContains(t, sandbox.Reap(t.Context(), f), "its owner lives")
	require.Equal(t, "on\n", sh(t, b, "echo on"))
}

// A box whose supervisor was killed without a namespace: its server is ended,
// but the box is kept, since nobody knows what else was started in it.
func TestReapWithoutNamespace(t *testing.T) {
	t.Parallel()
	needTmux(t)
	b, err := sandbox.Start(t.Context(), sandbox.Config{Root: hiddenRoot(), Tmux: true, Tools: tools, NoNamespace: true})
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(b.Root()) })
	served, daemon := token(), token()
	sh(t, b, `tmux new-session -d 'exec sleep `+served+`'; cd /; env -i setsid sleep `+daemon+` >/dev/null 2>&1 &`)
	comesUp(t, served)
	comesUp(t, daemon)
	kill(t, supervisorOf(t, b.Root()))

	f := orphan(t, b.Root())
	require.NotEmpty(t, f.Left)
	left := held(t, sandbox.Reap(t.Context(), f))
	require.Contains(t, left.Why, "nobody can tell any more what was started in it")
	require.Empty(t, running(t, served))
	require.Len(t, running(t, daemon), 1)
	require.DirExists(t, b.Project())
	killAll(t, daemon)
}

// With one, the box is proved and removed.
func TestReapWithNamespace(t *testing.T) {
	t.Parallel()
	b, err := sandbox.Start(t.Context(), sandbox.Config{Root: hiddenRoot(), Tools: tools})
	require.NoError(t, err)
	needNamespace(t, b)
	kill(t, supervisorOf(t, b.Root()))
	f := orphan(t, b.Root())
	require.NoError(t, sandbox.Reap(t.Context(), f))
	require.NoDirExists(t, b.Root())
}

// Whoever lists boxes is in nobody's way meanwhile: it would be taken for the
// owner, or for a holder and be ended.
func TestListingKeepsNoLock(t *testing.T) {
	t.Parallel()
	b, err := sandbox.Start(t.Context(), sandbox.Config{Root: hiddenRoot(), Tools: tools, NoNamespace: true})
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(b.Root()) })
	kill(t, supervisorOf(t, b.Root()))
	orphan(t, b.Root())
	ctx, cancel := context.WithCancel(t.Context())
	var listers sync.WaitGroup
	defer listers.Wait()
	defer cancel()
	for range 4 {
		listers.Go(func() {
			for ctx.Err() == nil {
				sandbox.Inspect(b.Root()) // what it says is not the point
			}
		})
	}
	for range 500 {
		for _, name := range []string{"/lease", "/owner"} {
			f, err := os.Open(b.Root() + name)
			require.NoError(t, err)
			require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), name)
			require.NoError(t, f.Close())
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// A box that was kept because a foreign process stood in it when its caller
// was killed is reaped once that process is gone, and not before.
func TestReapKeptBox(t *testing.T) {
	t.Parallel()
	needTmux(t)
	root, seconds := hiddenRoot(), token()
	t.Cleanup(func() { os.RemoveAll(root) })
	caller, _ := player(t, nil, "caller", "impatient", seconds, root)
	eventually(t, "the box", func() bool { return len(running(t, "sleep\x00"+seconds)) >= 2 })
	holder := command("sleep", "1000")
	holder.Dir = root + "/home"
	outside(t, holder)
	caller.Process.Kill()
	f := orphan(t, root)
	require.Equal(t, map[int][]string{holder.Process.Pid: {"cwd"}}, why(f.Left))

	ctx, cancel := contextFor(t, impatient.Patience)
	defer cancel()
	left := held(t, sandbox.Reap(ctx, f))
	require.Equal(t, holder.Process.Pid, left.Left[0].PID)
	require.DirExists(t, root)
	holder.Process.Kill()
	holder.Wait()
	require.NoError(t, sandbox.Reap(t.Context(), f))
	require.NoDirExists(t, root)
}

// Something else of that name is no box of ours.
func TestBoxesOfOthers(t *testing.T) {
	t.Parallel()
	full, odd := sandbox.FreshRoot(8), sandbox.FreshRoot(8)+".mine"
	require.NoError(t, os.MkdirAll(full+"/data", 0o700))
	require.NoError(t, os.Mkdir(odd, 0o700))
	t.Cleanup(func() { os.RemoveAll(full); os.RemoveAll(odd) })
	for root, why := range map[string]string{full: `it has no record but holds "data"`, odd: "it has no record"} {
		_, ok := found(t, root)
		require.False(t, ok)
		require.ErrorContains(t, sandbox.Reap(t.Context(), sandbox.Found{Root: root}), why)
		require.DirExists(t, root)
	}
}

// A caller that was killed between the folder and its record leaves a box that
// is spent, and so does a removal that was cut short there.
func TestReapStub(t *testing.T) {
	// Not beside others: what is started for them has the lock until the exec.
	for _, half := range []string{"", "box.json.new"} {
		root := sandbox.FreshRoot(8)
		require.NoError(t, os.Mkdir(root, 0o700))
		t.Cleanup(func() { os.RemoveAll(root) })
		if half != "" {
			require.NoError(t, os.WriteFile(root+"/"+half, []byte(`{"form`), 0o600))
		}
		// Whoever makes a box has its folder locked until there is a record.
		maker, err := os.Open(root)
		require.NoError(t, err)
		require.NoError(t, syscall.Flock(int(maker.Fd()), syscall.LOCK_EX))
		_, ok := found(t, root)
		require.False(t, ok)
		require.ErrorContains(t, sandbox.Reap(t.Context(), sandbox.Found{Root: root}), "it is just being made")
		require.NoError(t, maker.Close())
		_, ok = found(t, root)
		require.False(t, ok, "it may be about to be locked")

		old := time.Now().Add(-2 * time.Second)
		require.NoError(t, os.Chtimes(root, old, old))
		f, ok := found(t, root)
		if !ok {
			require.NoDirExists(t, root, "somebody else may have reaped it")
			continue
		}
		require.True(t, f.Spent)
		require.False(t, f.Owner)
		require.WithinDuration(t, time.Now(), f.Started, time.Minute)
		require.NoError(t, sandbox.Reap(t.Context(), f))
		require.NoDirExists(t, root)
	}
}

func TestDoctor(t *testing.T) {
	needTmux(t)
	names := map[string]bool{}
	for _, f := range sandbox.Doctor() {
		names[f.Name] = f.OK
		require.NotEmpty(t, f.Detail, f.Name)
	}
	require.True(t, names["tmux"])
	require.True(t, names["git"])
	require.True(t, names["box"])
	require.Contains(t, names, "namespaces")
}

// Without tmux and git the doctor says so and how to go on.
func TestDoctorMisses(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, f := range sandbox.Doctor() {
		if f.Name == "tmux" || f.Name == "git" {
			require.False(t, f.OK)
			require.Contains(t, f.Remedy, "install "+f.Name)
		}
	}
}

// handMade is a box of which only the record is there.
func handMade(t *testing.T) (root string, write func(founder int, supervisor string, proved bool)) {
	t.Helper()
	root = hiddenRoot()
	require.NoError(t, os.Mkdir(root, 0o700))
	t.Cleanup(func() { os.RemoveAll(root) })
	return root, func(founder int, supervisor string, proved bool) {
		text := fmt.Sprintf(`{"format":1,"root":%q,"uid":%d,"started":"2020-01-01T00:00:00Z","boot":"x","founder":{"pid":%d,"start":%s},
			"supervisor":%s,"init":null,"emptied":false,"proved":%t}`,
			root, os.Getuid(), founder, startOf(t, os.Getpid()), supervisor, proved)
		require.NoError(t, os.WriteFile(root+"/box.json", []byte(text), 0o600))
	}
}

// gonePID is the pid of a process that has ended.
func gonePID(t *testing.T) int {
	t.Helper()
	gone := command("true")
	require.NoError(t, gone.Run())
	return gone.Process.Pid
}

// A caller that was killed before it had a supervisor leaves a box in which
// nothing can have run.
func TestReapHalfMade(t *testing.T) {
	t.Parallel()
	root, write := handMade(t)
	write(os.Getpid(), "null", false)
	f, ok := found(t, root)
	require.True(t, ok)
	require.True(t, f.Owner, "it is being made at this moment")
	write(gonePID(t), "null", false)
	require.NoError(t, sandbox.Reap(t.Context(), orphan(t, root)))
	require.NoDirExists(t, root)
}

// A supervisor that was killed while it removed the box had the proof. One
// that had not, and whose lease is gone, leaves nothing to prove it by.
func TestReapHalfRemoved(t *testing.T) {
	t.Parallel()
	root, write := handMade(t)
	write(gonePID(t), `{"pid":1,"start":1}`, false)
	require.ErrorContains(t, sandbox.Reap(t.Context(), orphan(t, root)), root+"/lease: no such file")
	require.DirExists(t, root)
	write(gonePID(t), `{"pid":1,"start":1}`, true)
	require.NoError(t, sandbox.Reap(t.Context(), orphan(t, root)))
	require.NoDirExists(t, root)
}
