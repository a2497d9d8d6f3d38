package mutate_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
)

// The module small, and the regressions that belong to it, each with the
// verdict that it has to have in the first line of what it is.
const small = "testdata/small.txtar"

// module unpacks a module into a folder and returns its regressions.
func module(t *testing.T, file string) (dir string, all []*regression.Regression) {
	t.Helper()
	dir = t.TempDir()
	unpack(t, file, dir)
	all, err := regression.Load(filepath.Join(dir, "mutations"))
	require.NoError(t, err)
	return dir, all
}

// unpack unpacks an archive. Regressions are archives themselves: their
// sections are written with a +.
func unpack(t *testing.T, file, dir string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	for i, f := range archive.Files {
		if strings.HasSuffix(f.Name, regression.Ext) {
			archive.Files[i].Data = regexp.MustCompile(`(?m)^\+(-- .* --)$`).ReplaceAll(f.Data, []byte("$1"))
		}
	}
	require.NoError(t, txtar.Write(archive, dir))
}

func request(dir string, all []*regression.Regression) mutate.Request {
	return mutate.Request{Dir: dir, Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off"), Regressions: all}
}

// Each verdict has its case, and each case its verdict.
func TestVerdicts(t *testing.T) {
	dir, all := module(t, small)
	t.Setenv("COUNT", t.TempDir())
	t.Setenv("PIDS", filepath.Join(t.TempDir(), "pids"))
	before := snapshot(t, dir)
	// A test that sleeps for an hour is past any limit; for others it must not
	// be short.
	sleeps := slices.IndexFunc(all, func(r *regression.Regression) bool { return r.Name == "sleeps" })
	all = append(slices.Delete(all, sleeps, sleeps+1), all[sleeps])
	results, err := mutate.Run(t.Context(), request(dir, all[:len(all)-1]))
	require.NoError(t, err)
	short := request(dir, all[len(all)-1:])
	short.Timeout = time.Second
	last, err := mutate.Run(t.Context(), short)
	require.NoError(t, err)
	results = append(results, last...)
	seen := requireVerdicts(t, results)
	for _, v := range mutate.Verdicts() {
		require.Contains(t, seen, v, "no case has this verdict")
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("the tree was written to (-before +after)\n%s", diff)
	}
}

// requireVerdicts compares each verdict and its reason with what the regression
// says that it has to be, and returns which verdicts there are.
func requireVerdicts(t *testing.T, results []mutate.Result) map[mutate.Verdict]bool {
	t.Helper()
	want, got := make(map[string]string), make(map[string]string)
	seen := make(map[mutate.Verdict]bool)
	for _, r := range results {
		name := r.Regression.Name
		verdict, why, _ := strings.Cut(r.Regression.What, ": ")
		want[name] = verdict + ": " + why
		got[name] = string(r.Verdict) + ": " + r.Why
		if matched, err := regexp.MatchString(why, r.Why); err == nil && matched {
			got[name] = string(r.Verdict) + ": " + why
		}
		seen[r.Verdict] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got)\n%s", diff)
	}
	return seen
}

// snapshot is what lies in a folder.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		all[name] = string(data)
		return err
	}))
	return all
}

// Two runs at once have nothing in common, and leave nothing.
func TestTwoAtOnce(t *testing.T) {
	dir, all := module(t, small)
	t.Setenv("TMPDIR", shortDir(t))
	var caught []*regression.Regression
	for _, r := range all {
		if strings.HasPrefix(r.What, "caught: ") {
			caught = append(caught, r)
		}
	}
	require.NotEmpty(t, caught)
	done := make(chan []mutate.Result, 2)
	for range cap(done) {
		go func() {
			results, err := mutate.Run(t.Context(), request(dir, caught))
			if err != nil {
				t.Error(err)
			}
			done <- results
		}()
	}
	for range cap(done) {
		for _, r := range <-done {
			if r.Verdict != mutate.Caught {
				t.Errorf("%s: %s: %s", r.Regression.Name, r.Verdict, r.Why)
			}
		}
	}
	requireNothingLeft(t)
}

// A run that is ended leaves no folder, and nothing that runs.
func TestInterrupted(t *testing.T) {
	dir, all := module(t, small)
	t.Setenv("TMPDIR", shortDir(t))
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv("PIDS", pids)
	var sleeps []*regression.Regression
	for _, r := range all {
		if r.Name == "sleeps" {
			sleeps = append(sleeps, r)
		}
	}
	require.Len(t, sleeps, 1)
	interrupt(t, pids, func(ctx context.Context) error {
		_, err := mutate.Run(ctx, request(dir, sleeps))
		return err
	})
}

// interrupt ends a run once one of its tests has written the pid of what it has
// started, and requires that nothing is left.
func interrupt(t *testing.T, pids string, run func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	var pid string
	require.Eventually(t, func() bool {
		data, _ := os.ReadFile(pids)
		pid = strings.TrimSpace(string(data))
		return strings.HasSuffix(string(data), "\n")
	}, time.Minute, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	requireNothingLeft(t)
	require.Eventually(t, func() bool {
		return exec.Command("kill", "-0", pid).Run() != nil
	}, time.Minute, 10*time.Millisecond, "what the test has started still runs")
}

// shortDir is a temporary folder that is not below that of the test.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "m")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// requireNothingLeft looks for folders of runs of this process.
func requireNothingLeft(t *testing.T) {
	t.Helper()
	for _, dir := range []string{os.Getenv("TMPDIR"), "/dev/shm"} {
		left, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("fzm%d.*", os.Getpid())))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
