package script_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	const text = "# a comment\n\n   # indented\nexec demo 'a  b' $HOME # tail\r\n" +
		"[tmux] [!release>=v1.0.0]\t! exec it''s 'it''s' x'y z'w '$no'\n[ tmux ] x\n[tmux]\n!\n"
	got, err := script.Lines([]byte(text))
	require.NoError(t, err)
	want := []script.Line{
		{N: 4, Text: "exec demo 'a  b' $HOME # tail\r", Words: []script.Word{
			{Raw: "exec", Text: "exec"}, {Raw: "demo", Text: "demo"}, {Raw: "'a  b'", Text: "a  b"}, {Raw: "$HOME", Text: "$HOME", Vars: true},
		}},
		{N: 5, Text: "[tmux] [!release>=v1.0.0]\t! exec it''s 'it''s' x'y z'w '$no'", Neg: true,
			Conds: []script.Cond{{Name: "tmux"}, {Neg: true, Name: "release>=v1.0.0"}},
			Words: []script.Word{
				{Raw: "exec", Text: "exec"}, {Raw: "it''s", Text: "its"}, {Raw: "'it''s'", Text: "it's"},
				{Raw: "x'y z'w", Text: "xy zw"}, {Raw: "'$no'", Text: "$no"},
			}},
		{N: 6, Text: "[ tmux ] x", Words: []script.Word{
			{Raw: "[", Text: "["}, {Raw: "tmux", Text: "tmux"}, {Raw: "]", Text: "]"}, {Raw: "x", Text: "x"},
		}},
		{N: 7, Text: "[tmux]", Conds: []script.Cond{{Name: "tmux"}}, Words: []script.Word{}},
		{N: 8, Text: "!", Neg: true, Words: []script.Word{}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Lines (-want +got)\n%s", d)
	}
	for _, l := range got[3:] {
		if l.Command() != "" || len(l.Args()) != 0 {
			t.Errorf("%q has the command %q with %v", l.Text, l.Command(), l.Args())
		}
	}
}

func TestLinesRefusesAnOpenQuote(t *testing.T) {
	_, err := script.Lines([]byte("exec a\nexec 'b c\n"))
	require.EqualError(t, err, `line 2: the quote that begins in "'b c" has no end`)
}

func TestCheckNames(t *testing.T) {
	for _, tt := range []struct {
		names []string
		ok    bool
	}{
		{[]string{"a", "a b/c", "-x", "ü/..x", ".hidden"}, true},
		{[]string{"/a"}, false},
		{[]string{"../a"}, false},
		{[]string{"a/../../b"}, false},
		{[]string{"a/../b"}, false},
		{[]string{"./a"}, false},
		{[]string{"a//b"}, false},
		{[]string{"a/"}, false},
		{[]string{"."}, false},
		{[]string{".."}, false},
		{[]string{"a", "b", "a"}, false},
	} {
		a := new(txtar.Archive)
		for _, name := range tt.names {
			a.Files = append(a.Files, txtar.File{Name: name})
		}
		if err := script.CheckNames(a); (err == nil) != tt.ok {
			t.Errorf("%q: %v, want ok %v", tt.names, err, tt.ok)
		}
	}
}
