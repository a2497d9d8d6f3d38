package contracts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	Type    fs.FileMode
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
	now, err := f.thawed.look(nil)
	if err != nil {
		t.Fatal(err)
	}
	before := f.thawed.state
	for _, glob := range except {
		now, before = without(t, now, glob), without(t, before, glob)
	}
	id := f.last + ".unchanged"
	if maps.Equal(before, now) {
		return true
	}
	if diff := cmp.Diff(before, now); diff != "" {
		f.fail(t, id, "%s: %s: something was written (-before +after)\n%s", id, f.broken(id), diff)
		return false
	}
	return true
}

// Settle makes the thawed folder, as it is now, what Unchanged compares with.
func (f *Fixture) Settle(t testing.TB) {
	t.Helper()
	state, err := f.thawed.look(nil)
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

// look is what lies in the thawed folder; wrote is what of it need not be read,
// by path.
func (th *Thawed) look(wrote map[string][]byte) (map[string]fileState, error) {
	roots, err := th.tops()
	if err != nil {
		return nil, err
	}
	state := make(map[string]fileState, len(th.state))
	for _, top := range roots {
		err := filepath.WalkDir(filepath.Join(th.Dir, top), func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == filepath.Join(th.Dir, top) {
				return nil
			}
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(th.Dir, name)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			state[rel], err = stateOf(name, d, wrote[rel])
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", th.f.name(), err)
		}
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

// stateOf is what lies at name. What who thawed has just written there is not
// read again for the state to keep: were it other than it should be, the next
// look would tell. A later look reads every byte. No time of a file says that
// nobody wrote to it: a program that maps one into its memory writes without a
// file system noticing.
func stateOf(name string, d fs.DirEntry, wrote []byte) (fileState, error) {
	info, err := d.Info()
	if err != nil {
		return fileState{}, err
	}
	s := fileState{Type: info.Mode().Type()}
	if runtime.GOOS != "windows" && s.Type != fs.ModeSymlink {
		s.Mode = info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	}
	switch s.Type {
	case fs.ModeSymlink:
		s.Content, err = os.Readlink(name)
		return s, err
	case 0:
	default:
		return s, nil
	}
	if s.Content = string(wrote); wrote == nil {
		if s.Content, err = contentOf(name, info.Size()); err != nil {
			return s, err
		}
	}
	s.Changed = info.ModTime()
	if isIndex(name, s.Content) {
		s.Changed = time.Time{}
		data, _, err := tree.SettleIndex([]byte(s.Content))
		if err != nil {
			return s, err
		}
		s.Content = string(data)
	}
	return s, nil
}

// contentOf reads a file of that size. A large one is not copied once more.
func contentOf(name string, size int64) (string, error) {
	if size < 1<<20 {
		data, err := os.ReadFile(name)
		return string(data), err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	b.Grow(int(size))
	_, err = io.Copy(&b, f)
	return b.String(), err
}

// isIndex knows git's index by how it begins.
func isIndex(name, content string) bool {
	return filepath.Base(name) == "index" && strings.HasPrefix(content, "DIRC")
}
