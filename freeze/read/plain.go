package read

import (
	"regexp"
	"strings"
)

// What of a message belongs to the box or to the moment. A table that is
// recorded must be the same whenever and wherever it is made.
var (
	timeText = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?`)
	uuidText = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	hexText  = regexp.MustCompile(`\b(0x)?[0-9a-f]{8,}\b`)
)

// plain is a message without them, as JSON can hold it: a program may print
// anything.
func (r *runner) plain(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	root := r.in.Root
	text = strings.NewReplacer(root+"/home", "{home}", root+"/project", "{project}", root, "{box}").Replace(text)
	text = timeText.ReplaceAllString(text, "{time}")
	text = uuidText.ReplaceAllString(text, "{id}")
	return hexText.ReplaceAllString(text, "{hex}")
}

// tell is plain for paths of the box.
func (r *runner) tell(paths []string) []string {
	var told []string
	for _, p := range paths {
		told = append(told, r.plain(p))
	}
	return told
}
