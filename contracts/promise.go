package contracts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Promises names the Markdown file, by its path from the suite's folder, in
// which the rows of the contract stand: below a heading that begins with the
// row's number, as in "### 13. Validate and apply", the first sentence says
// what is promised. A failing assertion then tells it, for who reads no ids.
func Promises(page string) MainOption {
	return func(p *process) {
		// As long as no test has changed the folder. It is read once something
		// fails: a suite that is run elsewhere, as another user, has no page.
		page, err := filepath.Abs(page)
		p.promise = sync.OnceValues(func() (map[string]string, error) {
			text, readErr := os.ReadFile(page)
			return promisesOf(string(text)), errors.Join(err, readErr)
		})
	}
}

var (
	rowHeading    = regexp.MustCompile(`^#+ ([0-9]+)\. (.+)$`)
	firstSentence = regexp.MustCompile(`^.*?\.( |$)`)
)

// promisesOf are the titles and first sentences of the rows in a page, by the
// row as it begins an assertion id.
func promisesOf(page string) map[string]string {
	rows := make(map[string]string)
	row := "" // whose sentence is still to come
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		switch is := rowHeading.FindStringSubmatch(line); {
		case is != nil:
			row = "r" + is[1]
			rows[row] = is[2]
		case strings.HasPrefix(line, "#"):
			row = ""
		case row != "" && line != "":
			sentence := firstSentence.FindString(line)
			if sentence == "" {
				sentence = line
			}
			rows[row] += ": " + strings.TrimSuffix(strings.TrimSpace(sentence), ".")
			row = ""
		}
	}
	return rows
}

// broken names the fixture in a message, and what was promised to its release
// where the suite has said that.
func (f *Fixture) broken(id string) string {
	if current.promise == nil {
		return f.name()
	}
	row, _, _ := strings.Cut(id, ".")
	promises, err := current.promise()
	switch {
	case err != nil:
		return fmt.Sprintf("%s: a promise to %s is broken, and which cannot be told: %v", f.name(), f.Release, err)
	case promises[row] == "":
		return f.name()
	}
	return fmt.Sprintf("%s: the promise to %s is broken: %q", f.name(), f.Release, promises[row])
}
