// Package provider obtains the programs of a release: it exports the ledger's
// commit and builds it, or runs the command that fetches the ledger's version,
// and keeps the result in a cache.
//
// It runs outside of boxes, in the environment it is given. It promises that a
// build it returns is whole and is what the release's entry describes; which
// version the programs say they are is for its caller to ask.
package provider

import (
	"context"
	"io"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// Provider obtains releases of one subject.
type Provider struct {
	cfg   *config.Config
	env   []string
	cache string
	log   io.Writer
}

// Build is the programs of one release.
type Build struct {
	// Dir is the folder that holds the programs and nothing else. It is
	// shared by everyone who uses the cache: copy from it, never write to it.
	Dir string
	// Programs maps each file of Dir, by slash-separated path, to the
	// sha256 of its content, in hex.
	Programs map[string]string
	// Commit is the commit that was built; empty for a package.
	Commit string
	// Toolchain is what the toolchain command printed, without the line end.
	Toolchain    string
	GOOS, GOARCH string
	// Cached says that nothing had to be built.
	Cached bool
}

// New returns the provider that cfg describes. env is the environment of
// everything it runs, cache the folder of its builds, usually
// os.UserCacheDir()/permafrost. Progress and the output of builds go to log.
func New(cfg *config.Config, env []string, cache string, log io.Writer) (*Provider, error) {
	return &Provider{cfg: cfg, env: env, cache: cache, log: log}, nil
}

// Obtain returns the programs of a release, from the cache if they are there.
func (p *Provider) Obtain(ctx context.Context, r ledger.Release) (*Build, error) {
	panic("unbuilt")
}

// Resolve returns the commit that rev names in the repository of the git
// provider. It must be in the history of HEAD.
func (p *Provider) Resolve(ctx context.Context, rev string) (commit string, err error) {
	panic("unbuilt")
}

// Tag returns the commit of the tag named version, and whether there is one.
func (p *Provider) Tag(ctx context.Context, version string) (commit string, ok bool, err error) {
	panic("unbuilt")
}
