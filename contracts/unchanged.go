package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
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
func (th *Thawed) look(wrote map[string][]byte) (state map[string]fileState, err error) {
	dir, err := openFolder(th.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", th.f.name(), err)
	}
	defer dir.close()
	l := looker{wrote: wrote, before: th.state, state: make(map[string]fileState, max(len(th.state), len(th.now))), buf: make([]byte, 8<<10)}
	names, err := th.tops(dir, l.buf)
	for _, name := range names {
		err = errors.Join(err, l.see(dir, name, name))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", th.f.name(), err)
	}
	return l.state, nil
}

// tops are the names in the thawed folder: all that are there, or in a box those
// of the fixture.
func (th *Thawed) tops(dir opened, buf []byte) ([]string, error) {
	names, err := dir.names(buf)
	if th.box {
		names = slices.DeleteFunc(names, func(name string) bool { return !th.holds(name) })
	}
	return names, err
}

// holds says whether something of the fixture lies in this folder, or is it.
func (th *Thawed) holds(top string) bool {
	for _, now := range th.now {
		if first, _, _ := strings.Cut(now, "/"); first == top {
			return true
		}
	}
	return false
}

// looker is one look.
type looker struct {
	wrote         map[string][]byte
	before, state map[string]fileState
	buf           []byte
}

// attrs are what a look needs to know before it reads.
type attrs struct {
	mode    fs.FileMode
	size    int64
	changed time.Time
}

// see looks at name in the folder in, and at what lies below it.
func (l *looker) see(in opened, name, path string) error {
	info, err := in.attrs(name)
	if err == nil {
		l.state[path], err = l.stateOf(in, name, path, info)
	}
	if err != nil || !info.mode.IsDir() {
		return err
	}
	dir, err := in.folder(name)
	if err != nil {
		return err
	}
	defer dir.close()
	names, err := dir.names(l.buf)
	for _, child := range names {
		err = errors.Join(err, l.see(dir, child, path+"/"+child))
	}
	return err
}

// stateOf is what lies at name. What who thawed has just written there is not
// read again for the state to keep: were it other than it should be, the next
// look would tell. A later look reads every byte. No time of a file says that
// nobody wrote to it: a program that maps one into its memory writes without a
// file system noticing.
func (l *looker) stateOf(in opened, name, path string, info attrs) (s fileState, err error) {
	s.Type = info.mode.Type()
	if s.Type != fs.ModeSymlink {
		s.Mode = info.mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	}
	switch s.Type {
	case fs.ModeSymlink:
		s.Content, err = in.readlink(name, l.buf)
		return s, err
	case 0:
	default:
		return s, nil
	}
	s.Changed = info.changed
	data := l.wrote[path]
	if data == nil {
		if data, err = in.read(name, info.size, l.buf); err != nil {
			return s, err
		}
		l.buf = data[:cap(data)]
	}
	if isIndex(name, data) {
		s.Changed = time.Time{}
		if data, _, err = tree.SettleIndex(data); err != nil {
			return s, err
		}
	}
	// What is as it was is kept once.
	if s.Content = l.before[path].Content; s.Content != string(data) {
		s.Content = string(data)
	}
	return s, nil
}

// isIndex knows git's index by how it begins.
func isIndex(name string, data []byte) bool {
	return path.Base(name) == "index" && bytes.HasPrefix(data, []byte("DIRC"))
}
