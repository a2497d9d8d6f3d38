package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// repository is the git repository that holds the commits of the releases. It
// is only ever read.
type repository struct {
	dir string
	git string
	env []string
}

func openRepository(cfg *config.Config, env []string) (repository, error) {
	r := repository{dir: cfg.Dir}
	if cfg.Provider.Repo != "" {
		r.dir = cfg.Provider.Repo
		if !filepath.IsAbs(r.dir) {
			r.dir = filepath.Join(cfg.Dir, r.dir)
		}
		if _, err := os.Stat(r.dir); err != nil {
			return r, fmt.Errorf("repository %q of provider.repo: %w", r.dir, err)
		}
	}
	git, err := lookPath("git", r.dir, env)
	if err != nil {
		return r, err
	}
	r.git = git
	r.env = append(withoutGit(env),
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
	)
	if cfg.Provider.Repo != "" {
		// A named folder that is no repository must not stand for one around it.
		r.env = append(r.env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.dir))
	}
	return r, nil
}

// withoutGit leaves out all that steers git: a hook that calls freeze has
// GIT_DIR and GIT_INDEX_FILE set.
func withoutGit(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
}

func (r repository) command(ctx context.Context, args ...string) *exec.Cmd {
	// Reading objects runs no command of the repository's configuration, so
	// its owner does not matter.
	cmd := exec.CommandContext(ctx, r.git, append([]string{"-c", "safe.directory=*"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.Clone(r.env), "PWD="+r.dir)
	return cmd
}

func (r repository) output(ctx context.Context, args ...string) (string, error) {
	cmd := r.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", r.failed(ctx, args[0], err, stderr.String())
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

func (r repository) failed(ctx context.Context, command string, err error, stderr string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("repository %q: git %s: %w: %s", r.dir, command, err, strings.TrimSpace(stderr))
}

// commit returns the commit that rev names, and whether there is one.
func (r repository) commit(ctx context.Context, rev string) (string, bool, error) {
	commit, err := r.output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", false, nil
	}
	return commit, err == nil, err
}

// tag returns the commit of a tag, and whether there is such a tag. One that
// names something else is an error.
func (r repository) tag(ctx context.Context, version string) (string, bool, error) {
	name := "refs/tags/" + version
	commit, ok, err := r.commit(ctx, name)
	if ok || err != nil {
		return commit, ok, err
	}
	there, err := r.output(ctx, "for-each-ref", "--count=1", name)
	if err != nil || there == "" {
		return "", false, err
	}
	kind, err := r.output(ctx, "cat-file", "-t", name+"^{}")
	if err != nil {
		return "", false, err
	}
	return "", false, fmt.Errorf("tag %s of %q names a %s, no commit: tag the commit of the release, or say --commit REV", version, r.dir, kind)
}

func (r repository) resolve(ctx context.Context, rev string) (string, error) {
	commit, ok, err := r.commit(ctx, rev)
	if err != nil {
		return "", fmt.Errorf("revision %q: %w", rev, err)
	}
	if !ok {
		return "", fmt.Errorf("revision %q: names no commit of %q%s", rev, r.dir, r.shallowHint(ctx))
	}
	if err := r.reachable(ctx, commit); err != nil {
		return "", fmt.Errorf("revision %q: %w", rev, err)
	}
	return commit, nil
}

// uncommitted asks git as its user would, since git may run a filter of the
// repository's configuration to compare: one of another owner is left alone.
func (r repository) uncommitted(ctx context.Context, except []string) []string {
	args := []string{"-c", "safe.directory=", "-c", "core.fsmonitor=false", "diff", "--name-only", "--no-renames", "-z", "HEAD", "--", ":/"}
	for _, path := range except {
		if path != "" {
			args = append(args, ":(exclude,literal)"+path)
		}
	}
	out, err := r.output(ctx, args...)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// holds checks that the commit of a release is in the history, and that a tag
// of the version agrees with it.
func (r repository) holds(ctx context.Context, release ledger.Release) error {
	if release.Commit == "" {
		return errors.New("the ledger pins a package, and the provider git needs a commit")
	}
	tagged, hasTag, err := r.tag(ctx, release.Version)
	if err != nil {
		return err
	}
	commit, ok, err := r.commit(ctx, release.Commit)
	switch {
	case err != nil:
		return err
	case !ok || commit != release.Commit:
		return fmt.Errorf("commit %s is not in the history of %q%s", release.Commit, r.dir,
			cmp.Or(r.shallowHint(ctx), r.nearest(ctx, release, tagged)))
	case hasTag && tagged != commit:
		return fmt.Errorf("the ledger pins commit %s, and the tag %s is at %s: one of them is wrong, mend the ledger or the tag",
			short(commit), release.Version, short(tagged))
	}
	return r.reachable(ctx, commit)
}

// reachable refuses a commit that nothing leads to: git removes it some day.
func (r repository) reachable(ctx context.Context, commit string) error {
	_, err := r.output(ctx, "merge-base", "--is-ancestor", commit, "HEAD")
	if err == nil || ctx.Err() != nil {
		return err
	}
	ref, err := r.output(ctx, "for-each-ref", "--count=1", "--contains="+commit)
	if err == nil && ref == "" {
		err = fmt.Errorf("commit %s is not in the history of %q: neither HEAD nor a branch or tag leads to it%s",
			commit, r.dir, r.shallowHint(ctx))
	}
	return err
}

func (r repository) shallowHint(ctx context.Context) string {
	if shallow, err := r.output(ctx, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "true" {
		return ""
	}
	return ", which is a shallow clone: git fetch --unshallow brings the rest"
}

// nearest says which commit may have been meant: that of the tag, or the one
// whose name differs least, if that looks like a slip.
func (r repository) nearest(ctx context.Context, release ledger.Release, tagged string) string {
	if tagged != "" {
		return fmt.Sprintf("; the tag %s is at %s", release.Version, tagged)
	}
	all, err := r.output(ctx, "rev-list", "--all", "HEAD")
	if err != nil {
		return ""
	}
	best, slips := "", 9
	for commit := range strings.Lines(all) {
		commit = strings.TrimSpace(commit)
		if n := differing(commit, release.Commit); n < slips {
			best, slips = commit, n
		}
	}
	if best == "" {
		return ""
	}
	return "; nearest to it: " + best
}

func differing(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
