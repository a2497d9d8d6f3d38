package plain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freeze-contracts/permafrost/internal/plain"
)

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, text, line, lines string }{
		{"text", `it's "é" \n 世`, `it's "é" \n 世`, `it's "é" \n 世`},
		{"lines", "a\tb\nc", "a\tb\\nc", "a\tb\nc"},
		{"a carriage return", "ok\rbad", `ok\rbad`, `ok\rbad`},
		{"the screen cleared", "\x1b[2J", `\x1b[2J`, `\x1b[2J`},
		{"a title, by C1", "\u009d0;t\u009c", `\u009d0;t\u009c`, `\u009d0;t\u009c`},
		{"no UTF-8", "caf\xe9\x9b2J", `caf\xe9\x9b2J`, `caf\xe9\x9b2J`},
		{"direction", "a\u202eb", `a\u202eb`, `a\u202eb`},
		{"the replacement itself", "\ufffd", "\ufffd", "\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tt.line, tt.lines}, []string{plain.Line(tt.text), plain.Lines(tt.text)}); diff != "" {
				t.Errorf("Line, Lines (-want +got)\n%s", diff)
			}
		})
	}
}
