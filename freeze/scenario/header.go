package scenario

import (
	"regexp"
	"strings"
)

// headerLine is a comment of one word, a colon and a value. An address in a
// comment (https://...) is none.
var headerLine = regexp.MustCompile(`^#\s*([A-Za-z][A-Za-z_-]*)\s*:(?:$|[^/].*)`)

// header reads since and until from the comments ahead of the first command.
// Anything else of that form is refused there, and the two are refused further
// down: a bound that is not read would be no bound.
func (s *Scenario) header() error {
	inHeader := true
	for i, line := range strings.Split(string(s.Archive.Comment), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			inHeader = false
		}
		m := headerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		_, value, _ := strings.Cut(line, ":")
		if err := s.headerKey(i+1, inHeader, m[1], strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	if s.Since != "" && s.Until != "" && compare(s.Since, s.Until) > 0 {
		return s.at(1, "since %s is after until %s", s.Since, s.Until)
	}
	return nil
}

func (s *Scenario) headerKey(line int, inHeader bool, key, value string) error {
	bound := map[string]*string{"since": &s.Since, "until": &s.Until}[key]
	switch {
	case !inHeader && bound == nil:
		return nil
	case !inHeader:
		return s.at(line, "%s: belongs ahead of the first command", key)
	case bound == nil:
		return s.at(line, "header %q is not known; there are since and until", key)
	case *bound != "":
		return s.at(line, "%s: is there twice", key)
	case !isRelease(value):
		return s.at(line, "%s: %q is not a release, as in v1.2.3", key, value)
	}
	*bound = value
	return nil
}
