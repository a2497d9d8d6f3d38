package contracts

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Look is Thaw for a test that writes nothing. All that look at a fixture in
// one process share one thawed folder: a thaw is most of the work of a test that
// reads. What is read and compared is this Fixture's own. Main holds every such
// folder, at the end, against what it was; a test of which that cannot be
// promised takes Thaw. Where Main does not run the tests, Look is Thaw.
func (f *Fixture) Look(t testing.TB, opts ...Option) *Thawed {
	t.Helper()
	o := newOptions(opts)
	if current.looks == nil || current.tampers != nil || o.dir != "" {
		return f.Thaw(t, opts...)
	}
	shared, err := current.looks.of(f.name(), func(dir string) (*Thawed, error) { return f.thawAt(t, dir, o) })
	if err != nil {
		f.fail(t, thawID, "%s: %s: %v", thawID, f.name(), err)
		t.FailNow()
	}
	th := *shared
	th.f, f.thawed = f, &th
	return &th
}

// looks are the folders that the tests of a process share, by fixture.
type looks struct {
	mu    sync.Mutex
	in    *folder // in which they lie; made when the first is asked for
	thaws map[string]func() (*Thawed, error)
}

func newLooks() *looks { return &looks{thaws: make(map[string]func() (*Thawed, error))} }

// of is the shared thaw of the fixture, which the first to ask for it makes.
func (l *looks) of(name string, thaw func(dir string) (*Thawed, error)) (*Thawed, error) {
	l.mu.Lock()
	once := l.thaws[name]
	if once == nil {
		once = sync.OnceValues(func() (*Thawed, error) {
			dir, err := l.place()
			if err != nil {
				return nil, err
			}
			return thaw(dir)
		})
		l.thaws[name] = once
	}
	l.mu.Unlock()
	return once()
}

// place makes an empty folder for one of them.
func (l *looks) place() (dir string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in == nil {
		if l.in, err = thawFolder(); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(l.in.dir, "")
}

// done removes the folders, and says which of them is not what it was.
func (l *looks) done() error {
	var all []error
	for name, once := range l.thaws {
		th, err := once()
		if err != nil {
			continue // its tests failed
		}
		now, err := th.look(nil)
		if diff := cmp.Diff(th.state, now); err == nil && diff != "" {
			err = fmt.Errorf("%s: a test that was to look at it only wrote to it (-before +after)\n%s", name, diff)
		}
		all = append(all, err, th.root.Close())
	}
	if l.in != nil {
		all = append(all, l.in.remove())
	}
	return errors.Join(all...)
}

// newOptions are the options of a thaw.
func newOptions(opts []Option) options {
	o := options{derives: make(map[string]derivation)}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}
