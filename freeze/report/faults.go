package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// crossTable counts, by two names, how many of how many are good.
type crossTable struct {
	Columns []string
	Rows    []crossRow
	Sums    bool // of rows
}

type crossRow struct {
	Name  string
	Cells []crossCell
	All   crossCell
}

type crossCell struct {
	Good, All int
	May       bool // what is not good is no fault
}

func (c *crossCell) add(good bool) {
	c.All++
	if good {
		c.Good++
	}
}

// Class is how a cell is shown.
func (c crossCell) Class() string {
	switch {
	case c.All == 0:
		return "none"
	case c.May && c.Good == 0:
		return "warn"
	case !c.May && c.Good < c.All:
		return "bad"
	}
	return ""
}

func (c crossCell) String() string {
	switch {
	case c.All == 0:
		return "·"
	case c.Good == c.All && !c.May:
		return fmt.Sprint(c.All)
	}
	return fmt.Sprintf("%d of %d", c.Good, c.All)
}

func cross[T any](all []T, row, column func(T) string, good func(T) bool) crossTable {
	t := crossTable{Sums: true}
	for _, g := range sortedGroups(all, column) {
		t.Columns = append(t.Columns, g.Name)
	}
	for _, g := range sortedGroups(all, row) {
		r := crossRow{Name: g.Name, Cells: make([]crossCell, len(t.Columns))}
		for _, one := range g.All {
			r.Cells[slices.Index(t.Columns, column(one))].add(good(one))
			r.All.add(good(one))
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// regressionTable has the folders that are edited against the suites that are
// to see it.
func regressionTable(all []Regression) crossTable {
	return cross(judged(all), func(r Regression) string { return folder(r.File) }, suite,
		func(r Regression) bool { return r.Verdict == mutate.Caught })
}

// suite is what has to fail for a regression: a test's package, or a command.
func suite(r Regression) string { return cmp.Or(r.Run, strings.TrimPrefix(r.Package, "./")) }

// judged are the regressions that have a verdict.
func judged(all []Regression) []Regression {
	return slices.DeleteFunc(slices.Clone(all), func(r Regression) bool { return r.Verdict == "" })
}

func byFolder(all []Regression) []group[Regression] {
	return sortedGroups(all, func(r Regression) string { return folder(r.File) })
}

// mutantTable has the kinds of edits against the folders that are edited.
func mutantTable(all []Mutant) crossTable {
	return cross(all, operator, func(m Mutant) string { return folder(m.Place) }, func(m Mutant) bool { return !m.Bad })
}

// operator is a part of a mutant's id, PACKAGE.FUNC/OPERATOR/HASH/N.
func operator(m Mutant) string {
	parts := strings.Split(m.ID, "/")
	if len(parts) < 3 {
		return m.ID
	}
	return parts[len(parts)-3]
}

// notable are the mutants that no test catches, those without a reason first.
func notable(all []Mutant) []Mutant {
	some := slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return !m.Bad && m.Known == "" })
	slices.SortStableFunc(some, func(a, b Mutant) int { return -compareBool(a.Bad, b.Bad) })
	return some
}

// verdicts counts the regressions by what came of them.
func verdicts(all []Regression) string {
	var words []string
	for _, v := range append(mutate.Verdicts(), "") {
		n := 0
		for _, r := range all {
			if r.Verdict == v {
				n++
			}
		}
		switch {
		case n > 0 && v == "":
			words = append(words, fmt.Sprintf("%d not judged", n))
		case n > 0:
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(words, ", ")
}

// asked is one suite that was asked of one mutant.
type asked struct {
	folder, suite string
	caught        bool
}

// suiteTable has the folders that are edited against the suites that were
// asked, of mutants of which all were.
func suiteTable(all []Mutant) crossTable {
	var pairs []asked
	for _, m := range all {
		caught := packages(m.Failed)
		for _, suite := range packages(m.Asked) {
			pairs = append(pairs, asked{folder(m.Place), suite, slices.Contains(caught, suite)})
		}
	}
	t := cross(pairs, func(a asked) string { return a.folder }, func(a asked) string { return a.suite }, func(a asked) bool { return a.caught })
	t.Sums = false // a mutant counts for each suite
	for _, r := range t.Rows {
		for i := range r.Cells {
			r.Cells[i].May = true
		}
	}
	return t
}

// packages are those of tests, each a package, a space and a name.
func packages(tests []string) []string {
	var all []string
	for _, test := range tests {
		name, _, _ := strings.Cut(test, " ")
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// catchTables have, for each family, its scenarios against the releases, and
// how many faults the tests of each fixture caught.
func catchTables(all []Catch) []group[crossTable] {
	var tables []group[crossTable]
	for _, g := range sortedGroups(all, func(c Catch) string { return part(c.Fixture, 0) }) {
		var t crossTable
		for _, c := range g.All {
			if v := part(c.Fixture, 1); !slices.Contains(t.Columns, v) {
				t.Columns = append(t.Columns, v)
			}
		}
		slices.SortFunc(t.Columns, scenario.Compare)
		for _, s := range sortedGroups(g.All, func(c Catch) string { return part(c.Fixture, 2) }) {
			row := crossRow{Name: s.Name, Cells: make([]crossCell, len(t.Columns))}
			for _, c := range s.All {
				row.Cells[slices.Index(t.Columns, part(c.Fixture, 1))] = crossCell{Good: c.Caught, All: c.Asked, May: true}
			}
			t.Rows = append(t.Rows, row)
		}
		tables = append(tables, group[crossTable]{Name: g.Name, All: []crossTable{t}})
	}
	return tables
}

// part is one of FAMILY/RELEASE/SCENARIO.
func part(fixture string, i int) string {
	parts := strings.SplitN(fixture, "/", 3)
	if i >= len(parts) {
		return ""
	}
	return parts[i]
}

// useless counts the fixtures whose tests caught nothing.
func useless(all []Catch) int {
	n := 0
	for _, c := range all {
		if c.Caught == 0 {
			n++
		}
	}
	return n
}
