package subjects

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// date makes the commits the same each time.
const date = "2024-05-06T07:08:09Z"

// repository is a git repository at a folder.
type repository struct{ dir string }

// init begins the repository. Its identity is its own, so that commits can be
// added to it wherever it lies.
func (r repository) init(ctx context.Context) error {
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "A Developer"},
		{"config", "user.email", "dev@example.org"},
	} {
		if err := r.git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// commit makes everything in the folder a release.
func (r repository) commit(ctx context.Context, version string) error {
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "release " + version}, {"tag", version}} {
		if err := r.git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs without the configuration of the user and the system, and without
// what a git that called us has left in the environment.
func (r repository) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	cmd.Env = slices.DeleteFunc(cmd.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_TEMPLATE_DIR=", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s in %q: %w: %s", args[0], r.dir, err, strings.TrimSpace(string(out)))
	}
	return nil
}
