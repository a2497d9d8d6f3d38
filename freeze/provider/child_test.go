//go:build linux

package provider_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/stretchr/testify/require"
)

// TestMain is also a process of its own that obtains one release: to be
// killed, or to run as another user.
func TestMain(m *testing.M) {
	if len(os.Args) == 6 && os.Args[1] == "obtain" {
		os.Exit(obtainAsChild(os.Args[2], os.Args[3], os.Args[4], os.Args[5]))
	}
	os.Exit(m.Run())
}

func obtainAsChild(repo, commit, cache, build string) int {
	cfg := &config.Config{
		Dir:     repo,
		Subject: config.Subject{Name: "notes"},
		Provider: config.Provider{
			Kind:  config.Git,
			Build: []string{"sh", "-c", build, "build", "{bin}"},
		},
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p, err := provider.New(cfg, os.Environ(), cache, io.Discard)
	if err == nil {
		var b *provider.Build
		if b, err = p.Obtain(ctx, ledger.Release{Version: "v1.0.0", Commit: commit}); err == nil {
			fmt.Printf("cached %t\n", b.Cached)
			return 0
		}
	}
	fmt.Println(err)
	return 1
}

// child returns the command that obtains v1.0.0 in a process of its own.
func (s *subject) child(t *testing.T, binary, cache, build string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary, "obtain", s.repo, s.v1.Commit, cache, build)
	cmd.Env = s.env()
	return cmd
}

// TestKilled kills the process at random moments of its work: what the next
// one finds is nothing or a whole build, and what the killed one has started
// is gone.
func TestKilled(t *testing.T) {
	s := newSubject(t)
	pids := filepath.Join(s.dir, "pids")
	const build = `echo $$ >>"$PIDS"; cp notes "$1/notes"; sh -c 'echo $$ >>"$PIDS"; trap "" TERM; sleep 0.02' ; head -c 3000000 /dev/zero >"$1/data"`
	self, err := os.Executable()
	require.NoError(t, err)
	finished := 0
	for i := range 20 {
		require.NoError(t, os.RemoveAll(filepath.Join(s.cache(), "builds")))
		cmd := s.child(t, self, s.cache(), build)
		cmd.Env = append(cmd.Env, "PIDS="+pids)
		require.NoError(t, cmd.Start())
		time.Sleep(rand.N(150 * time.Millisecond))
		require.NoError(t, cmd.Process.Kill())
		if cmd.Wait() == nil {
			finished++
		}

		out, err := s.withPIDs(t, self, pids, build).CombinedOutput()
		require.NoError(t, err, "round %d: %s", i, out)
		out, err = s.withPIDs(t, self, pids, build).CombinedOutput()
		require.NoError(t, err, "round %d: %s", i, out)
		require.Equal(t, "cached true\n", string(out), "round %d", i)
		s.nothingHalf(t)
	}
	require.Less(t, finished, 20, "none was killed at work")
	for word := range strings.FieldsSeq(read(t, pids)) {
		var pid int
		_, err := fmt.Sscan(word, &pid)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return !runs(pid) }, 10*time.Second, 5*time.Millisecond, "pid %d", pid)
	}
}

func (s *subject) withPIDs(t *testing.T, binary, pids, build string) *exec.Cmd {
	cmd := s.child(t, binary, s.cache(), build)
	cmd.Env = append(cmd.Env, "PIDS="+pids)
	return cmd
}

// TestKilledLeavesNoBuildRunning: a build that would go on for a minute.
func TestKilledLeavesNoBuildRunning(t *testing.T) {
	s := newSubject(t)
	pids := filepath.Join(s.dir, "pids")
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := s.withPIDs(t, self, pids, sleepers+"wait")
	require.NoError(t, cmd.Start())
	require.NotEmpty(t, waitForPIDs(pids, 3))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	gone(t, pids)
}

// TestInterruptedAndKilled: whoever cannot wait for a stubborn build to end and
// kills freeze leaves nothing either.
func TestInterruptedAndKilled(t *testing.T) {
	s := newSubject(t)
	pids, term := filepath.Join(s.dir, "pids"), filepath.Join(s.dir, "term")
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := s.withPIDs(t, self, pids, sleepers+`trap 'echo 1 >"$TERM_SEEN"' TERM; while :; do wait; done`)
	cmd.Env = append(cmd.Env, "TERM_SEEN="+term)
	require.NoError(t, cmd.Start())
	require.NotEmpty(t, waitForPIDs(pids, 3))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NotEmpty(t, waitForPIDs(term, 1))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	gone(t, pids)
}

// nobody is a child that is not root, since root may write anywhere.
func (s *subject) nobody(t *testing.T, cache, build string) *exec.Cmd {
	t.Helper()
	cmd := s.child(t, readableSelf(t, s.dir), cache, build)
	cmd.Dir = "/"
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return cmd
}

// newReadableSubject lies where every user can read it.
func newReadableSubject(t *testing.T) *subject {
	t.Helper()
	dir, err := os.MkdirTemp("", "fz-cache")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return newSubjectAt(t, dir)
}

// TestReadOnlyCache: a build that is there is used, and one that is not cannot
// be made.
func TestReadOnlyCache(t *testing.T) {
	s := newReadableSubject(t)
	build := filepath.Dir(s.obtain(t, s.v1).Dir)
	readOnly(t, s.cache())
	out, err := s.nobody(t, s.cache(), buildNotes).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "cached true\n", string(out))

	out, err = s.nobody(t, s.cache(), "another").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), `release "v1.0.0": build cache "`+s.cache()+`": `)
	require.Contains(t, string(out), "permission denied; make room or make it writable, or name another folder, as with XDG_CACHE_HOME\n")

	// Damaged and read-only: refused rather than used.
	require.NoError(t, os.Chmod(build+"/bin/notes", 0o755))
	overwrite(t, build+"/bin/notes", "#!/bin/sh\nexit 0\n")
	out, err = s.nobody(t, s.cache(), buildNotes).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "permission denied")
}

// TestReadOnlyFolders: go makes the folders of modules read-only, and so may
// what a build leaves. Whoever is not root cannot remove them as they are.
func TestReadOnlyFolders(t *testing.T) {
	s := newReadableSubject(t)
	cache := filepath.Join(s.dir, "theirs")
	require.NoError(t, os.Mkdir(cache, 0o777))
	require.NoError(t, os.Chmod(cache, 0o777))
	const build = `mkdir -p mod "$1/lib"; cp notes "$1/notes"; cp notes "$1/lib/part"; ln -s ../notes "$1/lib/link"; touch mod/file; chmod 0500 mod "$1/lib"`
	for _, want := range []string{"cached false\n", "cached true\n"} {
		out, err := s.nobody(t, cache, build).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, want, string(out))
	}
	left, err := filepath.Glob(filepath.Join(cache, "work", "*"))
	require.NoError(t, err)
	require.Empty(t, left)
	kept, err := filepath.Glob(filepath.Join(cache, "builds", "*", "bin", "lib", "*"))
	require.NoError(t, err)
	require.Len(t, kept, 2)
}

// readOnly takes the right to write from everything below dir, for tests that
// do not run as root and so stay the owner.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	chmod := func(mode string) {
		out, err := exec.Command("chmod", "-R", mode, dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	chmod("a-w")
	t.Cleanup(func() { chmod("u+w") })
}

// readableSelf copies the test binary to where every user can run it.
func readableSelf(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(dir, "provider.test")
	require.NoError(t, os.WriteFile(path, []byte(read(t, self)), 0o755))
	return path
}

// TestFullDisk builds into a file system that is too small, in a mount
// namespace of its own.
func TestFullDisk(t *testing.T) {
	s := newSubject(t)
	self, err := os.Executable()
	require.NoError(t, err)
	small := filepath.Join(s.dir, "small")
	require.NoError(t, os.Mkdir(small, 0o755))
	for _, tt := range []struct{ name, build, want string }{
		// The build fits, its copy does not.
		{"store", `cp notes "$1/notes"; head -c 700000 /dev/zero >"$1/data"`, `release "v1.0.0": build cache "` + small + `": write `},
		{"build", `cp notes "$1/notes"; head -c 3000000 /dev/zero >"$1/data" || exit 1`, "its last lines:\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			child := s.child(t, self, small, tt.build)
			script := `mount -t tmpfs -o size=1m none "$0" || exit 77; "$@"; echo "exit $?"; ls "$0/builds" "$0/work" 2>/dev/null; umount "$0"`
			cmd := exec.Command("sh", append([]string{"-c", script, small}, child.Args...)...)
			cmd.Env = child.Env
			cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			out, err := cmd.CombinedOutput()
			if err != nil && !strings.Contains(string(out), "exit ") {
				t.Skipf("no tmpfs of our own: %v: %s", err, out)
			}
			require.Contains(t, string(out), tt.want)
			require.Contains(t, strings.ToLower(string(out)), "no space left on device")
			require.Contains(t, string(out), "exit 1\n"+small+"/work:\n")
			require.NotContains(t, string(out), "/builds:")
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
