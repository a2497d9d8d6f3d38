package session

import (
	"regexp"
	"strings"

	"github.com/freeze-contracts/permafrost/readers"
)

// workItem is owner, repository and number, as GitHub allows them but for
// repositories named . and ..
var workItem = regexp.MustCompile(`^github:[a-z0-9](?:-?[a-z0-9]){0,38}/[a-z0-9._-]{1,100}#[1-9][0-9]{0,9}$`)

// WorkItem reports whether s is a reference to a work item, in its one
// spelling: github:OWNER/REPO#NUMBER in lower case.
func WorkItem(s string) bool {
	return workItem.MatchString(s) && !strings.Contains(s, "/.#") && !strings.Contains(s, "/..#")
}

// Slug is the reference of a work item as a name. Two references may have the
// same: a-b/c#1 and a/b-c#1.
func Slug(item string) string {
	return strings.Map(func(r rune) rune {
		if readers.Name("x" + string(r)) {
			return r
		}
		return '-'
	}, item)
}

// StandingName reports whether s can name a standing session: 1 to 32
// lower-case letters, digits and hyphens, with a letter or digit at both ends.
func StandingName(s string) bool { return len(s) <= 32 && readers.ID(s) }
