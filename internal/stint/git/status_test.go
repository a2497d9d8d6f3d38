package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The status is the one that git prints as version 1, in whose order conflicts
// stand among the rest, with HEAD beside it.
func TestStatus(t *testing.T) {
	for name, do := range map[string]func(p place){
		"nothing":  func(place) {},
		"all work": work,
		"odd names": func(p place) {
			p.write(p.tree, " a b\tc\nd", "")
			p.write(p.tree, "e f", "")
			p.git(p.tree, "add", "e f")
			p.git(p.tree, "mv", "a.txt", "moved . .")
		},
		"told of and not there": func(p place) {
			p.write(p.tree, "new", "")
			p.git(p.tree, "add", "-N", "new")
			require.NoError(p.t, os.Remove(filepath.Join(p.tree.Dir, "new")))
			p.git(p.tree, "rm", "-q", "--cached", "a.txt")
		},
		"conflicts": func(p place) {
			for _, side := range []string{"ours", "theirs"} {
				p.git(p.tree, "checkout", "-q", "-b", side, "work")
				p.write(p.tree, "b", side)
				p.write(p.tree, "z", side)
				p.git(p.tree, "add", ".")
				p.git(p.tree, "commit", "-qm", side)
			}
			_, err := p.tree.Out(p.t.Context(), "merge", "-q", "ours")
			require.Error(p.t, err)
			p.write(p.tree, "a.txt", "changed")
			p.write(p.tree, "dir/b.txt", "changed")
			p.write(p.tree, "later", "")
		},
		"repositories inside": func(p place) {
			for _, sub := range []string{"known", "unknown"} {
				p.git(p.tree, "init", "-q", sub)
				in := p.tree
				in.Dir = filepath.Join(p.tree.Dir, sub)
				p.git(in, "commit", "-q", "--allow-empty", "-m", "one")
				if sub == "known" {
					p.git(p.tree, "-c", "advice.addEmbeddedRepo=false", "add", sub)
				}
				p.write(in, "inner", "")
			}
		},
		"no commit yet": func(p place) { p.git(p.tree, "checkout", "-q", "--orphan", "fresh") },
		"detached":      func(p place) { p.git(p.tree, "checkout", "-q", "--detach") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.t = t
			do(p)
			want := p.git(p.tree, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames")
			at, err := p.tree.Head(t.Context())
			require.NoError(t, err)
			head, status, err := p.tree.Status(t.Context())
			require.NoError(t, err)
			if diff := cmp.Diff(strings.Split(want, "\x00"), strings.Split(status, "\x00")); diff != "" {
				t.Errorf("Status (-want +got)\n%s", diff)
			}
			require.Equal(t, at, head)
		})
	}
}
