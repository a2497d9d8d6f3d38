package scenario

import (
	"fmt"
	"regexp"

	"github.com/freeze-contracts/permafrost/sandbox/script"
)

var versionCond = regexp.MustCompile(`^([a-z]+)(>=|<=|>|<|=)(\S+)$`)

// Holds decides a condition on the version that word stands for: release>=v1.2.3.
// What is none, for that word, is not ok.
func Holds(cond, word, version string) (holds, ok bool) {
	m := versionCond.FindStringSubmatch(cond)
	if m == nil || m[1] != word || !IsRelease(m[3]) {
		return false, false
	}
	c := Compare(version, m[3])
	switch m[2] {
	case ">=":
		return c >= 0, true
	case "<=":
		return c <= 0, true
	case ">":
		return c > 0, true
	case "<":
		return c < 0, true
	}
	return c == 0, true
}

// where is what conditions are decided by: never the machine.
type where struct {
	version string
	tmux    bool // the subject's box has a tmux
}

// holds decides one condition, without its negation.
func (w where) holds(cond string) (bool, error) {
	if cond == "tmux" {
		return w.tmux, nil
	}
	holds, ok := Holds(cond, "release", w.version)
	if !ok {
		return false, fmt.Errorf("condition [%s]: a scenario knows [release>=v1.2.3] (also <=, >, <, = and no blanks) and [tmux], nothing else", cond)
	}
	return holds, nil
}

// inEffect are the lines that could be played for version. A box with tmux and
// one without are not told apart: that is one subject or another, not one
// release or another.
func (s *Scenario) inEffect(version string) []script.Line {
	var lines []script.Line
	for _, l := range s.lines {
		if applies(l, version) {
			lines = append(lines, l)
		}
	}
	return lines
}

func applies(l script.Line, version string) bool {
	for _, c := range l.Conds {
		if c.Name == "tmux" {
			continue
		}
		// Load has refused what holds could not decide.
		if ok, _ := (where{version: version}).holds(c.Name); ok == c.Neg {
			return false
		}
	}
	return true
}
