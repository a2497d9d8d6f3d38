package contracts

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// Verdict says what sees that a fixture file is not what was frozen, beside
// the hash in the manifest.
type Verdict string

const (
	ByReader Verdict = "reader" // a test of the suite fails
	ByThaw   Verdict = "thaw"   // the manifest or the counts of its bindings no longer fit
	ByPanic  Verdict = "panic"  // a reader panics, which it never should
	ByHash   Verdict = "hash"   // nothing but the hash
	Unseen   Verdict = "unseen" // not even that
)

// Tampered is one file of a fixture that was changed, and who saw it.
type Tampered struct {
	File string `json:"file"` // in the fixtures folder
	How  string `json:"how"`  // altered, truncated or deleted
	// Seen is ByHash where no test saw the change once the manifest agreed with
	// it, and Unseen where the hash did not see it either or names another file.
	Seen   Verdict `json:"seen"`
	Assert string  `json:"assert,omitzero"` // id of the first assertion that failed
}

// tamperEnv names the file that a process which tampers writes its findings to.
const tamperEnv = "PERMAFROST_TAMPER"

// Tampering reports, for every file in the fixtures of the families that Each
// plays in the tests matching the pattern run (as of -run), who sees that it was
// altered, truncated or deleted: Each itself by the hash, which must name the
// file, and where all hashes are made to agree, the tests. All of it happens
// over an overlay in one process, a child of this one: a suite cannot fail in it
// without failing. In the hostile run it is skipped: nothing of it depends on
// the place.
//
// The tests take minutes of a processor for a large corpus. They are asked where
// PERMAFROST_CHECK is set or -run is, and otherwise left out, which is logged:
// then ByHash says no more than that the hash saw it. Where [ThawEnv] is set it is
// skipped: who asks the tests what they make of another program, one process
// after the other, does not ask what they make of another fixture.
func Tampering(t *testing.T, run string) []Tampered {
	t.Helper()
	if current.tampers != nil {
		t.Fatalf("-run %q matches the test that asked for it", run)
	}
	AnyPlace(t)
	if os.Getenv(ThawEnv) != "" {
		t.Skip("what a mutant changes is the program, and no fixture")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run="+run)
	if os.Getenv("PERMAFROST_CHECK") == "" && partial() != "-run" {
		t.Log("only the hash is asked; with PERMAFROST_CHECK=1 or -run the tests are, too")
		cmd.Args = append(cmd.Args, "-test.short")
	}
	return tampering(t, cmd)
}

// TestTampering plays Tampering and judges it: each change is seen, by an error
// that names its file, and none makes a reader panic. byHash are the base names
// of the files that nothing but the hash may hold, once the tests were asked;
// without any, those are only logged.
func TestTampering(t *testing.T, run string, byHash ...string) {
	t.Helper()
	found := Tampering(t, run)
	reader := func(c Tampered) bool { return c.Seen == ByReader }
	asked := os.Getenv("PERMAFROST_CHECK") != "" || slices.ContainsFunc(found, reader)
	judgeTampered(t, found, asked, byHash)
}

func judgeTampered(t testing.TB, found []Tampered, asked bool, byHash []string) {
	t.Helper()
	count := make(map[Verdict]int)
	seen := make(map[string]bool) // by file: whether anything but the hash saw a change to it
	var held []string
	for _, c := range found {
		count[c.Seen]++
		seen[c.File] = seen[c.File] || c.Seen != ByHash
		switch c.Seen {
		case Unseen, ByPanic:
			t.Errorf("%s, %s: %s", c.File, c.How, c.Seen)
		case ByHash:
			held = append(held, c.File+", "+c.How)
		}
	}
	if !asked {
		t.Logf("%d changes are seen by the hash", count[ByHash])
		return
	}
	t.Logf("%d changes are seen by a reader, %d by the thaw, %d by nothing but the hash: %q", count[ByReader], count[ByThaw], count[ByHash], held)
	for _, file := range slices.Sorted(maps.Keys(seen)) {
		if !seen[file] && len(byHash) > 0 && !slices.Contains(byHash, path.Base(file)) {
			t.Errorf("%s: nothing but the hash sees any change to it", file)
		}
	}
}

// tampers is what a process that tampers finds.
type tampers struct {
	file string // to write to

	mu       sync.Mutex
	families map[string]bool
	failed   []string // tests that fail on what was frozen: what they see says nothing
	found    map[[2]string]Tampered
}

func tampersFromEnv() *tampers {
	file := os.Getenv(tamperEnv)
	if file == "" {
		return nil
	}
	return &tampers{file: file, families: make(map[string]bool), found: make(map[[2]string]Tampered)}
}

// each plays fn against one scenario: as frozen, and then once for each change
// to each file that it read. No other test could see the rest.
func (tp *tampers) each(t *testing.T, c *corpus, key fixture.Key, scenario string, fn func(*testing.T, *Fixture)) {
	r, err := c.load(key)
	if err != nil {
		t.Fatal(err)
	}
	tp.plays(key.Family)
	if testing.Short() {
		return
	}
	s, files := r.Scenarios[scenario], c.files(r, scenario)
	var touched []string
	// fn may be parallel: a subtest around it waits for it.
	passed := t.Run("as frozen", func(t *testing.T) {
		t.Run("all", func(t *testing.T) {
			f := newFixture(t, key, s, files)
			t.Cleanup(func() { touched = f.touched() })
			fn(t, f)
		})
	})
	if !passed {
		tp.fails(t.Name())
		return
	}
	for _, e := range s.Entries {
		if !slices.Contains(touched, files[e.Path]) {
			continue
		}
		for _, ch := range changesOf(e.Data) {
			t.Run(files[e.Path]+"/"+ch.how, func(t *testing.T) {
				t.Parallel()
				got := Tampered{File: files[e.Path], How: ch.how}
				if !tp.seen(got) {
					t.Run("all", func(t *testing.T) { tp.one(t, newFixture(t, key, ch.in(s, e.Path), files), got, fn) })
				}
			})
		}
	}
}

// one plays fn against a fixture in which got was changed.
func (tp *tampers) one(t *testing.T, f *Fixture, got Tampered, fn func(*testing.T, *Fixture)) {
	t.Cleanup(func() {
		if t.Failed() {
			got.Seen, got.Assert = verdict(f)
			tp.add(got)
		}
	})
	defer func() {
		if p := recover(); p != nil {
			f.panicked = true
			t.Errorf("panic: %v", p)
		}
	}()
	fn(t, f)
}

func verdict(f *Fixture) (seen Verdict, assert string) {
	switch {
	case f.panicked:
		return ByPanic, f.failed
	case f.failed == thawID:
		return ByThaw, f.failed
	}
	return ByReader, f.failed
}

// seen says whether another test saw the change already: no more needs to be
// known of it.
func (tp *tampers) seen(got Tampered) bool {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	had, tried := tp.found[[2]string{got.File, got.How}]
	return tried && had.Seen.rank() > ByHash.rank()
}

func (tp *tampers) plays(family string) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.families[family] = true
}

func (tp *tampers) fails(test string) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.failed = append(tp.failed, test)
}

// add keeps the best verdict: several tests may play the same fixture.
func (tp *tampers) add(got Tampered) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	at := [2]string{got.File, got.How}
	if had, ok := tp.found[at]; !ok || got.Seen.rank() > had.Seen.rank() {
		tp.found[at] = got
	}
}

func (v Verdict) rank() int {
	return slices.Index([]Verdict{Unseen, ByHash, ByThaw, ByReader, ByPanic}, v)
}

// write hands the findings to the process that asked for them.
func (tp *tampers) write() int {
	c, err := current.open()
	if err == nil && len(tp.failed) > 0 {
		err = fmt.Errorf("nothing was tampered with, and these fail: %q", tp.failed)
	}
	if err == nil {
		err = tp.hashes(c)
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(slices.Collect(maps.Values(tp.found)))
	}
	if err == nil {
		err = os.WriteFile(tp.file, data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
