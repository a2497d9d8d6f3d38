package env_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// asOther runs do as a user who is not root, wherever the test runs: on a
// thread that ends with it.
func asOther(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Getuid() == 0 {
			runtime.LockOSThread()
			unix.SetfsuidRetUid(65534)
		}
		do()
	}()
	<-done
}

func TestReadUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	require.NoError(t, os.WriteFile(path, []byte("A=1"), 0))
	var err error
	asOther(func() { _, err = env.Read(path) })
	require.ErrorIs(t, err, env.ErrUnreadable)
	require.EqualError(t, err, fmt.Sprintf("env file %q: it cannot be read: permission denied", path))
}

// start runs a program on environ until the test ends.
func start(t *testing.T, environ []string, argv ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environ
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	// In the middle of its exec a process shows none.
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid))
		return err == nil && (len(b) > 0) == (len(environ) > 0)
	}, 10*time.Second, time.Millisecond)
	return cmd
}

func TestDrift(t *testing.T) {
	const mark = "STINT_SESSION_ID=x1"
	odd := "a b;'\"$~#\\\n\xff"
	for _, test := range []struct {
		name, file string
		environ    []string
		gone       []string
		want       env.Drift
	}{
		{"as declared", "A=1\nB=" + inQuotes(odd) + "\nC=\n", []string{"A=1", "B=" + odd, "C=", mark}, nil, env.Drift{State: env.Fresh}},
		{"others beside", "A=1\n", []string{"A=1", "X=2", mark}, nil, env.Drift{State: env.Fresh}},
		{"another value", "B=1\nC=3\nA=1\n", []string{"A=2", "B=2", "C=3", mark}, nil, env.Drift{State: env.Stale, Names: []string{"A", "B"}}},
		{"a value that goes on", "A=1\n", []string{"A=1 ", mark}, nil, env.Drift{State: env.Stale, Names: []string{"A"}}},
		{"missing", "A=1\n", []string{mark}, nil, env.Drift{State: env.Stale, Names: []string{"A"}}},
		{"empty is not missing", "A=\n", []string{mark}, nil, env.Drift{State: env.Stale, Names: []string{"A"}}},
		{"the first of two counts", "A=1\n", []string{mark, "A=1"}, nil, env.Drift{State: env.Fresh}},
		{"tmux's own and stint's", "A=1\nPATH=/x\nTERM=y\nSTINT_SESSION_ID=z\n", []string{"A=1", "PATH=/bin", mark}, nil, env.Drift{State: env.Fresh}},
		{"gone from the file", "A=1\n", []string{"A=1", "OLD=2", mark}, []string{"OLD", "OLDER"}, env.Drift{State: env.Stale, Names: []string{"OLD"}}},
		{"gone, and back", "A=1\n", []string{"A=1", mark}, []string{"A"}, env.Drift{State: env.Fresh}},
		{"a name that begins alike", "A=1\n", []string{"AA=2", "A=1", mark}, nil, env.Drift{State: env.Fresh}},
	} {
		cmd := start(t, test.environ, "/bin/sleep", "1000")
		p, err := env.Hold(cmd.Process.Pid)
		require.NoError(t, err)
		if diff := cmp.Diff(test.want, env.Parse([]byte(test.file)).Drift(p, mark, test.gone...)); diff != "" {
			t.Errorf("%s: Drift (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestDriftUnverified(t *testing.T) {
	const mark = "STINT_SESSION_ID=x1"
	file := env.Parse([]byte("A=canary\n"))
	unverified := func(p env.Process, why string) {
		t.Helper()
		want := env.Drift{State: env.Unverified, Why: fmt.Sprintf("process %d: %s", p.PID, why)}
		if diff := cmp.Diff(want, file.Drift(p, mark)); diff != "" {
			t.Errorf("Drift (-want +got)\n%s", diff)
		}
	}
	hold := func(cmd *exec.Cmd) env.Process {
		t.Helper()
		p, err := env.Hold(cmd.Process.Pid)
		require.NoError(t, err)
		return p
	}
	environ := []string{"A=canary", mark}

	unverified(hold(start(t, []string{"A=canary", mark + "1"}, "/bin/sleep", "1000")), "it is not, or not yet, the program that was started there, or runs on another environment")

	unverified(hold(start(t, []string{}, "/bin/sleep", "1000")), "it shows no environment, or not yet")

	ended := start(t, environ, "/bin/sleep", "1000")
	p := hold(ended)
	require.NoError(t, ended.Process.Kill())
	require.Eventually(t, func() bool {
		_, err := env.Hold(p.PID)
		return errors.Is(err, env.ErrGone)
	}, 10*time.Second, time.Millisecond)
	unverified(p, "it has ended") // nobody has waited for it yet
	ended.Wait()
	unverified(p, "it has ended")
	_, err := env.Hold(p.PID)
	require.ErrorIs(t, err, env.ErrGone)

	others := hold(start(t, environ, "/bin/sleep", "1000"))
	asOther(func() { unverified(others, "its environ cannot be read: permission denied") })
}

// A process that got the number of the one that was held is not judged,
// whatever it has. Numbers come again when they are asked for.
func TestDriftOfAReusedNumber(t *testing.T) {
	const mark, last = "STINT_SESSION_ID=x1", "/proc/sys/kernel/ns_last_pid"
	environ := []string{"A=1", mark}
	file := env.Parse([]byte("A=1\n"))
	first := start(t, environ, "/bin/sleep", "1000")
	p, err := env.Hold(first.Process.Pid)
	require.NoError(t, err)
	require.Equal(t, env.Fresh, file.Drift(p, mark).State)
	time.Sleep(20 * time.Millisecond) // starts are told in hundredths of a second
	require.NoError(t, first.Process.Kill())
	first.Wait()
	for range 200 {
		if err := os.WriteFile(last, []byte(strconv.Itoa(p.PID-1)), 0); err != nil {
			t.Skip("numbers cannot be asked for here: ", err)
		}
		again := start(t, environ, "/bin/sleep", "1000")
		if again.Process.Pid == p.PID {
			want := env.Drift{State: env.Unverified, Why: fmt.Sprintf("process %d: its number is another process's now", p.PID)}
			if diff := cmp.Diff(want, file.Drift(p, mark)); diff != "" {
				t.Errorf("Drift (-want +got)\n%s", diff)
			}
			return
		}
	}
	t.Fatal("the number did not come again")
}

// A program that writes its title over its environment has nothing to compare.
func TestDriftOfAnOverwrittenEnvironment(t *testing.T) {
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip(err)
	}
	const mark = "STINT_SESSION_ID=x1"
	file := env.Parse([]byte("A=1\n"))
	cmd := start(t, []string{"B=" + strings.Repeat("x", 200), mark, "A=1"}, perl, "-e", `$0 = "title " x 20; sleep 1000`)
	p, err := env.Hold(cmd.Process.Pid)
	require.NoError(t, err)
	want := env.Drift{State: env.Unverified, Why: fmt.Sprintf("process %d: it has overwritten its environment", p.PID)}
	require.Eventually(t, func() bool { return cmp.Equal(want, file.Drift(p, mark)) }, 10*time.Second, 10*time.Millisecond)
}
