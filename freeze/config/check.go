package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
)

// checker holds the values of a decoded freeze.toml against what they mean.
type checker struct {
	cfg *Config
	doc *tomldoc.Doc
}

func (c *checker) check() error {
	for _, part := range []func() error{
		c.subject, c.provider, c.box, c.standIns, c.families,
		c.derivations, c.bindings, c.secrets, c.mutate, c.read,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) subject() error {
	s := c.cfg.Subject
	if err := c.programName("subject.name", s.Name); err != nil {
		return err
	}
	if !c.doc.Has("subject.version_args") {
		return c.doc.Errorf("subject.version_args", "missing: the arguments that print the version, [] if nothing does")
	}
	return c.words("subject.version_args", s.VersionArgs)
}

func (c *checker) box() error {
	b := c.cfg.Box
	for i, tool := range b.Tools {
		key := tomldoc.At("box.tools", i)
		if err := c.programName(key, tool); err != nil {
			return err
		}
		switch {
		case tool == c.cfg.Subject.Name:
			return c.doc.Errorf(key, "%q is the subject, it comes from the release", tool)
		case tool == "tmux":
			return c.doc.Errorf(key, "tmux is not linked into a box: say tmux = true for a private one")
		case slices.Index(b.Tools, tool) < i:
			return c.doc.Errorf(key, "%q is listed twice", tool)
		}
	}
	if err := c.env("box.env", b.Env, "{bin}", "{home}", "{project}", "{version}"); err != nil {
		return err
	}
	for _, name := range sorted(b.Env) {
		if ownedByBox(name) {
			return c.doc.Errorf(tomldoc.Join("box.env", name), "the box sets %s itself, to keep what runs in it inside", name)
		}
	}
	return nil
}

func ownedByBox(name string) bool {
	return strings.HasPrefix(name, "XDG_") ||
		slices.Contains([]string{"HOME", "PATH", "TMPDIR", "TMUX", "TMUX_PANE", "TMUX_TMPDIR", "PERMAFROST_BOX"}, name)
}

func (c *checker) standIns() error {
	for _, name := range sorted(c.cfg.StandIn) {
		key := tomldoc.Join("stand_in", name)
		if err := c.programName(key, name); err != nil {
			return err
		}
		switch {
		case name == c.cfg.Subject.Name:
			return c.doc.Errorf(key, "%q is the subject, nothing stands in for it", name)
		case name == "tmux":
			return c.doc.Errorf(key, "nothing stands in for tmux: say box.tmux = true for a private one")
		case slices.Contains(c.cfg.Box.Tools, name):
			return c.doc.Errorf(key, "%q is in box.tools too, the box can hold only one of them", name)
		}
		if err := c.script(tomldoc.Join(key, "file"), c.cfg.StandIn[name].File); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) script(key, file string) error {
	if err := c.inside(key, file); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(c.cfg.Dir, file))
	switch {
	case err != nil:
		return c.doc.Errorf(key, "%q: %v", file, err)
	case !info.Mode().IsRegular():
		return c.doc.Errorf(key, "%q is no regular file", file)
	}
	return nil
}

func (c *checker) families() error {
	if len(c.cfg.Family) == 0 {
		return c.doc.Errorf("family", "missing: at least one [family.NAME] with its roots")
	}
	for _, name := range sorted(c.cfg.Family) {
		key := tomldoc.Join("family", name)
		// Its folder is the same on file systems that ignore case.
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`).MatchString(name) {
			return c.doc.Errorf(key, "%q is no name of a family: small letters, digits, underscore and hyphen, a letter or digit first", name)
		}
		if name == "scenarios" {
			return c.doc.Errorf(key, `a family cannot be named "scenarios", that folder holds the scripts`)
		}
		if err := c.roots(tomldoc.Join(key, "roots"), c.cfg.Family[name].Roots); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) roots(key string, roots []string) error {
	if len(roots) == 0 {
		return c.doc.Errorf(key, "missing: the folders to capture, each below {home} or {project}")
	}
	for i, root := range roots {
		at := tomldoc.At(key, i)
		if err := c.text(at, root, "{home}", "{project}"); err != nil {
			return err
		}
		if !below(root) {
			return c.doc.Errorf(at, "%q is not below {home} or {project}", root)
		}
		for _, other := range roots[:i] {
			if strings.HasPrefix(root+"/", other+"/") || strings.HasPrefix(other+"/", root+"/") {
				return c.doc.Errorf(at, "%q and %q lie inside of one another", root, other)
			}
		}
	}
	return nil
}

// below reports whether s is {home} or {project}, or a path below one of them.
func below(s string) bool {
	return regexp.MustCompile(`^\{(home|project)\}(/[^/{}]+)*$`).MatchString(s) && !slices.ContainsFunc(strings.Split(s, "/"), dots)
}

func dots(s string) bool { return s == "." || s == ".." }

func (c *checker) mutate() error {
	m := c.cfg.Mutate
	if !c.doc.Has("mutate") {
		return nil
	}
	// A subject that is not Go has neither; one without the other is a slip.
	if c.doc.Has("mutate.packages") || c.doc.Has("mutate.suites") {
		if err := c.command("mutate.packages", m.Packages); err != nil {
			return err
		}
		if err := c.command("mutate.suites", m.Suites); err != nil {
			return err
		}
	}
	return c.inside("mutate.regressions", m.Regressions)
}

func (c *checker) read() error {
	if !c.doc.Has("read") {
		return nil
	}
	return c.inside("read.scripts", c.cfg.Read.Scripts)
}
