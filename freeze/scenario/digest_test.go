package scenario_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/google/go-cmp/cmp"
)

const story = `# One note.
# since: v1.0.0
exec demo add 'a b'
! exec demo rm nothing
-- a.txt --
one
`

func TestDigest(t *testing.T) {
	base := load(t, story).Digest("v1.0.0")
	for _, tt := range []struct {
		name, text, version string
		same                bool
	}{
		{"another release", story, "v1.1.0", true},
		{"comments and blanks", "# Else.\n\nexec  demo\tadd 'a b' # so\n\n# more\n! exec demo rm nothing\n-- a.txt --\none\n", "v1.0.0", true},
		{"a line for a later release", "exec demo add 'a b'\n[release>=v1.1.0] exec demo new\n! exec demo rm nothing\n-- a.txt --\none\n", "v1.0.0", true},
		{"that line in its release", "exec demo add 'a b'\n[release>=v1.1.0] exec demo new\n! exec demo rm nothing\n-- a.txt --\none\n", "v1.1.0", false},
		{"that line at head", "exec demo add 'a b'\n[release>=v1.1.0] exec demo new\n! exec demo rm nothing\n-- a.txt --\none\n", scenario.Head, false},
		{"a line that came to have a condition", "[release>=v1.0.0] exec demo add 'a b'\n! exec demo rm nothing\n-- a.txt --\none\n", "v1.0.0", true},
		{"a line negated by release", "exec demo add 'a b'\n[!release<v1.1.0] exec demo new\n! exec demo rm nothing\n-- a.txt --\none\n", "v1.0.0", true},
		{"a line on tmux", "exec demo add 'a b'\n! exec demo rm nothing\n[tmux] exec demo new\n-- a.txt --\none\n", "v1.0.0", false},
		{"negation gone", "exec demo add 'a b'\nexec demo rm nothing\n-- a.txt --\none\n", "v1.0.0", false},
		{"quotes gone", "exec demo add a b\n! exec demo rm nothing\n-- a.txt --\none\n", "v1.0.0", false},
		{"variable quoted", "exec demo add 'a b'\n! exec demo rm '$nothing'\n-- a.txt --\none\n", "v1.0.0", false},
		{"order", "! exec demo rm nothing\nexec demo add 'a b'\n-- a.txt --\none\n", "v1.0.0", false},
		{"a file's content", "exec demo add 'a b'\n! exec demo rm nothing\n-- a.txt --\ntwo\n", "v1.0.0", false},
		{"a file's name", "exec demo add 'a b'\n! exec demo rm nothing\n-- b.txt --\none\n", "v1.0.0", false},
		{"a file more", "exec demo add 'a b'\n! exec demo rm nothing\n-- a.txt --\none\n-- c --\n", "v1.0.0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := load(t, tt.text).Digest(tt.version) == base; same != tt.same {
				t.Errorf("digest is the same: %v, want %v", same, tt.same)
			}
		})
	}
	if d := cmp.Diff(load(t, "[tmux] exec x\n").Digest("v1.0.0"), load(t, "[!tmux] exec x\n").Digest("v1.0.0")); d == "" {
		t.Error("[tmux] and [!tmux] have the same digest")
	}
}

// The digest is kept in manifests, so what it is computed over must not drift.
func TestDigestIsPinned(t *testing.T) {
	// sha256sum of the four parts, each with its length as digest.go documents it.
	const want = "6349484bd95ae49ede3dc85912ca051f288f741005f7cbea4f008e7580d81615"
	if got := load(t, story).Digest("v1.0.0"); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestUses(t *testing.T) {
	s := load(t, "use v1.10.0\nexec x\n[release>=v2.0.0] use v2.0.0\nuse v1.9.0\nuse this\nuse v1.10.0\n")
	if d := cmp.Diff([]string{"v1.9.0", "v1.10.0", "v2.0.0"}, s.Uses()); d != "" {
		t.Errorf("Uses (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"v1.9.0", "v1.10.0"}, s.UsesFor("v1.10.0")); d != "" {
		t.Errorf("UsesFor(v1.10.0) (-want +got)\n%s", d)
	}
}
