package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
)

// kinds are the kinds of provider, as messages name them.
const kinds = "git, go, npm or command"

func (c *checker) provider() error {
	p := c.cfg.Provider
	switch {
	case !c.doc.Has("provider.kind"):
		return c.doc.Errorf("provider.kind", "missing: "+kinds)
	case p.Kind != Git && p.Kind != Command && !p.Kind.Packaged():
		return c.doc.Errorf("provider.kind", "%q is no provider, it is "+kinds, p.Kind)
	}
	if err := c.foreign(p.Kind); err != nil {
		return err
	}
	obtains := c.built
	if p.Kind.Packaged() {
		obtains = c.installed
	}
	if err := obtains(p); err != nil {
		return err
	}
	if err := c.words("provider.toolchain", p.Toolchain); err != nil {
		return err
	}
	return c.env("provider.env", p.Env, "{bin}", "{version}")
}

// foreign refuses the keys of other kinds of provider.
func (c *checker) foreign(kind Kind) error {
	for _, k := range []struct {
		key   string
		kinds []Kind
		why   string
	}{
		{"repo", []Kind{Git}, "only the provider git has a repository"},
		{"build", []Kind{Git, Command}, "the provider " + string(kind) + " needs none, it installs provider.package"},
		{"package", []Kind{Go, NPM}, "only the providers go and npm install a package"},
		{"commands", []Kind{Go}, "only the provider go has commands"},
		{"scripts", []Kind{NPM}, "only the provider npm has scripts"},
	} {
		if c.doc.Has("provider."+k.key) && !slices.Contains(k.kinds, kind) {
			return c.doc.Errorf("provider."+k.key, "%s", k.why)
		}
	}
	return nil
}

// built checks a provider that runs a command of the maintainer's.
func (c *checker) built(p Provider) error {
	if p.Repo == "" && c.doc.Has("provider.repo") {
		return c.doc.Errorf("provider.repo", "empty: leave it out for the repository that holds this file")
	}
	if err := c.text("provider.repo", p.Repo); err != nil {
		return err
	}
	if err := c.command("provider.build", p.Build, "{bin}", "{version}"); err != nil {
		return err
	}
	namesBin := func(s string) bool { return strings.Contains(s, "{bin}") }
	if !slices.ContainsFunc(slices.Concat(p.Build, values(p.Env)), namesBin) {
		return c.doc.Errorf("provider.build", "names {bin} nowhere, nor does env: that is where the programs have to go")
	}
	return nil
}

// installed checks a provider that installs a package.
func (c *checker) installed(p Provider) error {
	if err := c.required("provider.package", p.Package); err != nil {
		return err
	}
	if err := p.Kind.CheckPackage(p.Package); err != nil {
		return c.doc.Errorf("provider.package", "%v", err)
	}
	if len(p.Commands) == 0 && c.doc.Has("provider.commands") {
		return c.doc.Errorf("provider.commands", `empty: leave it out for the program in the root of the module`)
	}
	for i, folder := range p.Commands {
		if folder != "." && module.CheckFilePath(folder) != nil {
			return c.doc.Errorf(tomldoc.At("provider.commands", i), "%q is no folder of the module: it reads cmd/notes, or . for its root", folder)
		}
	}
	return nil
}

// CheckPackage refuses what cannot be a package of this kind of provider, so
// that nothing else reaches the command that installs it.
func (k Kind) CheckPackage(name string) error {
	switch {
	case k == Go && module.CheckPath(name) != nil:
		return fmt.Errorf("%q is no path of a Go module", name)
	case k == NPM && !npmName.MatchString(name):
		return fmt.Errorf("%q is no name of an npm package", name)
	}
	return nil
}

// npmName is the registry's rule, with the upper case of old packages.
var npmName = regexp.MustCompile(`^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$`)
