package read_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/read"
)

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.txtar":     "# family: notes\n# scenario: add*\n# since: v1.1.0\n# reader-until: v2.0.0\nread list note list\nuse fixture\n",
		"a.txtar":     "# What this is for.\n# family: notes\nread list note list\n-- x --\n",
		"matrix.json": "{}",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	scripts, err := read.Load(dir)
	require.NoError(t, err)
	require.Len(t, scripts, 2)
	a, b := scripts[0], scripts[1]
	require.Equal(t, []string{"a", "notes", "b", "notes"}, []string{a.Name, a.Family, b.Name, b.Family})
	got := []bool{
		a.For("v1.0.0", "add"), b.For("v1.0.0", "add"), b.For("v1.1.0", "added"), b.For("v1.1.0", "sync"),
		a.ReadBy("v1.0.0", "v2.0.0"), b.ReadBy("v1.1.0", "v1.1.0"), b.ReadBy("v1.1.0", "v1.2.0"), b.ReadBy("HEAD", "v1.1.0"), b.ReadBy("v2.0.0", "v1.1.0"),
	}
	want := []bool{true, false, true, false, true, true, false, false, true}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("For and ReadBy (-want +got)\n%s", d)
	}
}

func TestScenarioPatterns(t *testing.T) {
	for _, tt := range []struct {
		patterns string
		want     []bool // for add, added and sync
	}{
		{"", []bool{true, true, true}},
		{"add", []bool{true, false, false}},
		{"add sync", []bool{true, false, true}},
		{"add*", []bool{true, true, false}},
		{"!add", []bool{false, true, true}},
		{"!add !sync", []bool{false, true, false}},
		{"add* !added", []bool{true, false, false}},
	} {
		s := read.Script{Scenarios: strings.Fields(tt.patterns)}
		got := []bool{s.For("v1.0.0", "add"), s.For("v1.0.0", "added"), s.For("v1.0.0", "sync")}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", tt.patterns, d)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"read list note list\n", "s.txtar:1: for which fixtures? Begin with a line # family: NAME"},
		{"# family: notes\n# scenrio: a\nread x y\n", `s.txtar:2: header "scenrio" is not known; there are family, reader-since, reader-until, scenario, since and until`},
		{"# family: notes\n# scenario: [\nread x y\n", `s.txtar:2: scenario: "[": syntax error in pattern`},
		{"# family: notes\n# since: 1.0\nread x y\n", `s.txtar:2: since: "1.0" is not a release, as in v1.2.3`},
		{"# family: notes\n# since: v2.0.0\n# until: v1.0.0\nread x y\n", "s.txtar:1: since v2.0.0 is after until v1.0.0"},
		{"# family: notes\nread x y\n# until: v1.0.0\n", "s.txtar:3: until: belongs ahead of the first command"},
		{"# family: notes\n[release>=v1.0.0] read x y\n", "s.txtar:2: condition [release>=v1.0.0]: a reader script knows [reader>=v1.2.3] and [fixture>=v1.2.3]"},
		{"# family: notes\n[linux] read x y\n", "s.txtar:2: condition [linux]: a reader script knows"},
		{"# family: notes\n[tmux]\n", "s.txtar:2: a condition without a command"},
		{"# family: notes\nskip\n", "s.txtar:2: skip: a reader script is played to its end"},
		{"# family: notes\nuse newest\n", "s.txtar:2: usage: use VERSION"},
		{"# family: notes\nuse\n", "s.txtar:2: usage: use VERSION"},
		{"# family: notes\nread 'x y\n", "line 2: the quote that begins in"},
		{"# family: notes\nread x y\n-- ../x --\n", `file "../x": not a plain relative path`},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "s.txtar"), []byte(tt.text), 0o644))
		_, err := read.Load(dir)
		require.ErrorContains(t, err, tt.want, tt.text)
	}
	_, err := read.Load(t.TempDir())
	require.ErrorContains(t, err, "no reader script is there (NAME.txtar); freeze new FAMILY/NAME --view ARGS -- ARG... writes one")
	gone := filepath.Join(t.TempDir(), "gone")
	_, err = read.Load(gone)
	require.EqualError(t, err, gone+": no reader script is there (NAME.txtar); freeze new FAMILY/NAME --view ARGS -- ARG... writes one")
}
