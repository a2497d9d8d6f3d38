package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// usualToolchain is what a package depends on besides itself, where the
// configuration does not say.
var usualToolchain = map[config.Kind][][]string{
	config.Go:  {{"go", "version"}},
	config.NPM: {{"node", "--version"}, {"npm", "--version"}},
}

// toolchain returns what the toolchain command prints.
func (p *Provider) toolchain(ctx context.Context, r ledger.Release) (string, error) {
	commands := usualToolchain[p.cfg.Provider.Kind]
	if words := p.cfg.Provider.Toolchain; len(words) > 0 {
		commands = [][]string{words}
	}
	var said []string
	for _, words := range commands {
		out, err := p.toolchainOf(ctx, r, words)
		if err != nil {
			return "", err
		}
		said = append(said, out)
	}
	return strings.Join(said, ", "), nil
}

// toolchainOf returns what a command prints on standard output. What it says on
// standard error, such as a download, may differ from call to call.
func (p *Provider) toolchainOf(ctx context.Context, r ledger.Release, words []string) (string, error) {
	var out strings.Builder
	errs := &tail{to: p.log}
	cmd := command{words, p.cfg.Dir, p.environment(r, "", "")}
	if err := cmd.run(ctx, &out, errs); err != nil {
		return "", p.commandError(ctx, "toolchain", words, err, errs, nil)
	}
	return strings.ToValidUTF8(strings.TrimSpace(out.String()), "?"), nil
}

// build makes a build in the cache, whose lock is held.
func (p *Provider) build(ctx context.Context, r ledger.Release, in inputs) (*Build, error) {
	scratch, err := p.cache.scratch(in)
	if err != nil {
		return nil, err
	}
	defer p.cache.clear(in)
	bin := filepath.Join(scratch, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return nil, p.cache.failed(err)
	}
	switch in.Kind {
	case config.Go:
		err = p.installGo(ctx, r, in, bin)
	case config.NPM:
		err = p.installNPM(ctx, r, in, bin)
	default:
		err = p.runBuild(ctx, r, in, scratch, bin)
	}
	if err != nil {
		return nil, err
	}
	return p.cache.store(in, bin, scratch)
}

// runBuild runs the build command: in the exported source of the commit, or
// where freeze.toml lies.
func (p *Provider) runBuild(ctx context.Context, r ledger.Release, in inputs, scratch, bin string) error {
	var missing []string
	dir := p.cfg.Dir
	if in.Kind == config.Git {
		dir = filepath.Join(scratch, "source")
		var err error
		if missing, err = p.exportSource(ctx, r, dir, filepath.Join(scratch, "git")); err != nil {
			return err
		}
	}
	words := config.Places{Bin: bin, Version: r.Version}.ExpandAll(p.cfg.Provider.Build)
	fmt.Fprintf(p.log, "%s: run %s\n", r.Version, quoted(p.cfg.Provider.Build))
	out := &tail{to: p.log}
	cmd := command{words, dir, p.environment(r, bin, in.Toolchain)}
	if in.Kind == config.Git {
		// The source is no repository, and none around the cache is meant.
		cmd.env = append(cmd.env, "GIT_CEILING_DIRECTORIES="+scratch)
	}
	if err := cmd.run(ctx, out, out); err != nil {
		return p.commandError(ctx, "build", p.cfg.Provider.Build, err, out, missing)
	}
	return nil
}

func (p *Provider) exportSource(ctx context.Context, r ledger.Release, dir, gitDir string) ([]string, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, p.cache.failed(err)
	}
	fmt.Fprintf(p.log, "%s: export commit %s\n", r.Version, short(r.Commit))
	missing, err := p.repo.export(ctx, r.Commit, dir, gitDir)
	for _, m := range missing {
		fmt.Fprintf(p.log, "%s: %s\n", r.Version, m)
	}
	return missing, err
}

func (p *Provider) commandError(ctx context.Context, what string, words []string, err error, out *tail, missing []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	why := ""
	for _, m := range missing {
		why += "; " + m
	}
	return fmt.Errorf("%s %s: %w%s%s", what, quoted(words), err, why, out)
}

// environment is the caller's, with what the configuration adds. Values that
// name {bin} are for the build alone, as there is no such folder before it.
func (p *Provider) environment(r ledger.Release, bin, toolchain string) []string {
	env := without(p.env, gitRepository)
	if p.cfg.Provider.Kind == config.Go {
		env = without(env, goTargets)
	}
	env = append(env,
		"FREEZE_VERSION="+r.Version, "FREEZE_COMMIT="+r.Commit,
		"FREEZE_PACKAGE="+r.Package, "FREEZE_INTEGRITY="+r.Integrity)
	if goVersion := regexp.MustCompile(`^go version (go[0-9]\S*) `).FindStringSubmatch(toolchain); goVersion != nil {
		env = append(env, "GOTOOLCHAIN="+goVersion[1])
	}
	switch p.cfg.Provider.Kind {
	case config.Go:
		env = append(env, goSettings(bin)...)
	case config.NPM:
		env = append(env, npmSettings...)
	}
	for _, name := range slices.Sorted(maps.Keys(p.cfg.Provider.Env)) {
		value := p.cfg.Provider.Env[name]
		if bin == "" && strings.Contains(value, "{bin}") {
			continue
		}
		env = append(env, name+"="+config.Places{Bin: bin, Version: r.Version}.Expand(value))
	}
	return env
}

// gitRepository is what a git hook says about its repository: a build that asks
// git would be told about the wrong one.
var gitRepository = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}

// without is an environment less some variables.
func without(env, names []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}
