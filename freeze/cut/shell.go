package cut

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// Shell opens an interactive shell in a box with the programs of a release on
// PATH, or of a revision that is no release yet. How the shell ends does not
// matter; that the box could not be proved empty afterwards does.
func (p *Project) Shell(ctx context.Context, version string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	r, build, err := p.Obtain(ctx, version, stderr)
	if err != nil {
		return err
	}
	cfg := p.box(r.Version, build.Dir, turn{})
	if !slices.Contains(cfg.Tools, "sh") {
		cfg.Tools = append(slices.Clone(cfg.Tools), "sh")
	}
	box, err := sandbox.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	fmt.Fprintf(stderr, "%s in %s; leave with exit or C-d. On PATH: %s\n", version, box.Root(), strings.Join(onPath(box), " "))
	_, err = box.Run(ctx, sandbox.Cmd{Args: []string{"sh", "-i"}, Terminal: true, Stdin: stdin, Stdout: stdout, Stderr: stderr})
	return err
}

// Obtain returns the programs of a release, or of a revision that is none yet:
// its version is scenario.Head. What a build prints goes to log.
func (p *Project) Obtain(ctx context.Context, version string, log io.Writer) (ledger.Release, *provider.Build, error) {
	r, err := p.Find(ctx, version)
	if err != nil {
		return r, nil, err
	}
	build, err := p.Build(ctx, r, log)
	return r, build, err
}

// Build returns the programs of what Find has found.
func (p *Project) Build(ctx context.Context, r ledger.Release, log io.Writer) (*provider.Build, error) {
	prov, err := provider.New(p.Config, p.env, p.cache, log)
	if err != nil {
		return nil, err
	}
	return prov.Obtain(ctx, r)
}

// Find is the release that Obtain would build.
func (p *Project) Find(ctx context.Context, version string) (ledger.Release, error) {
	prov, err := provider.New(p.Config, p.env, p.cache, io.Discard)
	if err != nil {
		return ledger.Release{}, err
	}
	return p.toTry(ctx, prov, version)
}

// toTry is the release of that version, or one that stands for a revision.
func (p *Project) toTry(ctx context.Context, prov *provider.Provider, version string) (ledger.Release, error) {
	r, err := p.Ledger.Get(version)
	switch {
	case err == nil:
		return r, nil
	case p.Config.Provider.Kind != config.Git && semver.IsValid(version):
		return prov.Pin(ctx, ledger.Release{Version: version, Date: time.Now().UTC().Format(time.DateOnly)})
	case p.Config.Provider.Kind != config.Git:
		return r, err
	}
	commit, resolveErr := prov.Resolve(ctx, version)
	if resolveErr != nil {
		return r, fmt.Errorf("%w; and as a revision: %w", err, resolveErr)
	}
	return ledger.Release{Version: scenario.Head, Commit: commit}, nil
}

// onPath lists the programs of a box.
func onPath(box *sandbox.Box) []string {
	entries, err := os.ReadDir(box.Bin())
	if err != nil {
		return nil // it is only told
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
