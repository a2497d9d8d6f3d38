// Package regression reads regressions that were written by hand: an edit of
// one function, the one test that has to fail under it, and the assertion by
// which; or, of what is not Go, an edit of a file and a command. It knows the
// files and nothing of Go; docs/mutation.md is the reference of the format.
package regression

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Ext is how the name of a regression's file ends.
const Ext = ".txtar"

// Regression is one fault that a suite has to catch.
type Regression struct {
	Name   string // of its file, without Ext
	What   string // in one line
	File   string // the file that is edited, with slashes, from the folder of freeze.toml
	Assert Assert

	// Of Go.
	Func string // what is edited: Name, Type.Method, or the name of a type, variable or constant
	Test Test

	// Of anything else.
	Run   string // the command that has to fail, for sh
	Build string // one that has to pass first, or empty

	Find, Replace string
}

// By is what has to fail: the test, or the command.
func (r *Regression) By() string {
	if r.Run != "" {
		return r.Run
	}
	return r.Test.String()
}

// Test is the one test that has to fail.
type Test struct {
	Package string // as the go command takes it, from the folder of freeze.toml: ./contracts/sessions
	Name    string // in full, as the test prints it: TestAttach/v0.3.0/open
}

func (t Test) String() string { return t.Package + " " + t.Name }

// Assert is the assertion that has to fail first: its id, or between two
// slashes a pattern of its message. Of a command it is a pattern of its output.
type Assert string

// Is reports whether a message, with the id that it carries or none, is that of
// the assertion.
func (a Assert) Is(id, message string) bool {
	if pattern, ok := a.pattern(); ok {
		return regexp.MustCompile(pattern).MatchString(message)
	}
	return id == string(a)
}

// Find is where the pattern first is in an output, or nil.
func (a Assert) Find(output []byte) []int {
	pattern, ok := a.pattern()
	if !ok {
		return nil
	}
	return regexp.MustCompile(pattern).FindIndex(output)
}

func (a Assert) pattern() (string, bool) {
	text := string(a)
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		return text[1 : len(text)-1], true
	}
	return "", false
}

// Load reads all regressions of a folder, sorted by name. A folder without any
// is an error: what injects nothing proves nothing.
func Load(dir string) ([]*Regression, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []*Regression
	var errs []error
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), Ext)
		if !is {
			continue
		}
		file := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r, err := Parse(name, data)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
			continue
		}
		all = append(all, r)
	}
	if len(all) == 0 && len(errs) == 0 {
		return nil, fmt.Errorf("%s holds no regression, no file *%s", dir, Ext)
	}
	return all, errors.Join(errs...)
}

// Parse reads one regression.
func Parse(name string, data []byte) (*Regression, error) {
	archive := txtar.Parse(data)
	r := &Regression{Name: name}
	var test, assert string
	fields := []field{
		{"what", &r.What}, {"file", &r.File}, {"func", &r.Func}, {"test", &test}, {"assert", &assert}, {"run", &r.Run}, {"build", &r.Build},
	}
	if err := header(string(archive.Comment), fields); err != nil {
		return nil, err
	}
	sections := []field{{"find", &r.Find}, {"replace", &r.Replace}}
	for _, f := range archive.Files {
		if err := set(sections, f.Name, string(f.Data), "section -- "+f.Name+" --"); err != nil {
			return nil, err
		}
	}
	if len(archive.Files) != len(sections) {
		return nil, errors.New("wants the sections -- find -- and -- replace --")
	}
	// A section is text, not lines: the edit may be of a part of one.
	r.Find, r.Replace = strings.TrimSuffix(r.Find, "\n"), strings.TrimSuffix(r.Replace, "\n")
	r.Func, r.Assert = receiver.ReplaceAllString(r.Func, "$1"), Assert(assert)
	if err := r.check(); err != nil || r.Run != "" {
		return r, err
	}
	var ok bool
	if r.Test.Package, r.Test.Name, ok = strings.Cut(test, " "); !ok {
		return nil, fmt.Errorf("test: %q: want a package and the full name of a test, as in ./contracts/sessions TestAttach/v0.3.0/open", test)
	}
	return r, r.checkGo()
}

// receiver is that of a method, written as Go writes it.
var receiver = regexp.MustCompile(`^\(\*?(\w+)\)`)

// field is a line of the header or a section, and where its value goes.
type field struct {
	name string
	to   *string
}

// header reads lines of the form "name: value". Empty lines and those that
// begin with # are for people.
func header(text string, fields []field) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%q: want a line like what: ..., or one that begins with #", line)
		}
		if err := set(fields, name, strings.TrimSpace(value), name+":"); err != nil {
			return err
		}
	}
	return complete(fields)
}

// complete holds that what is needed is there: with a command, nothing that is
// of Go.
func complete(fields []field) error {
	given := make(map[string]bool)
	for _, f := range fields {
		given[f.name] = *f.to != ""
	}
	needed, excluded := []string{"what", "file", "func", "test", "assert"}, []string{"build"}
	if given["run"] {
		needed, excluded = []string{"what", "file", "assert"}, []string{"func", "test"}
	}
	for _, name := range excluded {
		switch {
		case given[name] && given["run"]:
			return fmt.Errorf("%s: is of a regression of Go, and does not go with run", name)
		case given[name]:
			return fmt.Errorf("%s: is of a command, and goes with run", name)
		}
	}
	for _, name := range needed {
		if !given[name] {
			return fmt.Errorf("%s: missing", name)
		}
	}
	return nil
}

func set(fields []field, name, value, where string) error {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	switch {
	case i < 0:
		var known []string
		for _, f := range fields {
			known = append(known, f.name)
		}
		return fmt.Errorf("%s: unknown, there are %q", where, known)
	case *fields[i].to != "":
		return fmt.Errorf("%s: stands there twice", where)
	}
	*fields[i].to = value
	return nil
}

func (r *Regression) check() error {
	pattern, is := r.Assert.pattern()
	_, err := regexp.Compile(pattern)
	switch {
	case path.IsAbs(r.File) || path.Clean(r.File) != r.File || r.File == ".." || strings.HasPrefix(r.File, "../"):
		return fmt.Errorf("file: %q: want a path from the folder of freeze.toml that stays in it", r.File)
	case strings.TrimSpace(r.Find) == "":
		return errors.New("-- find --: empty")
	case r.Find == r.Replace:
		return errors.New("-- replace --: the same as -- find --, so nothing would change")
	case err != nil:
		return fmt.Errorf("assert: %w", err)
	case r.Run != "" && !is:
		return fmt.Errorf("assert: %q: want a pattern of what the command prints, between slashes", r.Assert)
	case r.Run != "" && regexp.MustCompile(pattern).MatchString(""):
		return fmt.Errorf("assert: %q: is also in an output that is empty", r.Assert)
	}
	return nil
}

// checkGo checks what is of Go alone.
func (r *Regression) checkGo() error {
	_, pattern := r.Assert.pattern()
	switch {
	case slices.ContainsFunc(strings.Split(r.Func, "."), func(s string) bool { return !token.IsIdentifier(s) }):
		return fmt.Errorf("func: %q: want Name, Type.Method or (*Type).Method, or the name of a type, variable or constant", r.Func)
	case strings.ContainsAny(r.Test.Name, " \t"):
		return fmt.Errorf("test: %q: the name of a test has no spaces; go test prints underscores for them", r.Test.Name)
	case !pattern && strings.ContainsAny(string(r.Assert), " \t"):
		return fmt.Errorf("assert: %q: want the id of an assertion, or a pattern of its message between slashes", r.Assert)
	}
	return nil
}
