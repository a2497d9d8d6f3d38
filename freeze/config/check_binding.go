package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
)

func (c *checker) derivations() error {
	for _, name := range sorted(c.cfg.Derive) {
		key := tomldoc.Join("derive", name)
		if err := c.name(key, name); err != nil {
			return err
		}
		if err := c.command(tomldoc.Join(key, "command"), c.cfg.Derive[name].Command, "{version}"); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) bindings() error {
	for i, b := range c.cfg.Binding {
		key := tomldoc.At("binding", i)
		if err := c.binding(key, b); err != nil {
			return err
		}
		same := func(o Binding) bool { return o.Family == b.Family && o.File == b.File && o.Pointer == b.Pointer }
		if first := slices.IndexFunc(c.cfg.Binding, same); first < i {
			return c.doc.Errorf(key, "the same family, file and pointer as %s", tomldoc.At("binding", first))
		}
	}
	return nil
}

func (c *checker) binding(key string, b Binding) error {
	if err := c.required(key+".family", b.Family); err != nil {
		return err
	}
	if _, ok := c.cfg.Family[b.Family]; !ok {
		return c.doc.Errorf(key+".family", "there is no family %q, there is %s", b.Family, strings.Join(sorted(c.cfg.Family), ", "))
	}
	if err := c.glob(key+".file", b.File); err != nil {
		return err
	}
	if b.Pointer != "#name" && b.Pointer != "#target" {
		if err := c.pointer(key+".pointer", b.Pointer); err != nil {
			return err
		}
	}
	if err := c.required(key+".kind", b.Kind); err != nil {
		return err
	}
	if !slices.Contains(BindingKinds(), b.Kind) {
		return c.doc.Errorf(key+".kind", "%q is no kind that can be declared, those are %s", b.Kind, strings.Join(BindingKinds(), ", "))
	}
	if err := c.derived(key, b); err != nil {
		return err
	}
	if err := c.pattern(key+".pattern", b); err != nil {
		return err
	}
	return c.layout(key+".layout", b)
}

func (c *checker) derived(key string, b Binding) error {
	if b.Kind != "derived" {
		const why = "only a binding of kind derived has a derivation"
		if err := c.unwanted(key+".derive", why); err != nil {
			return err
		}
		return c.unwanted(key+".inputs", why)
	}
	if err := c.required(key+".derive", b.Derive); err != nil {
		return err
	}
	// A suite may register a Go function under a name that has no table here.
	if err := c.name(key+".derive", b.Derive); err != nil {
		return err
	}
	for i, input := range b.Inputs {
		if err := c.input(tomldoc.At(key+".inputs", i), input); err != nil {
			return err
		}
	}
	return nil
}

// input checks what a derivation takes: a path, or what an entry holds.
func (c *checker) input(key, input string) error {
	if err := c.text(key, input, "{home}", "{project}"); err != nil {
		return err
	}
	if !below(input) && !regexp.MustCompile(`^(home|project|view)/`).MatchString(input) {
		return c.doc.Errorf(key, "%q is neither below {home} or {project} nor a path of a box: home/..., project/..., view/...", input)
	}
	return nil
}

func (c *checker) pattern(key string, b Binding) error {
	switch {
	case b.Kind != "opaque" && b.Kind != "derived":
		return c.unwanted(key, "only a binding of kind opaque or derived has a pattern")
	case b.Kind == "opaque" || c.doc.Has(key):
		if err := c.required(key, b.Pattern); err != nil {
			return err
		}
	}
	if _, err := regexp.Compile(b.Pattern); err != nil {
		return c.doc.Errorf(key, "%v", err)
	}
	return nil
}

func (c *checker) layout(key string, b Binding) error {
	if b.Kind != "date" {
		return c.unwanted(key, "only a binding of kind date has a layout")
	}
	if err := c.required(key, b.Layout); err != nil {
		return err
	}
	day := time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)
	at, err := time.Parse(b.Layout, day.Format(b.Layout))
	if err != nil || at.Year() != day.Year() || at.YearDay() != day.YearDay() {
		return c.doc.Errorf(key, "%q tells no day of a year; it is the form of 2 January 2006, 15:04:05, as in 2006-01-02", b.Layout)
	}
	return nil
}

func (c *checker) unwanted(key, why string) error {
	if c.doc.Has(key) {
		return c.doc.Errorf(key, "%s", why)
	}
	return nil
}

func (c *checker) secrets() error {
	for i, s := range c.cfg.SecretOK {
		key := tomldoc.At("secret_ok", i)
		if err := c.glob(key+".file", s.File); err != nil {
			return err
		}
		if err := c.pointer(key+".pointer", s.Pointer); err != nil {
			return err
		}
		if err := c.required(key+".reason", s.Reason); err != nil {
			return err
		}
	}
	return nil
}

// glob checks a pattern over the paths of a box: home/a/b, project/c.
func (c *checker) glob(key, glob string) error {
	if err := c.required(key, glob); err != nil {
		return err
	}
	for part := range strings.SplitSeq(glob, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return c.doc.Errorf(key, "%q: %v", glob, err)
		}
		if part == "" || dots(part) {
			return c.doc.Errorf(key, "%q can match nothing: paths of a box read home/a/b or project/a, without dots and empty parts", glob)
		}
	}
	return c.text(key, glob)
}

// pointer checks a JSON pointer as RFC 6901 has it.
func (c *checker) pointer(key, pointer string) error {
	if !regexp.MustCompile(`^(/([^~/]|~[01])*)*$`).MatchString(pointer) {
		return c.doc.Errorf(key, "%q is no JSON pointer: it begins with / and has ~0 for ~, ~1 for /", pointer)
	}
	return nil
}
