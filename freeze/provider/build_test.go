//go:build linux

package provider_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/stretchr/testify/require"
)

func TestBuildRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build []string
		want  []string
	}{
		{"fails", []string{"sh", "-c", "i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo line $i; done; echo broken >&2; exit 3", "{bin}"},
			[]string{`build sh -c "i=0;`, "exit status 3; its last lines:\n\tline 32\n\tline 33\n", "\n\tline 50\n\tbroken"}},
		{"fails with long lines", []string{"sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x; printf '\\377 end'; exit 1", "{bin}"},
			[]string{"xxx? end"}},
		{"fails in silence", []string{"sh", "-c", "exit 4", "{bin}"}, []string{`exit status 4, it printed nothing`}},
		{"is killed", []string{"sh", "-c", "kill -KILL $$", "{bin}"}, []string{"signal: killed, it printed nothing"}},
		{"is not there", []string{"no-such-compiler", "{bin}"}, []string{`build no-such-compiler {bin}: program "no-such-compiler" is not on PATH`}},
		{"is not in the source", []string{"./build.sh", "{bin}"}, []string{"build ./build.sh {bin}: ", "no such file or directory"}},
		{"leaves nothing", []string{"sh", "-c", "mkdir \"$0/empty\"", "{bin}"}, []string{"the build left no program in {bin}"}},
		{"leaves another", []string{"sh", "-c", "cp notes $0/b; cp notes $0/a", "{bin}"}, []string{`the build left no program "notes" in {bin}, there is a, b`}},
		{"leaves no program", []string{"sh", "-c", "cat notes >$0/notes", "{bin}"}, []string{`the build left "notes" in {bin} without the right to run it`}},
		{"leaves a broken link", []string{"sh", "-c", "cp notes $0/notes; ln -s nowhere $0/link", "{bin}"}, []string{"what the build left in {bin}: stat ", "link: no such file"}},
		{"leaves a fifo", []string{"sh", "-c", "cp notes $0/notes; mkfifo $0/fifo", "{bin}"}, []string{`fifo" is neither a file nor a link to one`}},
		{"removes its folder", []string{"sh", "-c", "rm -r $0", "{bin}"}, []string{"what the build left in {bin}: ", "no such file"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSubject(t)
			s.cfg.Provider.Build = tt.build
			s.refused(t, s.v1, tt.want...)
			_, err := s.provider(t).Obtain(t.Context(), s.v1)
			require.NotContains(t, err.Error(), "line 31\n")
			require.Less(t, len(err.Error()), 6000)
		})
	}
}

func TestToolchainRefused(t *testing.T) {
	s := newSubject(t)
	s.cfg.Provider.Toolchain = []string{"sh", "-c", "echo no licence >&2; exit 5"}
	s.refused(t, s.v1, `toolchain sh -c "echo no licence >&2; exit 5": exit status 5; its last lines:`+"\n\tno licence")
}

// sleepers is a build with children that ignore requests to end.
const sleepers = `echo $$ >"$PIDS"; sh -c 'trap "" TERM HUP INT; echo $$ >>"$PIDS"; while :; do sleep 1; done' & echo $! >>"$PIDS"; `

func TestCancelEndsTheBuild(t *testing.T) {
	s := newSubject(t)
	pids := filepath.Join(s.dir, "pids")
	s.cfg.Provider.Build = []string{"sh", "-c", sleepers + "echo started; wait", "{bin}"}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted by the user")
	go func() {
		waitForPIDs(pids, 3)
		cancel(interrupted)
	}()
	_, err := s.provider(t, "PIDS="+pids).Obtain(ctx, s.v1)
	require.ErrorIs(t, err, interrupted)
	require.EqualError(t, err, `release "v1.0.0": interrupted by the user`)
	s.nothingHalf(t)
	gone(t, pids)
}

func TestNothingOutlivesTheBuild(t *testing.T) {
	for name, more := range map[string]string{
		"children":                            "",
		"children without the group's leader": "; read -r _ _ _ _ group _ </proc/$$/stat; kill -KILL $group",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSubject(t)
			pids := filepath.Join(s.dir, "pids")
			s.cfg.Provider.Build = []string{"sh", "-c", sleepers + `cp notes "$0/notes"; while [ $(wc -l <"$PIDS") -lt 3 ]; do sleep 0.05; done` + more, "{bin}"}
			b, err := s.provider(t, "PIDS="+pids).Obtain(t.Context(), s.v1)
			require.NoError(t, err, "log: %s", s.log.String())
			require.Equal(t, "notes 1.0.0\n", programOf(t, b))
			gone(t, pids)
		})
	}
}

// TestDaemonDoesNotHoldTheBuild: what has left the process group keeps running,
// and though it has the build's output open, the build ends.
func TestDaemonDoesNotHoldTheBuild(t *testing.T) {
	s := newSubject(t)
	pids := filepath.Join(s.dir, "pids")
	s.cfg.Provider.Build = []string{"sh", "-c", `cp notes "$0/notes"; setsid sh -c 'echo $$ >"$PIDS"; exec sleep 60' & while ! [ -s "$PIDS" ]; do sleep 0.05; done`, "{bin}"}
	_, err := s.provider(t, "PIDS="+pids).Obtain(t.Context(), s.v1)
	require.NoError(t, err, "log: %s", s.log.String())
	daemon := waitForPIDs(pids, 1)
	require.Len(t, daemon, 1)
	require.True(t, runs(daemon[0]))
	require.NoError(t, syscall.Kill(daemon[0], syscall.SIGKILL))
}

// waitForPIDs waits until a file names n processes.
func waitForPIDs(path string, n int) []int {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		data, _ := os.ReadFile(path)
		var pids []int
		for word := range strings.FieldsSeq(string(data)) {
			pid, _ := strconv.Atoi(word)
			pids = append(pids, pid)
		}
		if len(pids) >= n {
			return pids
		}
	}
	return nil
}

// gone waits until none of the processes runs.
func gone(t *testing.T, path string) {
	t.Helper()
	pids := waitForPIDs(path, 3)
	require.NotEmpty(t, pids)
	for _, pid := range pids {
		require.Eventually(t, func() bool { return !runs(pid) }, 10*time.Second, 5*time.Millisecond, "pid %d", pid)
	}
}

// runs reports whether a process is more than a zombie.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}

func TestEveryoneAtOnce(t *testing.T) {
	s := newSubject(t)
	s.cfg.Provider.Build = []string{"sh", "-c", "sleep 0.2; " + buildNotes, "build", "{bin}"}
	p := s.provider(t)
	type result struct {
		b   *provider.Build
		err error
	}
	results := make(chan result)
	for range 8 {
		go func() {
			b, err := p.Obtain(t.Context(), s.v1)
			results <- result{b, err}
		}()
	}
	fresh := 0
	for range 8 {
		r := <-results
		require.NoError(t, r.err)
		if !r.b.Cached {
			fresh++
		}
	}
	require.Equal(t, 1, fresh)
	require.Equal(t, 1, s.builds(t))
}
