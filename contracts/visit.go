package contracts

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// Visit is Main for a suite that plays the fixtures of families which other
// suites own, to ask of them what those cannot: on a server that has to run,
// say. Which files it reads is the owners' to answer for. A visitor fails
// nevertheless, once its tests passed, if it compared nothing on some scenario
// of a family, or if a row that it asserts of the family at all was not asserted
// of some release: both are discovered, as in Each. Then the tests run in the
// hostile environment, as those of an owner do, and nothing more is judged.
//
// What keeps Main from judging keeps Visit, and so does a program that Needs
// missed.
func Visit(m *testing.M, families []string, options ...MainOption) {
	for _, option := range options {
		option(current)
	}
	current.families = families
	hostile := os.Getenv(hostileEnv) != ""
	if hostile {
		setUmask(0o077)
	}
	all := strings.Join(families, ", ")
	code := m.Run()
	why := cmp.Or(partial(), current.visits.lacks())
	switch {
	case code != 0, hostile:
	case why != "":
		say(all, "what was asked of each release was not judged, and the hostile run left out, because of %s", why)
	default:
		for _, family := range families {
			code = max(code, judgeVisit(family))
		}
		if code == 0 {
			code = startHostile().judge(all)
		}
	}
	os.Exit(code)
}

// Needs skips a test where a program is not on PATH, and fails it where
// PERMAFROST_CHECK=1 says that everything must be there.
func Needs(t testing.TB, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("PERMAFROST_CHECK") == "1":
		t.Fatal(err)
	default:
		current.visits.lack(program)
		t.Skip(err)
	}
}

// visits collects, over all subtests of a process, what was compared where.
type visits struct {
	mu      sync.Mutex
	rows    map[string]map[string]map[string]bool // releases, by family and row
	played  map[string]bool                       // FAMILY/RELEASE/SCENARIO
	lacking map[string]bool                       // programs
}

func newVisits() *visits {
	return &visits{rows: make(map[string]map[string]map[string]bool), played: make(map[string]bool), lacking: make(map[string]bool)}
}

// add notes that an assertion was made of a fixture.
func (v *visits) add(f *Fixture, id string) {
	row, _, _ := strings.Cut(id, ".")
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.rows[f.Family] == nil {
		v.rows[f.Family] = make(map[string]map[string]bool)
	}
	if v.rows[f.Family][row] == nil {
		v.rows[f.Family][row] = make(map[string]bool)
	}
	v.rows[f.Family][row][f.Release] = true
	v.played[f.name()] = true
}

func (v *visits) lack(program string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lacking[program] = true
}

func (v *visits) lacks() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.lacking) == 0 {
		return ""
	}
	return fmt.Sprintf("what is missing here: %s", strings.Join(slices.Sorted(maps.Keys(v.lacking)), ", "))
}

// judgeVisit holds what was compared against what is there.
func judgeVisit(family string) int {
	c, err := current.open()
	var missing []string
	if err == nil {
		missing, err = c.unvisited(family, current.visits)
	}
	if err != nil {
		say(family, "%v", err)
		return 1
	}
	for _, what := range missing {
		say(family, "%s", what)
	}
	return min(len(missing), 1)
}

// unvisited says where a visitor looked at nothing.
func (c *corpus) unvisited(family string, v *visits) ([]string, error) {
	keys, _, err := fixture.List(c.fsys)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var missing []string
	for _, key := range keys {
		if key.Family != family {
			continue
		}
		r, err := c.load(key)
		if err != nil {
			return nil, err
		}
		for _, scenario := range slices.Sorted(maps.Keys(r.Scenarios)) {
			if name := key.String() + "/" + scenario; !v.played[name] {
				missing = append(missing, name+": no subtest compared anything of it")
			}
		}
		for _, row := range slices.Sorted(maps.Keys(v.rows[family])) {
			if !v.rows[family][row][key.Version] {
				missing = append(missing, fmt.Sprintf("%s: row %s is asserted, and not of this release", key, strings.TrimPrefix(row, "r")))
			}
		}
	}
	if len(v.rows[family]) == 0 {
		missing = append(missing, "no row is asserted at all")
	}
	return missing, nil
}
