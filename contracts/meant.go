package contracts

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/mod/semver"
)

// meant is what the scripts of a family say of the releases that they are
// for. What such a header may be is freeze's to judge: here it is only read.
type meant []lifetime

type lifetime struct{ scenario, since, until string }

// during lists the scenarios that are for a version.
func (m meant) during(version string) []string {
	var names []string
	for _, l := range m {
		early := l.since != "" && semver.Compare(version, l.since) < 0
		late := l.until != "" && semver.Compare(version, l.until) > 0
		if !early && !late {
			names = append(names, l.scenario)
		}
	}
	return names
}

// readMeant reads the headers of scenarios/FAMILY/NAME.txtar.
func readMeant(fsys fs.FS) (map[string]meant, error) {
	scripts, err := fs.Glob(fsys, "scenarios/*/*.txtar")
	if err != nil {
		return nil, err
	}
	if len(scripts) == 0 {
		return nil, fmt.Errorf("scenarios: %w: nothing says what fixtures a release should have", fs.ErrNotExist)
	}
	all := make(map[string]meant)
	for _, name := range scripts {
		data, err := readFile(fsys, name)
		if err != nil {
			return nil, err
		}
		family := path.Base(path.Dir(name))
		l := header(string(data))
		l.scenario = strings.TrimSuffix(path.Base(name), ".txtar")
		all[family] = append(all[family], l)
	}
	return all, nil
}

// header reads the comments ahead of the first command.
func header(script string) (l lifetime) {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		comment, is := strings.CutPrefix(line, "#")
		if !is && line != "" {
			break
		}
		key, value, _ := strings.Cut(comment, ":")
		switch strings.TrimSpace(key) {
		case "since":
			l.since = strings.TrimSpace(value)
		case "until":
			l.until = strings.TrimSpace(value)
		}
	}
	return l
}
