package contracts

import (
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// Fixture is what one scenario of one release left behind, in one subtest.
type Fixture struct {
	Family, Release, Scenario string
	// From and To are when the box's programs ran: every time in the fixture
	// lies between them, and a clock pinned at To is the release's own.
	From, To time.Time

	t      testing.TB
	frozen *fixture.Scenario
	files  map[string]string // path in the box to file in the fixtures folder
	thawed *Thawed           // the latest

	mu      sync.Mutex
	pending map[string]bool // paths in the box read since the last comparison
	counted map[string]bool // and those read before it
	last    string          // id of the last comparison
	failed  string          // id of the first that failed

	panicked bool
}

func newFixture(t testing.TB, key fixture.Key, s *fixture.Scenario, files map[string]string) *Fixture {
	f := &Fixture{Family: key.Family, Release: key.Version, Scenario: s.Name, From: s.From, To: s.To,
		t: t, frozen: s, files: files, pending: make(map[string]bool), counted: make(map[string]bool)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("files read of the fixture: %q", f.touched())
		}
	})
	return f
}

// assertID is a row of the contract and what of it is asserted.
var assertID = regexp.MustCompile(`^r[0-9]+(\.[a-z0-9_-]+)+$`)

// Equal compares what a reader made of the fixture with what is wanted, under
// an id that begins with its row, as in r13.receipt. What the subtest has read
// of the fixture up to here counts as read. The wanted value comes from the
// release's own view or is written by hand, never from the reader under test.
//
// A comparison that could not fail is a failure: of a value with itself, or
// under options by which the zero value would do as well.
func (f *Fixture) Equal(t testing.TB, id string, got, want any, opts ...cmp.Option) bool {
	t.Helper()
	if !assertID.MatchString(id) {
		t.Fatalf("assertion id %q: want a row and what is asserted, as in r13.receipt", id)
	}
	f.compared(id)
	if why := cannotFail(got, want, opts); why != "" {
		f.fail(t, id, "%s: %s", id, why)
		return false
	}
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		f.fail(t, id, "%s: %s (-want +got)\n%s", id, f.broken(id), diff)
		return false
	}
	return true
}

// fail reports a failure under its id, which tools find in the attribute and
// people in the text.
func (f *Fixture) fail(t testing.TB, id, format string, args ...any) {
	t.Helper()
	f.mu.Lock()
	if f.failed == "" {
		f.failed = id
	}
	f.mu.Unlock()
	t.Attr("freeze.assert", id)
	t.Errorf(format, args...)
}

// cannotFail says why a comparison would hold whatever the reader did.
func cannotFail(got, want any, opts []cmp.Option) string {
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	if !w.IsValid() || w.IsZero() {
		return ""
	}
	if sameMemory(g, w) {
		return "the value is compared with itself"
	}
	if len(opts) > 0 && cmp.Equal(want, reflect.Zero(w.Type()).Interface(), opts...) {
		return "under these options the wanted value equals the zero value of its type, so nothing is compared"
	}
	return ""
}

func sameMemory(a, b reflect.Value) bool {
	if !a.IsValid() || a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Slice:
		return a.Len() > 0 && a.Len() == b.Len() && a.Pointer() == b.Pointer()
	case reflect.Pointer, reflect.Map:
		return a.Pointer() == b.Pointer()
	}
	return false
}

// View is what the release said itself under this name when it was frozen, and
// its exit status, bound to the latest thaw. Its two files are read by it.
func (f *Fixture) View(name string) fixture.Output {
	f.t.Helper()
	if f.thawed == nil {
		f.t.Fatalf("%s: view %q is bound to the place of a thaw; thaw first", f.name(), name)
	}
	stdout, exit := viewPrefix+name+"/stdout", viewPrefix+name+"/exit"
	if f.files[stdout] == "" || f.files[exit] == "" {
		f.t.Fatalf("%s: has no view %q; there are %q", f.name(), name, f.Views())
	}
	f.read(stdout, exit)
	return f.thawed.views[name]
}

// Views lists the names of the fixture's views, sorted.
func (f *Fixture) Views() []string {
	var names []string
	for _, v := range f.frozen.Views {
		names = append(names, v.Name)
	}
	slices.Sort(names)
	return names
}

func (f *Fixture) name() string { return f.Family + "/" + f.Release + "/" + f.Scenario }
