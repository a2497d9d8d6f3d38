package scenario

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// headerLine is a comment of one word, a colon and a value. An address in a
// comment (https://...) is none.
var headerLine = regexp.MustCompile(`^#\s*([A-Za-z][A-Za-z_-]*)\s*:(?:$|[^/].*)`)

// Header reads the comments of a script that say KEY: VALUE. Each key takes
// its value, and may refuse it. A key that is not known is refused ahead of
// the first command, and one that is known further down: a bound that is not
// read would be no bound. at makes an error about a line.
func Header(comment []byte, keys map[string]func(value string) error, at func(line int, format string, args ...any) error) error {
	inHeader, seen := true, make(map[string]bool)
	for i, line := range strings.Split(string(comment), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			inHeader = false
		}
		m := headerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		key := m[1]
		take := keys[key]
		switch {
		case !inHeader && take == nil:
			continue
		case !inHeader:
			return at(i+1, "%s: belongs ahead of the first command", key)
		case take == nil:
			return at(i+1, "header %q is not known; there are %s", key, listed(slices.Sorted(maps.Keys(keys))))
		case seen[key]:
			return at(i+1, "%s: is there twice", key)
		}
		seen[key] = true
		_, value, _ := strings.Cut(line, ":")
		if err := take(strings.TrimSpace(value)); err != nil {
			return at(i+1, "%s: %w", key, err)
		}
	}
	return nil
}

// listed is a list as a sentence has it: a, b and c.
func listed(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Bound is a key of a header that takes a release.
func Bound(to *string) func(string) error {
	return func(value string) error {
		if !IsRelease(value) {
			return fmt.Errorf("%q is not a release, as in v1.2.3", value)
		}
		*to = value
		return nil
	}
}

// Between reports whether version lies within bounds that are inclusive, and
// none where they are empty.
func Between(since, until, version string) bool {
	return (since == "" || Compare(version, since) >= 0) && (until == "" || Compare(version, until) <= 0)
}

// CheckBounds refuses bounds between which nothing lies.
func CheckBounds(since, until string) error {
	if since != "" && until != "" && Compare(since, until) > 0 {
		return errors.New("since " + since + " is after until " + until)
	}
	return nil
}

func (s *Scenario) header() error {
	keys := map[string]func(string) error{"since": Bound(&s.Since), "until": Bound(&s.Until)}
	if err := Header(s.Archive.Comment, keys, s.at); err != nil {
		return err
	}
	if err := CheckBounds(s.Since, s.Until); err != nil {
		return s.at(1, "%w", err)
	}
	return nil
}
