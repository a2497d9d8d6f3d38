// Package skeleton writes what a project begins with: a freeze.toml, a first
// scenario, a reader script and a CI job, for a Go module with commands, an npm
// package with programs, a Cargo package, a Python project, or whatever a
// command builds.
//
// It knows of a program what the files of its project say, and what the program
// itself says and does in a box. It changes no file that is there.
package skeleton

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/freeze/config"
)

// Family is the first family of scenarios. It takes all that a program writes
// below HOME, XDG folders included, and in the project.
const Family = "state"

// Draft is a freeze.toml that is not written yet.
type Draft struct {
	What      string // what was recognised, such as Go module
	Name      string // of the program
	Toolchain []string
	Build     []string
	BuildEnv  map[string]string
	BoxEnv    map[string]string
	// Setup are the steps of a CI job that bring what the build needs.
	Setup string

	// What Try finds out.
	Tools       []string
	VersionArgs []string // empty where the program does not say its version
	Version     string   // what it said
	Help        []string // the arguments at which it prints something and ends well
}

// First is what a user does first with a program.
type First struct {
	Args []string // of the program; none where nobody knows
	View string   // the arguments at which it says what it keeps, as a script has them
}

// background is what testscript takes for the end of a command that runs in
// the background, also in quotes.
var background = regexp.MustCompile(`^&([A-Za-z0-9_]+&)?$`)

// Check refuses what cannot be a line of a scenario.
func (f First) Check() error {
	for _, text := range append(slices.Clone(f.Args), f.View) {
		switch {
		case strings.ContainsAny(text, "\n\r\x00"):
			return fmt.Errorf("%q: a line of a scenario cannot hold a line's end", text)
		case !utf8.ValidString(text):
			return fmt.Errorf("%q: a scenario is text in UTF-8", text)
		}
	}
	if n := len(f.Args); n > 0 && background.MatchString(f.Args[n-1]) {
		return fmt.Errorf("%q: as the last word of a line it would run the program in the background; do something else first", f.Args[n-1])
	}
	_, err := viewArgs(f.View)
	return err
}

// config is the draft as one that was read.
func (d *Draft) config(dir string) *config.Config {
	return &config.Config{
		Dir:     dir,
		Subject: config.Subject{Name: d.Name, VersionArgs: d.VersionArgs},
		Provider: config.Provider{
			Kind: config.Git, Toolchain: d.Toolchain, Build: d.Build, Env: d.BuildEnv,
		},
		Box:    config.Box{Tools: d.Tools, Env: d.BoxEnv},
		Family: map[string]config.Family{Family: {Roots: []string{"{home}", "{project}"}}},
	}
}

// File is one that Write makes.
type File struct{ Path, Text string }

// Files are all files of a beginning. freeze is the version of freeze that the
// CI job installs.
func (d *Draft) Files(first First, freeze string) []File {
	files := []File{
		{config.Name, d.toml()},
		{path.Join("fixtures", ".gitattributes"), attributes},
		{path.Join("fixtures", "scenarios", Family, "first.txtar"), Scenario(d.Name, first, d.Help, "{project}")},
		{path.Join(".github", "workflows", "freeze.yml"), d.job(first, freeze)},
	}
	if first.View != "" {
		files = append(files, File{path.Join(readers, Family+".txtar"), Reader(Family, d.Name, first.View)})
	}
	return files
}

// readers is the folder of reader scripts.
const readers = "contracts/read"

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
