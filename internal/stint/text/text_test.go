package text_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"text", `+ "é" \ 漢`, `+ "é" \ 漢`},
		{"a tab", "\tx", "        x"},
		{"a tab after text", "+ab\tx", "+ab     x"},
		{"a tab at a stop", "12345678\tx", "12345678        x"},
		{"a tab after what is written longer", "\x1b\tx", `\x1b    x`},
		{"an escape sequence", "a\x1b]0;t\a", `a\x1b]0;t\a`},
		{"a carriage return", "a\r", `a\r`},
		{"no UTF-8", "caf\xe9.", `caf\xe9.`},
		{"a replacement character that is one", "\ufffd", "\ufffd"},
		{"a turn of direction", "a\u202eb", `a\u202eb`},
		{"a C1 control", "a\u009bb", `a\u009bb`},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, text.Line(tt.in)); diff != "" {
				t.Errorf("Line(%q) (-want +got)\n%s", tt.in, diff)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a b", "a b"},
		{"a\nb", `"a\nb"`},
		{"\x1b[31m", `"\x1b[31m"`},
		{"\xff", `"\xff"`},
	} {
		if diff := cmp.Diff(tt.want, text.Plain(tt.in)); diff != "" {
			t.Errorf("Plain(%q) (-want +got)\n%s", tt.in, diff)
		}
	}
}
