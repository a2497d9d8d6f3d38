package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersion(t *testing.T) {
	for said, want := range map[string]string{
		"git version 2.39.5\n":                 "2.39.5",
		"git version 2.39.5 (Apple Git-154)\n": "2.39.5",
		"tmux 3.3a\n":                          "3.3a",
		"tmux next-3.6\n":                      "next-3.6",
		"":                                     "",
	} {
		if got := version(said); got != want {
			t.Errorf("version(%q) = %q, want %q", said, got, want)
		}
	}
}

func TestOutermost(t *testing.T) {
	got := outermost([]string{"project/a/b", "home/x/", "home/xy", "project/a", "home/x/z", "project/a"})
	if d := cmp.Diff([]string{"home/x", "home/xy", "project/a"}, got); d != "" {
		t.Errorf("outermost (-want +got)\n%s", d)
	}
}

func TestSnapshotChanged(t *testing.T) {
	before := snapshot{"home": "d", "home/a": "1", "home/b": "1", "home/c": "1"}
	after := snapshot{"home": "d", "home/a": "1", "home/b": "2", "home/d": "1"}
	if d := cmp.Diff([]string{"home/b", "home/c", "home/d"}, before.changed(after)); d != "" {
		t.Errorf("changed (-want +got)\n%s", d)
	}
}
