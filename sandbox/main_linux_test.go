package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	sandbox.Main(sandbox.Role{Name: "greeter", Run: greet})
	if len(os.Args) > 1 {
		if play := players[os.Args[1]]; play != nil {
			os.Exit(play(os.Args[2:]))
		}
	}
	// These tests wait more than they work. A -parallel of the command line wins.
	flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

// tools are what the scripts of these tests use.
var tools = []string{"sh", "sleep", "cat", "env", "setsid", "rm", "kill", "touch", "id", "tty", "stty", "mkdir", "chmod", "git"}

// start starts a box that has to come down by itself at the end of the test.
func start(t *testing.T, cfg sandbox.Config) *sandbox.Box {
	t.Helper()
	if cfg.Tmux {
		needTmux(t)
	}
	if cfg.Tools == nil {
		cfg.Tools = tools
	}
	b, err := sandbox.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, b.Close())
		require.NoDirExists(t, b.Root())
	})
	return b
}

func needTmux(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal("tmux is not installed")
		}
		t.Skip("tmux is not installed")
	}
}

// sh runs a script in the box and returns what it printed; it must succeed.
func sh(t *testing.T, b *sandbox.Box, script string) string {
	t.Helper()
	var out bytes.Buffer
	code, err := b.Run(t.Context(), sandbox.Cmd{Args: []string{"sh", "-c", script}, Stdout: &out, Stderr: &out})
	require.NoError(t, err)
	require.Equal(t, 0, code, "%s\n%s", script, &out)
	return out.String()
}

// token is a number of seconds for sleep that names a process among all of the
// machine's.
func token() string {
	return fmt.Sprintf("100%d", time.Now().UnixNano()%1e12)
}

// running lists the processes whose arguments hold a word. It looks for itself
// and asks nothing of the package.
func running(t *testing.T, word string) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), word) {
			continue
		}
		var pid int
		fmt.Sscanf(file, "/proc/%d/", &pid)
		if pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited 20 s for: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// comesUp waits until the sleep of that many seconds runs, and is no fork on
// its way to be it.
func comesUp(t *testing.T, seconds string) {
	t.Helper()
	eventually(t, "a sleep "+seconds, func() bool {
		for _, pid := range running(t, seconds) {
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && string(b) == "sleep\x00"+seconds+"\x00" {
				return true
			}
		}
		return false
	})
}

func goesAway(t *testing.T, word string) {
	t.Helper()
	eventually(t, "the end of "+word, func() bool { return len(running(t, word)) == 0 })
}

// killAll ends what a test has shown to be left over.
func killAll(t *testing.T, word string) {
	t.Helper()
	for _, pid := range running(t, word) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	goesAway(t, word)
}

// outside starts a process that is no descendant of any box.
func outside(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

func held(t *testing.T, err error) *sandbox.HeldError {
	t.Helper()
	var held *sandbox.HeldError
	require.True(t, errors.As(err, &held), "want a *HeldError, got %v", err)
	return held
}

// why maps each process to the layers that saw it.
func why(processes []sandbox.Process) map[int][]string {
	seen := map[int][]string{}
	for _, p := range processes {
		seen[p.PID] = p.Why
	}
	return seen
}

func greet(in *sandbox.Inside, args []string) int {
	fmt.Println(strings.Join(args, " "), in.Root, in.Home())
	return 5
}

// players are what this binary does when it is started again as a process
// outside of any box.
var players = map[string]func([]string) int{
	"hold-lease": holdLease,
	"listen":     listenInFolder,
	"caller":     callAndWait,
	"held":       closeAndWait,
	"full-disk":  startOnFullDisk,
}

// holdLease has a lock on a file and ends only by SIGKILL.
func holdLease(args []string) int {
	f, err := os.Open(args[0])
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	ignoreTerm()
	fmt.Println("holding")
	time.Sleep(time.Hour)
	return 0
}

// listenInFolder binds a socket by a path relative to a folder, and then stands
// elsewhere.
func listenInFolder(args []string) int {
	err := os.Chdir(args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	l, err := net.Listen("unix", args[1])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer l.Close()
	if err := os.Chdir("/"); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("listening")
	time.Sleep(time.Hour)
	return 0
}

// closeAndWait makes a box, closes it when there is a file "go" in its HOME, and
// tells by a file "held" that it could not.
func closeAndWait(args []string) int {
	cfg := impatient
	cfg.Root = args[0]
	b, err := sandbox.Start(context.Background(), cfg)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("up")
	for _, err = os.Stat(b.Home() + "/go"); err != nil; _, err = os.Stat(b.Home() + "/go") {
		time.Sleep(5 * time.Millisecond)
	}
	if errors.As(b.Close(), new(*sandbox.HeldError)) {
		os.WriteFile(b.Home()+"/held", nil, 0o600)
	}
	time.Sleep(time.Hour)
	return 0
}

// callAndWait starts a box at a root, with a server, a daemon and a program
// that still runs, and says where.
func callAndWait(args []string) int {
	ctx := context.Background()
	fmt.Println("starting")
	cfg := sandbox.Config{Root: args[2], Tmux: true, Tools: tools, NoNamespace: args[0] != "namespace"}
	if args[0] == "impatient" {
		cfg.Patience = 3 * time.Second
	}
	b, err := sandbox.Start(ctx, cfg)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	script := fmt.Sprintf("tmux new-session -d 'sleep %s'; cd /; env -i setsid sleep %s & exec sleep %s", args[1], args[1], args[1])
	go b.Run(ctx, sandbox.Cmd{Args: []string{"sh", "-c", script}})
	time.Sleep(time.Hour)
	return 0
}
