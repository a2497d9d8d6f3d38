package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

func families(all []Scenario) []group[Scenario] {
	return grouping(all, func(s Scenario) string { return s.Family })
}

// mark is how readers that stand side by side fared alike.
type mark struct{ Class, Text string }

// fixtureCell is one fixture in the table of scenarios.
type fixtureCell struct {
	State State
	Note  string // for who cannot see the marks
	Marks []mark
}

// marks stand for outcomes.
var marks = map[read.Outcome]string{read.Reads: "✓", read.Refuses: "–", read.Writes: "w", read.Misreads: "×"}

// cell is what a release left of a scenario, and how each reader fared.
func (r *Report) cell(s Scenario, release string) fixtureCell {
	i := slices.IndexFunc(s.Fixtures, func(f Fixture) bool { return f.Release == release })
	if i < 0 {
		return fixtureCell{}
	}
	f := s.Fixtures[i]
	c := fixtureCell{State: f.State, Note: f.Reason}
	if f.State != Frozen || len(f.Readings) == 0 {
		return c
	}
	reads, others := 0, []string{}
	for _, reader := range r.Matrix.Readers {
		m := mark{"none", "·"}
		if reading, ok := f.reading(reader); ok {
			m = mark{class(reading.Outcome, reading.Bad), marks[reading.Outcome]}
			if reading.Outcome == read.Reads {
				reads++
			} else {
				others = append(others, "; "+reader+" "+string(reading.Outcome))
			}
		}
		if n := len(c.Marks); n > 0 && c.Marks[n-1].Class == m.Class {
			c.Marks[n-1].Text += m.Text
			continue
		}
		c.Marks = append(c.Marks, m)
	}
	c.Note = verb(reads, read.Reads) + strings.Join(others, "")
	return c
}

func class(o read.Outcome, bad bool) string {
	switch {
	case bad:
		return "bad"
	case o == read.Reads:
		return "good"
	}
	return "warn"
}

// pairRow is what one program did with the state of each version.
type pairRow struct {
	Program string
	Cells   []*Pair // nil where the two never met
}

// pairTable has a row for each program, and a column for each version that wrote.
func pairTable(m Matrix) (t struct {
	Writers []string
	Rows    []pairRow
}) {
	for _, p := range m.Pairs {
		if !slices.Contains(t.Writers, p.Writer) {
			t.Writers = append(t.Writers, p.Writer)
		}
	}
	slices.SortFunc(t.Writers, scenario.Compare)
	for i, p := range m.Pairs {
		if n := len(t.Rows); n == 0 || t.Rows[n-1].Program != p.Program {
			t.Rows = append(t.Rows, pairRow{p.Program, make([]*Pair, len(t.Writers))})
		}
		t.Rows[len(t.Rows)-1].Cells[slices.Index(t.Writers, p.Writer)] = &m.Pairs[i]
	}
	return t
}

// Rest is what a pair has beside answers that are the view's.
func (p Pair) Rest() string {
	var rest []string
	for _, o := range []struct {
		n       int
		outcome read.Outcome
	}{{p.Refuses, read.Refuses}, {p.Writes, read.Writes}, {p.Misreads, read.Misreads}} {
		if o.n > 0 {
			rest = append(rest, verb(o.n, o.outcome))
		}
	}
	return strings.Join(rest, ", ")
}

// Class is how a pair is shown.
func (p Pair) Class() string {
	switch {
	case p.Bad > 0:
		return "bad"
	case p.Refuses+p.Writes+p.Misreads > 0:
		return "warn"
	}
	return "good"
}

// suites are the contracts by package.
func suites(all []Contract) []group[Contract] {
	return grouping(all, func(c Contract) string { return c.Package })
}

// tallyOf is what a test says of a release, in a word.
func tallyOf(c Contract, release string) mark {
	n, ok := c.of(release)
	switch {
	case !ok:
		return mark{"none", "·"}
	case n.Failed > 0:
		return mark{"bad", fmt.Sprintf("%d of %d fail", n.Failed, n.Passed+n.Failed+n.Skipped)}
	case n.Skipped > 0:
		return mark{"warn", fmt.Sprintf("%d, %d skipped", n.Passed, n.Skipped)}
	}
	return mark{"", fmt.Sprint(n.Passed)}
}

// changes are those of one kind of document together.
func changes(d diff.Report) []group[diff.Change] {
	return grouping(d.Changes, func(c diff.Change) string { return c.Family + ", " + c.Kind })
}

// documents are the changes of one kind, document by document.
func documents(all []diff.Change) []group[diff.Change] {
	return grouping(all, func(c diff.Change) string { return c.Document })
}

// kinds counts the changes by what they are.
func kinds(d diff.Report) string {
	var words []string
	for _, g := range sortedGroups(d.Changes, func(c diff.Change) string { return string(c.What) }) {
		words = append(words, fmt.Sprintf("%d × %s", len(g.All), g.Name))
	}
	return strings.Join(words, ", ")
}
