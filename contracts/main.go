package contracts

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// current is what Main and the tests of its process share: package testing
// hands nothing from TestMain to a test.
var current = newProcess()

// process is the state of one test process.
type process struct {
	open    func() (*corpus, error) // the fixtures folder of the working folder, once
	reads   *reads
	visits  *visits
	tampers *tampers // nil unless this process is to tamper
	looks   *looks   // nil unless Main runs the tests
	swept   sync.Map // folders, from which all that nobody holds was removed

	families []string // that Main or Visit names; nil where neither runs

	// promise has what is promised by row, as in r13; nil where nobody said.
	promise func() (map[string]string, error)
}

func newProcess() *process {
	return &process{
		open: sync.OnceValues(func() (*corpus, error) {
			dir, err := Find(".")
			if err != nil {
				return nil, err
			}
			return openCorpus(dir)
		}),
		reads:   &reads{files: make(map[string]bool)},
		visits:  newVisits(),
		tampers: tampersFromEnv(),
	}
}

// Main is TestMain of the one suite that owns a family. It runs the tests and
// ends the process. Once they passed, the suite fails nevertheless if nothing
// read a fixture file of the family, in whatever release; a read counts only
// where the same subtest compared afterwards. At the same time the tests run
// once more in a hostile environment: a time zone that is not UTC, a HOME behind
// a symlink, paths with a space and a hyphen, umask 077, fixtures that are
// read-only, and of those none of another family.
//
// Neither is done under -run, -skip (which is how tests are divided into shards),
// -short, -list or -fuzz: a part of the tests reads a part of the files. Main
// says so then.
func Main(m *testing.M, family string, opts ...MainOption) {
	for _, opt := range opts {
		opt(current)
	}
	current.families = []string{family}
	hostile := os.Getenv(hostileEnv) != ""
	if hostile {
		setUmask(0o077)
	}
	// Whoever said otherwise is heeded. A suite is over before its garbage matters.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	flag.Parse()
	why := partial()
	// It runs beside this one: where few tests are left, or one that is alone, a
	// core would have nothing to do.
	var elsewhere *hostileRun
	if why == "" && current.tampers == nil && !hostile {
		elsewhere = startHostile()
	}
	current.looks = newLooks()
	code := m.Run()
	if err := current.looks.done(); err != nil {
		say(family, "%v", err)
		code = 1
	}
	switch {
	case current.tampers != nil:
		code = current.tampers.write()
	case code != 0:
	case why != "":
		say(family, "what is read was not judged, and the hostile run left out, because of %s", why)
	default:
		code = judge(family)
	}
	switch {
	case elsewhere == nil:
	case code == 0:
		code = elsewhere.judge(family)
	default:
		elsewhere.end() // what fails here may well fail there
	}
	os.Exit(code)
}

// MainOption is what a suite tells of itself.
type MainOption func(*process)

// partial says what left out a part of the tests.
func partial() string {
	for _, name := range []string{"run", "skip", "list", "fuzz"} {
		if f := flag.Lookup("test." + name); f != nil && f.Value.String() != "" {
			return "-" + name
		}
	}
	if testing.Short() {
		return "-short"
	}
	return ""
}

// judge holds what was read against what is there.
func judge(family string) int {
	c, err := current.open()
	if err != nil {
		say(family, "%v", err)
		return 1
	}
	unread, err := c.unread(family, current.reads.all())
	if err != nil {
		say(family, "%v", err)
		return 1
	}
	slices.Sort(unread)
	for _, name := range unread {
		say(family, "%s: no subtest read it and compared afterwards", name)
	}
	if len(unread) > 0 {
		return 1
	}
	return 0
}

func say(family, format string, args ...any) {
	fmt.Fprintf(os.Stderr, "contracts: family %q: %s\n", family, fmt.Sprintf(format, args...))
}
