package skeleton

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Recognise finds out what the project in dir is and how its program is built.
// name is the program, where there are several; empty for the only one.
func Recognise(dir, name string) (*Draft, error) {
	for _, kind := range []struct {
		file      string
		recognise func(dir, name string) (*Draft, error)
	}{{"go.mod", goModule}, {"Cargo.toml", cargo}, {"pyproject.toml", python}, {"package.json", npm}} {
		if _, err := os.Stat(filepath.Join(dir, kind.file)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		d, err := kind.recognise(dir, name)
		if errors.Is(err, errNoProgram) {
			continue // a package.json beside a go.mod may be for its web pages
		}
		if err == nil {
			err = checkBuild(d.Build)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, kind.file), err)
		}
		return d, nil
	}
	return nil, fmt.Errorf("%q holds no Go module with a command, Cargo package or Python project with a program, or npm package with a bin; say --command CMD, which leaves the program in {bin}, and --name NAME", dir)
}

// errNoProgram says that a project makes no program.
var errNoProgram = errors.New("no program")

// Command is the draft of a project whose program a shell command builds.
func Command(name, command string) (*Draft, error) {
	if !strings.Contains(command, "{bin}") {
		return nil, fmt.Errorf("--command %q names {bin} nowhere: that is the folder in which it has to leave the program, as in cp %s \"{bin}/%s\"", command, name, name)
	}
	if err := checkName(name); err != nil {
		return nil, fmt.Errorf("%w; say --name NAME", err)
	}
	d := &Draft{What: "a command", Name: name, Build: []string{"sh", "-euc", command}}
	return d, checkBuild(d.Build)
}

// checkBuild refuses what freeze.toml cannot hold.
func checkBuild(words []string) error {
	for _, w := range words {
		switch {
		case !utf8.ValidString(w):
			return fmt.Errorf("the command that builds it holds %q, which is no text in UTF-8", w)
		case strings.Contains(w, "\x00"):
			return fmt.Errorf("the command that builds it holds %q, which has a zero byte", w)
		}
	}
	return nil
}

// checkName refuses what cannot be the name of a program.
func checkName(name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`).MatchString(name) {
		return fmt.Errorf("%q is no name of a program: letters, digits and . _ + -", name)
	}
	return nil
}

// choose is the one program that is meant: the one called name, the only one,
// or the one that is called like the project.
func choose(programs []string, name, project string) (string, error) {
	switch {
	case len(programs) == 0:
		return "", errNoProgram
	case name != "" && slices.Contains(programs, name):
		return name, checkName(name)
	case name != "":
		return "", fmt.Errorf("there is no program %q, there is %s", name, strings.Join(programs, ", "))
	case len(programs) == 1:
		return programs[0], checkName(programs[0])
	case slices.Contains(programs, project):
		return project, checkName(project)
	}
	return "", fmt.Errorf("there are several programs: %s; choose one with --name", strings.Join(programs, ", "))
}

// setup is one step of a CI job.
func setup(action string, with ...string) string {
	text := "      - uses: " + action + "\n"
	for i, w := range with {
		if i == 0 {
			text += "        with:\n"
		}
		text += "          " + w + "\n"
	}
	return text
}
