// Package cut freezes releases: it obtains each one's own programs, runs every
// scenario with them, finds what of the result belongs to the box it was made
// in, and writes the fixtures. Where fixtures are there already it freezes
// again and compares, and overwrites nothing.
//
// It decides what is run and written, and in which order; how a box, a
// scenario, a binding or a fixture works is left to their packages.
package cut

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// Project is a subject with all that is kept about its releases.
type Project struct {
	Config    *config.Config
	Ledger    *ledger.Ledger
	Scenarios []*scenario.Scenario // sorted by family and name
	Fixtures  string               // the folder of the fixtures

	env   []string
	cache string
}

// Open reads the project that the freeze.toml file describes. env is the
// environment of builds, cache the folder that keeps them.
func Open(file string, env []string, cache string) (*Project, error) {
	cfg, err := config.Load(file)
	if err != nil {
		return nil, err
	}
	p := &Project{Config: cfg, Fixtures: filepath.Join(cfg.Dir, "fixtures"), env: env, cache: cache}
	if p.Ledger, err = ledger.LoadOrNew(os.DirFS(p.Fixtures)); err != nil {
		return nil, err
	}
	// A project begins without a scenario: what needs one says so.
	p.Scenarios, err = scenario.Load(filepath.Join(p.Fixtures, "scenarios"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, sc := range p.Scenarios {
		if _, ok := cfg.Family[sc.Family]; !ok {
			return nil, fmt.Errorf("%s: family %q is not in freeze.toml; add [family.%s] with its roots", sc.File, sc.Family, sc.Family)
		}
	}
	return p, nil
}

// Draft is a project of which nothing is written down yet: neither its
// freeze.toml, nor a scenario or release.
func Draft(cfg *config.Config, env []string, cache string) *Project {
	return &Project{
		Config: cfg, Ledger: &ledger.Ledger{Format: ledger.Format},
		Fixtures: filepath.Join(cfg.Dir, "fixtures"), env: env, cache: cache,
	}
}

// Want lists, by family, the scenarios that are for a version: what a release
// has fixtures of.
func (p *Project) Want(version string) map[string][]string {
	want := make(map[string][]string)
	for _, sc := range p.Scenarios {
		if sc.For(version) {
			want[sc.Family] = append(want[sc.Family], sc.Name)
		}
	}
	return want
}

// Load reads the fixtures of a release, by family.
func (p *Project) Load(version string) (map[string]*fixture.Release, error) {
	fsys := os.DirFS(p.Fixtures)
	keys, _, err := fixture.List(fsys)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	frozen := make(map[string]*fixture.Release)
	for _, key := range keys {
		if key.Version != version {
			continue
		}
		if frozen[key.Family], err = fixture.Load(fsys, key.Family, key.Version); err != nil {
			return nil, err
		}
	}
	return frozen, nil
}

// rules are the bindings that freeze.toml declares for a family.
func (p *Project) rules(family string) []binding.Rule {
	var rules []binding.Rule
	for _, b := range p.Config.Binding {
		if b.Family == family {
			rules = append(rules, binding.Rule{Family: b.Family, File: b.File, Pointer: b.Pointer, Kind: binding.Kind(b.Kind), Derive: b.Derive, Inputs: b.Inputs, Pattern: b.Pattern, Layout: b.Layout})
		}
	}
	return rules
}

// CheckOptions is what a check of the fixtures takes from freeze.toml.
func (p *Project) CheckOptions() fixture.CheckOptions {
	opts := fixture.CheckOptions{Script: p.script}
	for _, ok := range p.Config.SecretOK {
		opts.SecretOK = append(opts.SecretOK, fixture.SecretOK{File: ok.File, Pointer: ok.Pointer, Reason: ok.Reason})
	}
	return opts
}

// script is the digest of a scenario's script for a version.
func (p *Project) script(family, name, version string) (digest string, ok bool) {
	for _, sc := range p.Scenarios {
		if sc.Family == family && sc.Name == name && sc.For(version) {
			return sc.Digest(version), true
		}
	}
	return "", false
}
