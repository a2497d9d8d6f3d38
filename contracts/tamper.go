package contracts

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

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
	// Seen is ByHash or Unseen where no reader saw the change although the
	// manifest was made to agree with it.
	Seen   Verdict `json:"seen"`
	Assert string  `json:"assert,omitzero"` // id of the first assertion that failed
}

// tamperEnv names the file that a process which tampers writes its findings to.
const tamperEnv = "PERMAFROST_TAMPER"

// Tampering reports, for every file of every fixture that Each plays in the
// tests matching the pattern run (as of -run), who sees that it was altered,
// truncated or deleted. All of it happens over an overlay in one process, a
// child of this one: a suite cannot fail in it without failing. In the hostile
// run it is skipped: nothing of it depends on the place.
func Tampering(t *testing.T, run string) []Tampered {
	t.Helper()
	if current.tampers != nil {
		t.Fatalf("-run %q matches the test that asked for it", run)
	}
	if os.Getenv(hostileEnv) != "" {
		t.Skip("tampering is tried in the first run only")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return tampering(t, exec.CommandContext(t.Context(), exe, "-test.run="+run))
}

// tampers is what a process that tampers finds.
type tampers struct {
	file string // to write to

	mu    sync.Mutex
	found map[[2]string]Tampered
}

func tampersFromEnv() *tampers {
	file := os.Getenv(tamperEnv)
	if file == "" {
		return nil
	}
	return &tampers{file: file, found: make(map[[2]string]Tampered)}
}

// each plays fn against one scenario: as frozen, and then once for each change
// to each file that it read. No other test could see the rest.
func (tp *tampers) each(t *testing.T, c *corpus, key fixture.Key, scenario string, fn func(*testing.T, *Fixture)) {
	r, err := c.load(key)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := inMemory(c.fsys, path.Join(key.Family, key.Version))
	if err != nil {
		t.Fatal(err)
	}
	files := c.files(r, scenario)
	var touched []string
	passed := t.Run("as frozen", func(t *testing.T) {
		// The inner one may be parallel; the outer one waits for it.
		t.Run("all", func(t *testing.T) {
			f := newFixture(t, key, r.Scenarios[scenario], files)
			t.Cleanup(func() { touched = f.touched() })
			fn(t, f)
		})
	})
	if !passed {
		return
	}
	for _, file := range slices.Sorted(maps.Values(files)) {
		for _, ch := range changesOf(memory[file].Data) {
			spoiled := spoiled{key, scenario, file, ch}
			t.Run(file+"/"+ch.how, func(t *testing.T) {
				t.Parallel()
				tp.one(t, c, spoiled, memory, slices.Contains(touched, file), fn)
			})
		}
	}
}

// spoiled is a fixture with one file changed.
type spoiled struct {
	fixture.Key
	scenario, file string
	change
}

func (tp *tampers) one(t *testing.T, c *corpus, s spoiled, memory fstest.MapFS, read bool, fn func(*testing.T, *Fixture)) {
	over := maps.Clone(memory)
	s.on(over, s.file)
	got, tried := tp.verdict(s)
	if !tried {
		got = Tampered{File: s.file, How: s.how, Seen: Unseen}
		if _, err := fixture.Load(over, s.Family, s.Version); err != nil && strings.Contains(err.Error(), s.file) {
			got.Seen = ByHash
		}
		tp.add(got)
	}
	if !read || got.Seen.rank() > ByHash.rank() {
		return
	}
	if err := reseal(over, s); err != nil {
		t.Fatal(err)
	}
	r, err := fixture.Load(over, s.Family, s.Version)
	if err != nil {
		got.Seen = ByThaw
		tp.add(got)
		return
	}
	f := newFixture(t, s.Key, r.Scenarios[s.scenario], c.files(r, s.scenario))
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

// verdict is what other tests made of the change already. One that a reader
// saw needs to be tried no more.
func (tp *tampers) verdict(s spoiled) (got Tampered, tried bool) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	got, tried = tp.found[[2]string{s.file, s.how}]
	return got, tried
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
	tp.mu.Lock()
	defer tp.mu.Unlock()
	data, err := json.Marshal(slices.Collect(maps.Values(tp.found)))
	if err == nil {
		err = os.WriteFile(tp.file, data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// inMemory is the folder dir of fsys, under the same names.
func inMemory(fsys fs.FS, dir string) (fstest.MapFS, error) {
	memory := make(fstest.MapFS)
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		memory[name] = &fstest.MapFile{Data: data, Mode: 0o444}
		return err
	})
	return memory, err
}
