package contracts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// Thawed is a fixture in a folder of its own, with every binding bound to its
// new place.
type Thawed struct {
	// Dir is what was the box's root: absolute, symlinks resolved.
	Dir string

	box    bool // Dir holds more than the fixture
	f      *Fixture
	root   *os.Root
	now    map[string]string // path in the box when frozen, to path below Dir
	frozen map[string]string // and back
	views  map[string]fixture.Output
	state  map[string]fileState
}

// Option changes how a fixture is thawed.
type Option func(*options)

type options struct {
	dir     string
	box     bool // dir is a box's
	derives map[string]derivation
}

type derivation = func(ctx context.Context, inputs map[string]string) (string, error)

// Derive supplies the derivation of this name, which the bindings of
// freeze.toml declare and only the subject's own code can compute.
func Derive(name string, fn func(ctx context.Context, inputs map[string]string) (string, error)) Option {
	return func(o *options) { o.derives[name] = fn }
}

// Into thaws into dir, which must be empty or not there. Without it the folder
// is a temporary one: below the folder that ThawEnv names, or in memory where
// Linux has such a place, /dev/shm.
func Into(dir string) Option {
	return func(o *options) { o.dir = dir }
}

// IntoBox thaws into a box that is there and in which nothing has run yet: its
// home and project are empty. What else lies in its root is none of the
// fixture's, to Unchanged either, and is left for whoever made it to remove.
func IntoBox(root string) Option {
	return func(o *options) { o.dir, o.box = root, true }
}

// Thaw writes the fixture into a fresh folder, removed at the end of the test,
// and binds it to that place: exactly the recorded occurrences change. It
// reads nothing in the sense of the read ledger.
func (f *Fixture) Thaw(t testing.TB, opts ...Option) *Thawed {
	t.Helper()
	o := newOptions(opts)
	if o.dir == "" {
		o.dir = tempDir(t)
	}
	th, err := f.thawAt(t, o.dir, o)
	if err != nil {
		f.fail(t, thawID, "%s: %s: %v", thawID, f.name(), err)
		t.FailNow()
	}
	t.Cleanup(func() { th.root.Close() })
	f.thawed = th
	return th
}

// thawAt thaws into dir. Its root stays open.
func (f *Fixture) thawAt(t testing.TB, dir string, o options) (*Thawed, error) {
	thaw := f.frozen.Thaw
	if o.box {
		thaw = f.frozen.ThawInto
	}
	got, err := thaw(context.WithoutCancel(t.Context()), dir, fixture.ThawOptions{Derive: o.derive})
	if err != nil {
		return nil, err
	}
	th := &Thawed{Dir: got.Dir, box: o.box, f: f, now: got.Paths, frozen: make(map[string]string, len(got.Paths)), views: got.Views}
	for frozen, now := range got.Paths {
		th.frozen[now] = frozen
	}
	if th.root, err = os.OpenRoot(th.Dir); err != nil {
		return nil, err
	}
	th.state, err = th.look(got.Files)
	return th, err
}

// thawID is the assertion id of a fixture that does not thaw.
const thawID = "r0.thaw"

func (o options) derive(ctx context.Context, name string, inputs map[string]string) (string, error) {
	fn, ok := o.derives[name]
	if !ok {
		return "", fmt.Errorf("derivation %q: the suite supplies none of this name; thaw with contracts.Derive", name)
	}
	return fn(ctx, inputs)
}

// memory is where Linux keeps files in memory. A thaw is little work, and on a
// disk much waiting.
const memory = "/dev/shm"

// ThawEnv names a folder in which fixtures are thawed, for who ends tests and
// removes what they leave.
const ThawEnv = "PERMAFROST_THAW"

// tempDir is like t.TempDir, but short, since sockets may lie in it, in memory
// where that can be had, and removed also where the fixture has folders that
// nobody may write to.
func tempDir(t testing.TB) string {
	t.Helper()
	p, err := thawFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.remove(); err != nil {
			t.Error(err)
		}
	})
	return p.dir
}

// thawFolder is one to thaw into; in the hostile run with a space and a hyphen.
func thawFolder() (*folder, error) {
	if os.Getenv(hostileEnv) != "" {
		return newFolder("hostile thaw")
	}
	return newFolder("thaw")
}

func removeAll(dir string) error {
	if err := os.RemoveAll(dir); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(name, 0o700)
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// Path is where what lay at the box-relative path box (home/..., project/...)
// lies now. It need not be there, and it counts as no read.
func (th *Thawed) Path(box string) string {
	return filepath.Join(th.Dir, filepath.FromSlash(th.rebound(box)))
}

// rebound is a box-relative path with the names that its entries have now.
func (th *Thawed) rebound(box string) string {
	for dir := path.Clean(box); dir != "."; dir = path.Dir(dir) {
		if now, ok := th.now[dir]; ok {
			return now + strings.TrimPrefix(path.Clean(box), dir)
		}
	}
	return path.Clean(box)
}

// FS is the thawed folder below the box-relative path box, "." for all of it.
// What is read through it is recorded; a symlink cannot lead out of it.
func (th *Thawed) FS(t testing.TB, box string) fs.FS {
	t.Helper()
	base := th.rebound(box)
	root, err := th.root.OpenRoot(filepath.FromSlash(base))
	if err != nil {
		t.Fatalf("%s: %v", th.f.name(), err)
	}
	t.Cleanup(func() { root.Close() })
	return recorder{fsys: root.FS(), base: base, th: th}
}
