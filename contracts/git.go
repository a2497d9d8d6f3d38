package contracts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// CheckGit asserts that the repository or work tree at the box-relative path
// box is whole and holds what is wanted: git fsck finds nothing, its reflogs,
// configuration and status can be read, and each revision in want, at least
// one of them a tree as in HEAD^{tree}, is that object id. The files of its
// .git count as read.
func (f *Fixture) CheckGit(t testing.TB, id, box string, want map[string]string) bool {
	t.Helper()
	if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(rev string) bool { return strings.HasSuffix(rev, "^{tree}") }) {
		t.Fatalf("%s: no tree is wanted; name one, as in HEAD^{tree}", id)
	}
	dir := f.thawed.Path(box)
	got := make(map[string]string, len(want))
	for _, args := range [][]string{
		{"fsck", "--full", "--strict", "--no-progress", "--no-dangling"}, {"config", "--local", "--list"},
		{"reflog", "--all"}, {"worktree", "list", "--porcelain"}, {"status", "--porcelain"},
	} {
		if _, err := git(t.Context(), dir, args...); err != nil {
			f.fail(t, id, "%s: %s: %v", id, f.name(), err)
			return false
		}
	}
	for rev := range want {
		out, err := git(t.Context(), dir, "rev-parse", "--verify", rev)
		if err != nil {
			f.fail(t, id, "%s: %s: %v", id, f.name(), err)
			return false
		}
		got[rev] = strings.TrimSpace(out)
	}
	for _, e := range f.frozen.Entries {
		if at := box + "/.git"; e.Path == at || strings.HasPrefix(e.Path, at+"/") {
			f.read(e.Path)
		}
	}
	return f.Equal(t, id, got, want)
}

// CheckSum asserts the sha256, in hex, of the file at the box-relative path box
// where it was thawed: for a patch, say, that a program other than the reader
// takes as it is. The file counts as read.
func (f *Fixture) CheckSum(t testing.TB, id, box, want string) bool {
	t.Helper()
	data, err := os.ReadFile(f.thawed.Path(box))
	if err != nil {
		t.Fatalf("%s: %s: %v", id, f.name(), err)
	}
	f.read(box)
	sum := sha256.Sum256(data)
	return f.Equal(t, id, hex.EncodeToString(sum[:]), want)
}

// git runs without the configuration of the user and the system, and without
// what a git that called us has left in the environment.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") }),
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_OPTIONAL_LOCKS=0",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s in %q: %w: %s%s", args[0], dir, err, &stderr, &stdout)
	}
	return stdout.String(), nil
}
