package contracts

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// fileState is what a refusal must leave as it is.
type fileState struct {
	Type    tree.Type
	Mode    fs.FileMode
	Content string
	// Changed is the time of the last write to a file. A folder's is left out:
	// a lock that was taken and given up changes it. So is that of git's index,
	// which git itself refreshes when it looks.
	Changed time.Time
}

// Unchanged asserts that what the last comparison was about, a refusal, wrote
// nothing: the names, types, modes, bytes and times of writing in the thawed
// folder are those at the thaw, or at the latest Settle. Its id is that of the
// comparison with .unchanged behind it. What matches one of the globs except,
// over box-relative paths as they are now, is not looked at.
func (f *Fixture) Unchanged(t testing.TB, except ...string) bool {
	t.Helper()
	if f.thawed == nil || f.last == "" {
		t.Fatalf("%s: nothing was thawed and compared: what was refused, and what must it have left alone?", f.name())
	}
	now, err := f.thawed.look()
	if err != nil {
		t.Fatal(err)
	}
	before := f.thawed.state
	for _, glob := range except {
		now, before = without(t, now, glob), without(t, before, glob)
	}
	id := f.last + ".unchanged"
	if diff := cmp.Diff(before, now); diff != "" {
		f.fail(t, id, "%s: %s: something was written (-before +after)\n%s", id, f.broken(id), diff)
		return false
	}
	return true
}

// Settle makes the thawed folder, as it is now, what Unchanged compares with.
func (f *Fixture) Settle(t testing.TB) {
	t.Helper()
	state, err := f.thawed.look()
	if err != nil {
		t.Fatal(err)
	}
	f.thawed.state = state
}

func without(t testing.TB, state map[string]fileState, glob string) map[string]fileState {
	t.Helper()
	kept := make(map[string]fileState, len(state))
	for name, s := range state {
		matches, err := path.Match(glob, name)
		if err != nil {
			t.Fatalf("except %q: %v", glob, err)
		}
		if !matches {
			kept[name] = s
		}
	}
	return kept
}

func (th *Thawed) look() (map[string]fileState, error) {
	roots, err := th.tops()
	if err != nil {
		return nil, err
	}
	entries, err := tree.Walk(th.Dir, roots)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", th.f.name(), err)
	}
	state := make(map[string]fileState, len(entries))
	for _, e := range entries {
		s := fileState{Type: e.Type, Content: string(e.Data) + e.Target}
		if runtime.GOOS != "windows" {
			s.Mode = e.Mode
		}
		if e.Type == tree.File && !isIndex(e) {
			info, err := os.Lstat(filepath.Join(th.Dir, filepath.FromSlash(e.Path)))
			if err != nil {
				return nil, err
			}
			s.Changed = info.ModTime()
		}
		state[e.Path] = s
	}
	return state, nil
}

// tops are the names in the thawed folder: all that are there, or in a box those
// of the fixture.
func (th *Thawed) tops() ([]string, error) {
	var names []string
	if th.box {
		for _, now := range th.now {
			top, _, _ := strings.Cut(now, "/")
			names = append(names, top)
		}
		slices.Sort(names)
		return slices.Compact(names), nil
	}
	tops, err := os.ReadDir(th.Dir)
	for _, top := range tops {
		names = append(names, top.Name())
	}
	return names, err
}

// isIndex knows git's index by how it begins.
func isIndex(e tree.Entry) bool {
	return path.Base(e.Path) == "index" && strings.HasPrefix(string(e.Data), "DIRC")
}
