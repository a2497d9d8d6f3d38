package document

import "strings"

// Reason is why something failed, as a document holds it: what other programs
// said is in it, which may be long and in any encoding. It has 4 KiB at most.
func Reason(err error) string {
	const most, more = 4 << 10, " ..."
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len(more)], "") + more
}
