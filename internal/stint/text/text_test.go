package text_test

import (
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
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

func TestRun(t *testing.T) {
	exit := 3
	m := &artifact.Manifest{
		Head: readers.Head{ID: "9b3d5a6f1c28"}, Kind: artifact.Turn, State: artifact.Interrupted, Harness: "sh", Prompt: "two\nlines\x1b[2J", Exit: &exit,
		Root: "/w", Base: "abc", PatchSHA256: "def", PatchSize: 12, Failure: "no\nspace",
		Files: []artifact.File{
			{Path: "a b", NewMode: "100644"}, {Path: "c\x1b", OldMode: "100644"},
			{Path: "d", OldMode: "100644", NewMode: "100755"}, {Path: "e", OldMode: "120000", NewMode: "120000"},
		},
	}
	want := `run          9b3d5a6f1c28
kind         run
state        interrupted
harness      sh
prompt       "two\nlines\x1b[2J"
exit         3
worktree     /w
base         abc
patch        12 bytes, sha256 def
failure      "no\nspace"
  added    a b
  deleted  "c\x1b"
  changed  d (mode 100644 to 100755)
  changed  e
`
	var got strings.Builder
	text.Run(&got, m)
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("Run (-want +got)\n%s", diff)
	}
}

func TestPatch(t *testing.T) {
	want := []string{"@@ -1 +1 @@", `+\x1b[2J\r`, `-caf\xe9`, "", "no end"}
	if diff := cmp.Diff(want, text.Patch([]byte("@@ -1 +1 @@\n+\x1b[2J\r\n-caf\xe9\n\nno end"))); diff != "" {
		t.Errorf("Patch (-want +got)\n%s", diff)
	}
}
