package read

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/sandbox/script"
)

const (
	ext     = ".txtar"
	largest = 16 << 20 // bytes of a script
)

// Script is one reader script.
type Script struct {
	Name, File   string
	Family       string
	Scenarios    []string // patterns of path.Match; one with ! ahead excludes
	Since, Until string   // releases whose fixtures it is for; inclusive
	// The readers it is for; inclusive.
	ReaderSince, ReaderUntil string
	Archive                  *txtar.Archive

	lines []script.Line
}

// For reports whether the script is for a scenario's fixture of a release.
func (s *Script) For(version, name string) bool {
	return s.matches(name) && scenario.Between(s.Since, s.Until, version)
}

func (s *Script) matches(name string) bool {
	named, match := false, false
	for _, p := range s.Scenarios {
		p, not := strings.CutPrefix(p, "!")
		is, _ := path.Match(p, name) // it is sound: header has tried it
		if not && is {
			return false
		}
		named, match = named || !not, match || is
	}
	return match || !named
}

// take reads the patterns of a header.
func (s *Script) take(patterns string) error {
	s.Scenarios = strings.Fields(patterns)
	for _, p := range s.Scenarios {
		if _, err := path.Match(strings.TrimPrefix(p, "!"), ""); err != nil {
			return fmt.Errorf("%q: %w", p, err)
		}
	}
	return nil
}

// ReadBy reports whether the script is for the programs of a version on a
// fixture of release. One that comes back to the fixture's own programs is for
// what a newer program had done meanwhile.
func (s *Script) ReadBy(version, release string) bool {
	comesBack := slices.ContainsFunc(s.lines, func(l script.Line) bool { return l.Command() == "use" && l.Args()[0].Text == fromFixture })
	return scenario.Between(s.ReaderSince, s.ReaderUntil, version) && (!comesBack || scenario.Compare(version, release) >= 0)
}

// uses lists the versions that the script switches to on a fixture of release,
// but for the reader itself.
func (s *Script) uses(release string) []string {
	var versions []string
	for _, l := range s.lines {
		if l.Command() != "use" || l.Args()[0].Text == This {
			continue
		}
		v := l.Args()[0].Text
		if v == fromFixture {
			v = release
		}
		versions = append(versions, v)
	}
	slices.SortFunc(versions, scenario.Compare)
	return slices.Compact(versions)
}

// Load reads the scripts of a folder, sorted by name.
func Load(dir string) ([]*Script, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reader scripts: %w", err)
	}
	var all []*Script
	var errs []error
	for _, f := range files {
		name, is := strings.CutSuffix(f.Name(), ext)
		if !is {
			continue
		}
		s, err := loadFile(filepath.Join(dir, f.Name()), name)
		all, errs = append(all, s), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no reader script is there (NAME%s); freeze new FAMILY/NAME --view ARGS -- ARG... writes one", dir, ext)
	}
	return all, nil
}

func loadFile(file, name string) (*Script, error) {
	data, err := tree.ReadFile(os.DirFS(filepath.Dir(file)), filepath.Base(file), largest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Script{Name: name, File: file, Archive: txtar.Parse(data)}
	if err := s.header(); err != nil {
		return nil, err
	}
	if s.lines, err = script.Lines(s.Archive.Comment); err == nil {
		err = script.CheckNames(s.Archive)
	}
	if err != nil {
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
func (s *Script) at(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{s.File, line}, args...)...)
}

func (s *Script) header() error {
	keys := map[string]func(string) error{
		"family":       func(v string) error { s.Family = v; return nil },
		"scenario":     s.take,
		"since":        scenario.Bound(&s.Since),
		"until":        scenario.Bound(&s.Until),
		"reader-since": scenario.Bound(&s.ReaderSince),
		"reader-until": scenario.Bound(&s.ReaderUntil),
	}
	if err := scenario.Header(s.Archive.Comment, keys, s.at); err != nil {
		return err
	}
	if s.Family == "" {
		return s.at(1, "for which fixtures? Begin with a line # family: NAME")
	}
	err := errors.Join(scenario.CheckBounds(s.Since, s.Until), scenario.CheckBounds(s.ReaderSince, s.ReaderUntil))
	if err != nil {
		return s.at(1, "%w", err)
	}
	return nil
}

func check(l script.Line) error {
	for _, c := range l.Conds {
		if _, err := (where{}).holds(c.Name); err != nil {
			return err
		}
	}
	switch l.Command() {
	case "":
		return errors.New("a condition without a command")
	case "skip", "stop":
		return fmt.Errorf("%s: a reader script is played to its end; what it is for is said by its header and by conditions", l.Command())
	case "use":
		return checkUse(l)
	}
	return nil
}

// fromFixture is what use calls the release that left the fixture.
const fromFixture = "fixture"

func checkUse(l script.Line) error {
	args := l.Args()
	if len(args) == 1 && !args[0].Vars && (args[0].Text == This || args[0].Text == fromFixture || scenario.IsRelease(args[0].Text)) {
		return nil
	}
	return errors.New("usage: use VERSION, a release as the ledger writes it (v1.2.3), or this for the reader, or fixture for the release that left the fixture")
}

// where is what conditions are decided by.
type where struct {
	Reader  string   `json:"reader"`
	Release string   `json:"release"`
	Views   []string `json:"views"`
	Tmux    bool     `json:"tmux"`
}

// holds decides one condition, without its negation.
func (w where) holds(cond string) (bool, error) {
	if cond == "tmux" {
		return w.Tmux, nil
	}
	if name, is := strings.CutPrefix(cond, "view:"); is {
		return slices.Contains(w.Views, name), nil
	}
	if holds, ok := scenario.Holds(cond, "fixture", w.Release); ok {
		return holds, nil
	}
	if holds, ok := scenario.Holds(cond, "reader", w.Reader); ok {
		return holds, nil
	}
	return false, fmt.Errorf("condition [%s]: a reader script knows [reader>=v1.2.3] and [fixture>=v1.2.3] (also <=, >, <, = and no blanks), [view:NAME] and [tmux], nothing else", cond)
}
