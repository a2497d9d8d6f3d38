package report

import (
	"cmp"
	"fmt"
	"slices"
)

// plot is a picture of times: a line for each name, with a dot for each time.
type plot struct {
	Title, Caption string
	Bars           bool    // one time a line, as a bar
	Most           int64   // at the right edge, milliseconds
	Ticks          []int64 // at equal distances
	Lines          []plotLine
}

type plotLine struct {
	Name     string
	Low, Top int64
	Old      []int64 // of releases before the newest
	New      int64   // of the newest, or of the only one
	Label    string
}

// longest is how many lines a picture has: the longest times tell where time
// goes, and all of them are in the table.
const longest = 20

// plots are the pictures of what was measured; none of what was not.
func (r *Report) plots() []plot {
	var all []plot
	for _, p := range []plot{r.scenarioPlot(), r.contractPlot(), r.regressionPlot()} {
		if len(p.Lines) == 0 {
			continue
		}
		slices.SortStableFunc(p.Lines, func(a, b plotLine) int { return cmp.Compare(b.Top, a.Top) })
		if n := len(p.Lines); n > longest {
			p.Lines = p.Lines[:longest]
			p.Caption += fmt.Sprintf(" The %d longest of %d.", longest, n)
		}
		p.Most, p.Ticks = scale(p.Lines[0].Top)
		all = append(all, p)
	}
	return all
}

// scenarioPlot has what the manifests say: how long each scenario ran when the
// fixture was frozen.
func (r *Report) scenarioPlot() plot {
	p := plot{Title: "Scenarios, when they were frozen",
		Caption: "From before a scenario's box was made until the box was proved empty, as its manifest says. Scenarios ran side by side. A full dot is the newest release with the scenario, rings are those before it."}
	for _, s := range r.Scenarios {
		l := plotLine{Name: s.Family + "/" + s.Name}
		for _, f := range s.Fixtures {
			if f.State != Frozen {
				continue
			}
			if l.Top > 0 {
				l.Old = append(l.Old, l.New)
			}
			if l.New = f.RanMS; l.Top == 0 || l.New < l.Low {
				l.Low = l.New
			}
			l.Top = max(l.Top, l.New)
		}
		if l.Top > 0 {
			l.Label = seconds(l.New)
			p.Lines = append(p.Lines, l)
		}
	}
	return p
}

func (r *Report) contractPlot() plot {
	p := plot{Title: "Contract tests", Bars: true, Caption: "As go test -json says, added up by package. Of test functions that ask something of fixtures."}
	for _, g := range suites(r.Contracts) {
		p.Lines = append(p.Lines, total(g, func(c Contract) int64 { return c.ElapsedMS }))
	}
	return p
}

func (r *Report) regressionPlot() plot {
	p := plot{Title: "Regressions", Bars: true, Caption: "As freeze mutate --json says, added up by the folder that is edited: three runs each, and the build where one has its own. They ran side by side."}
	for _, g := range byFolder(judged(r.Mutation.Regressions)) {
		p.Lines = append(p.Lines, total(g, func(r Regression) int64 { return r.ElapsedMS }))
	}
	return p
}

func total[T any](g group[T], of func(T) int64) plotLine {
	l := plotLine{Name: g.Name}
	for _, one := range g.All {
		l.New += of(one)
	}
	l.Top, l.Label = l.New, seconds(l.New)
	return l
}

// scale is a round number that is not below ms, and four marks up to it.
func scale(ms int64) (most int64, ticks []int64) {
	step := int64(1)
	for unit := int64(1); step*4 < ms; unit *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if step = n * unit; step*4 >= ms {
				break
			}
		}
	}
	for i := range int64(5) {
		ticks = append(ticks, i*step)
	}
	return step * 4, ticks
}

// percent is a place from the left edge of a picture.
func percent(ms, most int64) string {
	return fmt.Sprintf("%.2f%%", 100*float64(ms)/float64(max(most, 1)))
}

// timing is one line of the table of all times.
type timing struct {
	Name  string
	Cells []string
}

// timings are those of scenarios, and the sums of the releases.
func (r *Report) timings() []timing {
	sums := make([]int64, len(r.Releases))
	var all []timing
	for _, s := range r.Scenarios {
		t := timing{Name: s.Family + "/" + s.Name, Cells: make([]string, len(r.Releases))}
		for i, release := range r.Releases {
			j := slices.IndexFunc(s.Fixtures, func(f Fixture) bool { return f.Release == release.Version && f.State == Frozen })
			if j >= 0 {
				sums[i] += s.Fixtures[j].RanMS
				t.Cells[i] = seconds(s.Fixtures[j].RanMS)
			}
		}
		all = append(all, t)
	}
	sum := timing{Name: "all, added up"}
	for _, ms := range sums {
		sum.Cells = append(sum.Cells, seconds(ms))
	}
	return append(all, sum)
}
