package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
)

func (c *checker) required(key, value string) error {
	switch {
	case !c.doc.Has(key):
		return c.doc.Errorf(key, "missing")
	case strings.TrimSpace(value) == "":
		return c.doc.Errorf(key, "empty")
	}
	return nil
}

// text checks a word of a command, a variable or a path: no NUL, which none of
// them can hold, and no placeholder but the allowed ones.
func (c *checker) text(key, value string, allowed ...string) error {
	if strings.ContainsRune(value, 0) {
		return c.doc.Errorf(key, "%q holds a NUL", value)
	}
	for _, p := range placeholders(value) {
		switch {
		case slices.Contains(allowed, p):
		case len(allowed) == 0:
			return c.doc.Errorf(key, "%s: there are no placeholders here", p)
		default:
			return c.doc.Errorf(key, "%s is no placeholder here, only %s", p, strings.Join(allowed, " "))
		}
	}
	return nil
}

func (c *checker) words(key string, words []string, allowed ...string) error {
	for i, w := range words {
		if err := c.text(tomldoc.At(key, i), w, allowed...); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) command(key string, words []string, allowed ...string) error {
	switch {
	case !c.doc.Has(key):
		return c.doc.Errorf(key, "missing")
	case len(words) == 0 || words[0] == "":
		return c.doc.Errorf(key, "empty")
	}
	return c.words(key, words, allowed...)
}

func (c *checker) env(key string, env map[string]string, allowed ...string) error {
	for _, name := range sorted(env) {
		at := tomldoc.Join(key, name)
		if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) {
			return c.doc.Errorf(at, "%q is no name of a variable", name)
		}
		if err := c.text(at, env[name], allowed...); err != nil {
			return err
		}
	}
	return nil
}

// name checks what becomes a folder or is written in other files.
func (c *checker) name(key, name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(name) {
		return c.doc.Errorf(key, "%q is no name: letters, digits, dot, underscore and hyphen, a letter or digit first", name)
	}
	return nil
}

func (c *checker) programName(key, name string) error {
	if err := c.required(key, name); err != nil {
		return err
	}
	if strings.ContainsAny(name, "/\\") || dots(name) {
		return c.doc.Errorf(key, "%q is no file name: a program of a box is named without its folder", name)
	}
	return c.text(key, name)
}

// inside checks a path that has to stay in the folder of freeze.toml.
func (c *checker) inside(key, file string) error {
	if err := c.required(key, file); err != nil {
		return err
	}
	if !filepath.IsLocal(filepath.FromSlash(file)) {
		return c.doc.Errorf(key, "%q leads out of the folder of %s", file, Name)
	}
	return c.text(key, file)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func values(m map[string]string) []string { return slices.Collect(maps.Values(m)) }
