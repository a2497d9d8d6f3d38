package tmux

import (
	"fmt"
	"strings"
)

// quote writes a value so that tmux's parser, reading commands from standard
// input, takes it back byte for byte. NUL cannot be passed and is an error.
//
// Single quotes are no way: tmux eats newlines and # inside of them, and a raw
// 0xFF ends its parser, which then still runs what it has. A quoted ~ would
// become the home folder.
func quote(value string) (string, error) {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(value) {
		switch c := value[i]; {
		case c == 0:
			return "", fmt.Errorf("value of %d bytes: NUL at offset %d cannot be passed to tmux", len(value), i)
		case c == '\\' || c == '"' || c == '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c >= 0x7f || c == '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}
