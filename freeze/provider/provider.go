// Package provider obtains the programs of a release: it exports the ledger's
// commit and builds it, installs the ledger's package, or runs the command that
// fetches the ledger's version, and keeps the result in a cache.
//
// It runs outside of boxes, in the environment it is given. It promises that a
// build it returns is whole and is what the release's entry describes; which
// version the programs say they are is for its caller to ask.
package provider

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// Provider obtains releases of one subject. It may be used by several
// goroutines at once.
type Provider struct {
	cfg   *config.Config
	env   []string
	cache cache
	log   io.Writer
	repo  repository // of the git provider
}

// Build is the programs of one release.
type Build struct {
	// Dir is the folder that holds the programs and nothing else. It is
	// shared by everyone who uses the cache: copy from it, never write to it.
	Dir string
	// Programs maps each file of Dir, by slash-separated path, to the
	// sha256 of its content, in hex. A node_modules stands for all files
	// below it.
	Programs map[string]string
	// Commit is the commit that was built; empty for a package.
	Commit string
	// Package and Integrity are the ledger's; empty for a commit.
	Package, Integrity string
	// Toolchain is what the toolchain command printed, without the line end.
	Toolchain    string
	GOOS, GOARCH string
	// Cached says that nothing had to be built.
	Cached bool
}

// New returns the provider that cfg describes. env is the environment of
// everything it runs, cacheDir the folder of its builds, usually
// os.UserCacheDir()/permafrost. Progress and the output of builds go to log.
func New(cfg *config.Config, env []string, cacheDir string, log io.Writer) (*Provider, error) {
	dir, err := filepath.Abs(cacheDir)
	if err != nil {
		return nil, err
	}
	p := &Provider{cfg: cfg, env: env, cache: cache{dir}, log: &shared{to: log}}
	if cfg.Provider.Kind == config.Git {
		p.repo, err = openRepository(cfg, env)
	}
	return p, err
}

// Obtain returns the programs of a release, from the cache if they are there.
// Two that ask for the same build at once build once.
func (p *Provider) Obtain(ctx context.Context, r ledger.Release) (*Build, error) {
	b, err := p.obtain(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("release %q: %w", r.Version, err)
	}
	return b, nil
}

func (p *Provider) obtain(ctx context.Context, r ledger.Release) (*Build, error) {
	switch kind := p.cfg.Provider.Kind; {
	case kind == config.Git:
		if err := p.repo.holds(ctx, r); err != nil {
			return nil, err
		}
	case kind.Packaged():
		if err := pinned(kind, r); err != nil {
			return nil, err
		}
	}
	in, err := p.inputs(ctx, r)
	if err != nil {
		return nil, err
	}
	if b, err := p.cache.lookup(in); err == nil {
		return b, nil
	}
	unlock, err := p.cache.lock(ctx, in)
	if err != nil {
		return nil, err
	}
	defer unlock()
	b, err := p.cache.lookup(in)
	if err == nil {
		return b, nil
	}
	if p.cache.has(in) {
		fmt.Fprintf(p.log, "%s: build again, the cached one is damaged: %v\n", r.Version, err)
	}
	return p.build(ctx, r, in)
}

// inputs is all that a build depends on, and so what names it in the cache.
func (p *Provider) inputs(ctx context.Context, r ledger.Release) (inputs, error) {
	toolchain, err := p.toolchain(ctx, r)
	if err != nil {
		return inputs{}, err
	}
	in := inputs{
		Format:  1,
		Kind:    p.cfg.Provider.Kind,
		Version: r.Version, Commit: r.Commit, Package: r.Package, Integrity: r.Integrity,
		Subject:   p.cfg.Subject.Name,
		Build:     p.cfg.Provider.Build,
		Env:       p.cfg.Provider.Env,
		Toolchain: toolchain,
		GOOS:      runtime.GOOS, GOARCH: runtime.GOARCH,
	}
	switch in.Kind {
	case config.Command:
		// A commit says what is built from it; a command reads what lies there.
		in.Dir = strconv.Quote(p.cfg.Dir)
	case config.Go:
		in.Commands = p.cfg.Provider.Commands
	case config.NPM:
		in.Scripts, in.Date, in.Dependencies, in.Before = p.cfg.Provider.Scripts, r.Date, r.Dependencies, r.Before
	}
	return in, nil
}

// Resolve returns the commit that rev names in the repository of the git
// provider. HEAD or a branch or tag has to lead to it.
func (p *Provider) Resolve(ctx context.Context, rev string) (commit string, err error) {
	if p.cfg.Provider.Kind != config.Git {
		return "", fmt.Errorf("revision %q: the provider %s has no repository", rev, p.cfg.Provider.Kind)
	}
	return p.repo.resolve(ctx, rev)
}

// Uncommitted lists what git tracks in the work tree of the git provider's
// repository and has other content there than in HEAD; nothing where there is no
// work tree, or where git would not say it. What decides in the working tree,
// and is in no program, is left out: freeze.toml, fixtures and scripts.
func (p *Provider) Uncommitted(ctx context.Context) []string {
	if p.cfg.Provider.Kind != config.Git {
		return nil
	}
	var except []string
	if p.cfg.Provider.Repo == "" {
		except = []string{"freeze.toml", "fixtures", p.cfg.Read.Scripts, p.cfg.Mutate.Regressions}
	}
	return p.repo.uncommitted(ctx, except)
}

// Tag returns the commit of the tag named version, and whether there is one.
func (p *Provider) Tag(ctx context.Context, version string) (commit string, ok bool, err error) {
	if p.cfg.Provider.Kind != config.Git {
		return "", false, nil
	}
	return p.repo.tag(ctx, version)
}

// short is a commit as messages show it.
func short(commit string) string { return commit[:min(len(commit), 12)] }

// quoted is a command as messages show it.
func quoted(words []string) string {
	var shown []string
	for _, w := range words {
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@,+{}") != "" {
			w = fmt.Sprintf("%q", w)
		}
		shown = append(shown, w)
	}
	return strings.Join(shown, " ")
}
