package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// A release that is no longer in the history cannot be frozen again.
func TestLedgerIsInTheHistory(t *testing.T) {
	fixtures, err := contracts.Find(".")
	require.NoError(t, err)
	l, err := ledger.Load(os.DirFS(fixtures))
	require.NoError(t, err)
	err = inHistory(t.Context(), filepath.Join("..", ".."), l)
	// A source archive has no history to ask, which is nobody's fault at a desk.
	if errors.Is(err, errNoHistory) && os.Getenv("PERMAFROST_CHECK") != "1" {
		t.Skip(err)
	}
	require.NoError(t, err)
}

var errNoHistory = errors.New("is no checkout of git's, so nothing tells whether the ledger's commits are in the history: clone the repository whole")

// inHistory says which commits of the ledger are no ancestors of HEAD in the
// checkout at top. It is errNoHistory if top is none.
func inHistory(ctx context.Context, top string, l *ledger.Ledger) error {
	// What lies in another checkout, as an archive that was unpacked there, has
	// that one's history and not its own.
	if up, err := git(ctx, top, "rev-parse", "--show-cdup"); err != nil || up != "" {
		return errors.Join(fmt.Errorf("%q: %w", top, errNoHistory), err)
	}
	shallow, err := git(ctx, top, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return err
	}
	var problems []error
	for _, r := range l.Releases {
		if r.Commit == "" {
			continue
		}
		_, err := git(ctx, top, "merge-base", "--is-ancestor", r.Commit, "HEAD")
		switch {
		case err == nil:
		case shallow == "true":
			problems = append(problems, fmt.Errorf("release %s: commit %s is not in this shallow clone: get the rest with git fetch --unshallow (fetch-depth: 0 in CI)", r.Version, r.Commit))
		default:
			problems = append(problems, fmt.Errorf("release %s: commit %s is no ancestor of HEAD, so no clone has it for sure: correct the ledger, or merge the branch it is on: %w", r.Version, r.Commit, err))
		}
	}
	return errors.Join(problems...)
}

// git runs in dir, whatever a git that called us has left in the environment.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") }), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

func TestInHistory(t *testing.T) {
	repo := t.TempDir()
	run := func(dir string, args ...string) string {
		t.Helper()
		out, err := git(t.Context(), dir, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		require.NoError(t, err)
		return out
	}
	commit := func(dir, what string) string {
		t.Helper()
		run(dir, "commit", "-q", "--allow-empty", "-m", what)
		return run(dir, "rev-parse", "HEAD")
	}
	run(repo, "init", "-q", "-b", "main")
	first := commit(repo, "first")
	run(repo, "switch", "-q", "-c", "other")
	other := commit(repo, "other")
	run(repo, "switch", "-q", "main")
	second := commit(repo, "second")

	shallow := filepath.Join(t.TempDir(), "shallow")
	run(repo, "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(repo), shallow)
	archive := filepath.Join(repo, "archive")
	require.NoError(t, os.Mkdir(archive, 0o755))

	tests := []struct {
		name, top, commit string
		want              string // empty if it is in the history
	}{
		{"an ancestor", repo, first, ""},
		{"HEAD itself", repo, second, ""},
		{"a package", repo, "", ""},
		{"on another branch", repo, other, "release v1.0.0: commit " + other + " is no ancestor of HEAD"},
		{"foreign", repo, strings.Repeat("7", 40), "is no ancestor of HEAD"},
		{"HEAD of a shallow clone", shallow, second, ""},
		{"cut off in a shallow clone", shallow, first, "is not in this shallow clone: get the rest with git fetch --unshallow"},
		{"an archive", t.TempDir(), first, errNoHistory.Error()},
		{"an archive in another checkout", archive, first, errNoHistory.Error()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &ledger.Ledger{Releases: []ledger.Release{{Version: "v1.0.0", Commit: tt.commit}}}
			err := inHistory(t.Context(), tt.top, l)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}
