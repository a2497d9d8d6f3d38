package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
)

// AddMutate takes up a document of freeze mutate --json, or of the same with
// --generated or --list.
func (r *Report) AddMutate(in io.Reader) error {
	var doc struct {
		Regressions jsontext.Value `json:"regressions"`
		Mutants     jsontext.Value `json:"mutants"`
		NotViable   int            `json:"not_viable"`
		Left        int            `json:"left"`
		Fixtures    []Catch        `json:"fixtures"`
		Untouched   []string       `json:"untouched"`
		Unreached   []string       `json:"unreached"`
	}
	if err := json.UnmarshalRead(in, &doc); err != nil {
		return err
	}
	if doc.Regressions == nil && doc.Mutants == nil {
		return errors.New("it has neither regressions nor mutants: freeze mutate --json writes what is read here")
	}
	more := Mutation{NotViable: doc.NotViable, Left: doc.Left}
	for _, list := range []struct {
		from jsontext.Value
		to   any
	}{{doc.Regressions, &more.Regressions}, {doc.Mutants, &more.Mutants}} {
		if list.from == nil {
			continue
		}
		if err := json.Unmarshal(list.from, list.to); err != nil {
			return err
		}
	}
	for _, one := range more.Regressions {
		if one.Verdict != "" && !slices.Contains(mutate.Verdicts(), one.Verdict) {
			return fmt.Errorf("regression %q: %q is no verdict", one.Name, one.Verdict)
		}
	}
	for _, one := range more.Mutants {
		if !slices.Contains(mutate.Verdicts(), one.Verdict) {
			return fmt.Errorf("mutant %q: %q is no verdict", one.ID, one.Verdict)
		}
	}
	m := &r.Mutation
	m.Regressions = append(m.Regressions, more.Regressions...)
	m.Mutants = append(m.Mutants, more.Mutants...)
	m.NotViable += more.NotViable
	m.Left += more.Left
	m.addCaught(doc.Fixtures)
	m.Untouched = append(m.Untouched, doc.Untouched...)
	m.Unreached = append(m.Unreached, doc.Unreached...)
	return nil
}

// addCaught adds up what the tests of fixtures caught.
func (m *Mutation) addCaught(all []Catch) {
	for _, c := range all {
		i := slices.IndexFunc(m.Fixtures, func(f Catch) bool { return f.Fixture == c.Fixture })
		if i < 0 {
			m.Fixtures = append(m.Fixtures, c)
			continue
		}
		m.Fixtures[i].Asked += c.Asked
		m.Fixtures[i].Caught += c.Caught
	}
}

// testEvent is a line of go test -json, see go doc test2json.
type testEvent struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
}

// AddTests takes up what go test -json printed. Tests count whose subtests are
// of releases, TEST/RELEASE/SCENARIO, as those of package contracts are.
func (r *Report) AddTests(in io.Reader) error {
	versions := make(map[string]bool)
	for _, release := range r.Releases {
		versions[release.Version] = true
	}
	all := make(map[[2]string]*Contract)
	whole := make(map[[2]string]testEvent) // of test functions
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if line == "" {
			break
		}
		var e testEvent
		if err := json.Unmarshal([]byte(line), &e, json.MatchCaseInsensitiveNames(false)); err != nil {
			return fmt.Errorf("line %d is none of go test -json: %w", n, err)
		}
		if e.Action != "pass" && e.Action != "fail" && e.Action != "skip" {
			continue
		}
		parts := strings.SplitN(e.Test, "/", 4) // of a package itself there is no test
		key := [2]string{e.Package, parts[0]}
		switch {
		case len(parts) == 1:
			whole[key] = e
		case len(parts) == 3 && versions[parts[1]]:
			if all[key] == nil {
				all[key] = &Contract{Package: e.Package, Test: parts[0]}
			}
			all[key].count(parts[1], e.Action)
		}
	}
	if len(all) == 0 {
		return errors.New("no test in it is of a release's scenario, TEST/RELEASE/SCENARIO: go test -json writes what is read here")
	}
	for key, c := range all {
		// One that is not told the end of was cut short.
		c.Failed = whole[key].Action != "pass" && whole[key].Action != "skip"
		c.ElapsedMS = int64(math.Round(whole[key].Elapsed * 1000))
		r.Contracts = append(r.Contracts, *c)
	}
	for key, e := range whole {
		if key[1] == "" && e.Action == "fail" && !failedIn(whole, key[0]) {
			r.Contracts = append(r.Contracts, Contract{Package: key[0], Test: thePackage, Failed: true,
				ElapsedMS: int64(math.Round(e.Elapsed * 1000)), Releases: []ContractCount{}})
		}
	}
	slices.SortFunc(r.Contracts, func(a, b Contract) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Test, b.Test))
	})
	return nil
}

// thePackage stands for a package that failed although no test of it did: it
// did not compile, or was ended.
const thePackage = "(the package)"

func failedIn(whole map[[2]string]testEvent, pkg string) bool {
	for key, e := range whole {
		if key[0] == pkg && key[1] != "" && e.Action == "fail" {
			return true
		}
	}
	return false
}

func (c *Contract) count(release, action string) {
	i := slices.IndexFunc(c.Releases, func(n ContractCount) bool { return n.Release == release })
	if i < 0 {
		i = len(c.Releases)
		c.Releases = append(c.Releases, ContractCount{Release: release})
	}
	switch n := &c.Releases[i]; action {
	case "pass":
		n.Passed++
	case "fail":
		n.Failed++
	case "skip":
		n.Skipped++
	}
}

// of is what the test counted of a release.
func (c Contract) of(release string) (ContractCount, bool) {
	i := slices.IndexFunc(c.Releases, func(n ContractCount) bool { return n.Release == release })
	if i < 0 {
		return ContractCount{}, false
	}
	return c.Releases[i], true
}
