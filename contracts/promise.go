package contracts

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Promises names the Markdown file, by its path from the suite's folder, in
// which the rows of the contract stand: below a heading that begins with the
// row's number, as in "### 13. Validate and apply", the first sentence says
// what is promised. A failing assertion then tells it, for who reads no ids.
func Promises(page string) MainOption {
	return func(p *process) error {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if p.promises = promisesOf(string(text)); len(p.promises) == 0 {
			return fmt.Errorf("%s: no row, which is a heading such as \"### 13. Validate and apply\" and a sentence below it", page)
		}
		return nil
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
	row, _, _ := strings.Cut(id, ".")
	if promise := current.promises[row]; promise != "" {
		return fmt.Sprintf("%s: the promise to %s is broken: %q", f.name(), f.Release, promise)
	}
	return f.name()
}
