package scenario

import (
	"fmt"
	"regexp"

	"github.com/freeze-contracts/permafrost/sandbox/script"
)

var releaseCond = regexp.MustCompile(`^release(>=|<=|>|<|=)(\S+)$`)

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
	m := releaseCond.FindStringSubmatch(cond)
	if m == nil || !isRelease(m[2]) {
		return false, fmt.Errorf("condition [%s]: a scenario knows [release>=v1.2.3] (also <=, >, <, = and no blanks) and [tmux], nothing else", cond)
	}
	c := compare(w.version, m[2])
	switch m[1] {
	case ">=":
		return c >= 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	case "<":
		return c < 0, nil
	}
	return c == 0, nil
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
