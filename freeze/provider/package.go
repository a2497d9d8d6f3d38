package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// Pin completes the entry of a release that is a package and has no commit:
// which package it is, the hash that its registry states, and for npm what it
// depends on. A hash that the entry has already must be that one.
func (p *Provider) Pin(ctx context.Context, r ledger.Release) (ledger.Release, error) {
	kind := p.cfg.Provider.Kind
	if !kind.Packaged() {
		r.Package = p.cfg.Subject.Name
		return r, nil
	}
	r.Package = p.cfg.Provider.Package
	pin := p.goPin
	if kind == config.NPM {
		pin = p.npmPin
	}
	pinned, err := pin(ctx, r)
	if err == nil && r.Integrity != "" && pinned.Integrity != r.Integrity {
		err = fmt.Errorf("%s has the integrity %s, not %s", id(r), pinned.Integrity, r.Integrity)
	}
	if err != nil {
		return r, fmt.Errorf("release %q: %w", r.Version, err)
	}
	return pinned, nil
}

// pinned refuses an entry that does not say what is to be installed.
func pinned(kind config.Kind, r ledger.Release) error {
	if r.Package == "" {
		return fmt.Errorf("the ledger pins a commit, and the provider %s needs a package", kind)
	}
	if err := kind.CheckPackage(r.Package); err != nil {
		return fmt.Errorf("the ledger pins a package, and %w", err)
	}
	if r.Integrity == "" {
		return errors.New("the ledger pins a package without its integrity, so nobody can tell whether it is still the same; write that of the registry into the ledger")
	}
	return nil
}

// changed says that a package is no longer what was frozen.
func changed(r ledger.Release, integrity, where string) error {
	return fmt.Errorf("%s has the integrity %s, and the ledger pins %s: a version that is out keeps its content, so %s", id(r), integrity, r.Integrity, where)
}

// id is a package and its version, as messages and commands name them.
func id(r ledger.Release) string { return r.Package + "@" + r.Version }
