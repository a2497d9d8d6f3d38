package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/rogpeppe/go-internal/txtar"
)

// ext ends the name of every scenario's file.
const ext = ".txtar"

var (
	familyName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)
	plainName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// IsName reports whether a scenario can have that name within its family.
func IsName(name string) bool { return plainName.MatchString(name) }

// Load reads FAMILY/NAME.txtar for every family under dir, sorted by family
// and name. Whatever a release could not run is refused, each with file and
// line. Files beside the families (a stand-in, a README) are left alone.
func Load(dir string) ([]*Scenario, error) {
	families, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	var errs []error
	for _, f := range families {
		if !f.IsDir() {
			continue
		}
		ss, err := loadFamily(filepath.Join(dir, f.Name()), f.Name())
		all = append(all, ss...)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

func loadFamily(dir, family string) ([]*Scenario, error) {
	if !familyName.MatchString(family) || family == "scenarios" {
		return nil, fmt.Errorf("%s: %q is not a name for a family: lower case letters, digits, - and _, and not scenarios", dir, family)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	var errs []error
	for _, f := range files {
		file := filepath.Join(dir, f.Name())
		name, is := strings.CutSuffix(f.Name(), ext)
		switch {
		case !is && filepath.Ext(file) == ".txt":
			errs = append(errs, fmt.Errorf("%s: a scenario ends in %s", file, ext))
		case is && !plainName.MatchString(name):
			errs = append(errs, fmt.Errorf("%s: %q is not a name for a scenario: letters, digits, dot, - and _", file, name))
		case is:
			s, err := loadFile(file, family, name)
			all = append(all, s)
			errs = append(errs, err)
		}
	}
	return all, errors.Join(errs...)
}

func loadFile(file, family, name string) (*Scenario, error) {
	const most = 16 << 20
	data, err := tree.ReadFile(os.DirFS(filepath.Dir(file)), filepath.Base(file), most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Scenario{Family: family, Name: name, File: file, Archive: txtar.Parse(data)}
	if err := s.header(); err != nil {
		return nil, err
	}
	if s.lines, err = script.Lines(s.Archive.Comment); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(s.lines) == 0 {
		return nil, fmt.Errorf("%s: has no command", file)
	}
	if err := script.CheckNames(s.Archive); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, l := range s.lines {
		if err := check(l); err != nil {
			return nil, s.at(l.N, "%w", err)
		}
	}
	return s, nil
}

// at is an error about one line of the script.
func (s *Scenario) at(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{s.File, line}, args...)...)
}

func check(l script.Line) error {
	for _, c := range l.Conds {
		if _, err := (where{}).holds(c.Name); err != nil {
			return err
		}
	}
	switch name := l.Command(); {
	case name == "":
		return errors.New("a condition without a command")
	case strings.HasPrefix(name, "["):
		return fmt.Errorf("condition %q: a condition is one word, as in [release>=v1.2.3]", name)
	case name == "skip" || name == "stop":
		return fmt.Errorf("%s: a scenario is played to its end; what depends on the release is said by since, until and conditions", name)
	case name == "use":
		_, err := used(l)
		return err
	}
	return nil
}

// this is what use calls the release that is being frozen, so that a script
// for many releases can come back to each of them.
const this = "this"

// used is the version that a use command names, or this.
func used(l script.Line) (string, error) {
	args := l.Args()
	if len(args) != 1 || args[0].Vars || args[0].Text != this && !IsRelease(args[0].Text) {
		return "", errors.New("usage: use VERSION, a release as the ledger writes it (v1.2.3), or this for the one that is being frozen")
	}
	return args[0].Text, nil
}
