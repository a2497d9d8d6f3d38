package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

// Markdown writes what matters of the report, for the summary of a CI job.
func (r *Report) Markdown(w io.Writer) error {
	m := &markdown{Report: r}
	m.printf("# %s: what its releases persist\n", escape(r.Subject))
	m.releases()
	m.matrix()
	m.contracts()
	m.changes()
	m.faults()
	m.timings()
	_, err := io.WriteString(w, plain.Lines(m.String()))
	return err
}

// markdown is one summary that is being written.
type markdown struct {
	*Report
	strings.Builder
}

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(&m.Builder, format, args...) }

// table writes a table. Its cells are escaped already.
func (m *markdown) table(head []string, rows [][]string) {
	m.printf("\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		m.printf("| %s |\n", strings.Join(row, " | "))
	}
}

func (m *markdown) releases() {
	if len(m.Releases) == 0 {
		m.printf("\nNo release is frozen yet.\n")
		return
	}
	var rows [][]string
	for _, r := range m.Releases {
		rows = append(rows, []string{r.Version, r.Date, fmt.Sprint(r.Frozen), fmt.Sprint(r.Waived), fmt.Sprint(r.Missing), fmt.Sprint(r.Files), size(r.Bytes)})
	}
	m.table([]string{"release", "date", "scenarios", "waived", "missing", "entries", "size"}, rows)
}

func (m *markdown) matrix() {
	m.printf("\n## Who reads what\n")
	if m.Matrix.Missing != "" {
		m.printf("\nThere is no matrix of readers: %s\n", m.Matrix.Missing)
		return
	}
	if len(m.Matrix.Without) > 0 {
		m.printf("\nThe record knows nothing of %s.\n", join(m.Matrix.Without))
	}
	t := pairTable(m.Matrix)
	head := []string{"program"}
	for _, w := range t.Writers {
		head = append(head, "state of "+escape(w))
	}
	var rows [][]string
	for _, r := range t.Rows {
		row := []string{escape(r.Program)}
		for _, p := range r.Cells {
			row = append(row, pairText(p))
		}
		rows = append(rows, row)
	}
	m.table(head, rows)
	all, reads, bad := m.Matrix.answers()
	m.printf("\n%s: %s what the release itself said, %s the promise.\n", count(all, "answer"), are(reads), breaks(bad))
	for _, o := range m.Matrix.Others {
		if o.Bad {
			m.printf("- %s, state of %s: %s: %s (%s)\n", escape(o.Program), escape(o.Writer), verb(o.Answers, o.Outcome), code(o.Message), escape(few(o.Fixtures)))
		}
	}
}

func pairText(p *Pair) string {
	switch {
	case p == nil:
		return ""
	case p.Rest() == "":
		return fmt.Sprint(p.Reads)
	case p.Bad > 0:
		return fmt.Sprintf("%d, **%s**", p.Reads, p.Rest())
	}
	return fmt.Sprintf("%d, %s", p.Reads, p.Rest())
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return grouped(int64(n)) + " are"
}

func breaks(n int) string {
	switch n {
	case 0:
		return "none breaks"
	case 1:
		return "1 breaks"
	}
	return grouped(int64(n)) + " break"
}

func (m *markdown) contracts() {
	if len(m.Contracts) == 0 {
		return
	}
	m.printf("\n## Contract tests\n")
	var rows [][]string
	for _, g := range suites(m.Contracts) {
		failed := []string{}
		for _, c := range g.All {
			if c.Failed {
				failed = append(failed, code(c.Test))
			}
		}
		rows = append(rows, []string{code(g.Name), fmt.Sprint(len(g.All)), strings.Join(failed, ", ")})
	}
	m.table([]string{"package", "tests", "failed"}, rows)
}

func (m *markdown) changes() {
	m.printf("\n## Format changes\n\n")
	if len(m.Changes) == 0 {
		m.printf("There are no two releases with fixtures to compare.\n")
	}
	for _, d := range m.Changes {
		m.printf("- %s", escape(d.Headline()))
		if words := kinds(d); words != "" {
			m.printf(": %s", words)
		}
		m.printf("\n")
	}
}

func (m *markdown) faults() {
	m.printf("\n## Faults that the suites catch\n\n")
	if len(m.Mutation.Regressions)+len(m.Mutation.Mutants) == 0 {
		m.printf("No results of mutation checks were given.\n")
	}
	if all := m.Mutation.Regressions; len(all) > 0 {
		m.printf("%s: %s.\n", count(len(all), "regression"), verdicts(all))
		for _, r := range judged(all) {
			if r.Verdict != mutate.Caught {
				m.printf("- %s: %s: %s\n", code(r.Name), r.Verdict, code(r.Why))
			}
		}
	}
	if all := m.Mutation.Mutants; len(all) > 0 {
		bad := slices.DeleteFunc(slices.Clone(all), func(one Mutant) bool { return !one.Bad })
		m.printf("\n%s made up: %d are not as they should be.\n", count(len(all), "mutant"), len(bad))
		for _, one := range bad {
			m.printf("- %s: %s: %s to %s\n", code(one.ID), one.Verdict, code(one.Before), code(one.After))
		}
	}
}

func (m *markdown) timings() {
	const most = 5
	for _, p := range m.plots() {
		slices.SortStableFunc(p.Lines, func(a, b plotLine) int { return cmp.Compare(b.New, a.New) })
		var rows [][]string
		for _, l := range p.Lines[:min(len(p.Lines), most)] {
			rows = append(rows, []string{code(l.Name), l.Label})
		}
		m.printf("\n## Timings: %s\n", p.Title)
		m.table([]string{"longest", "time"}, rows)
	}
}

// code is text as inline code on one line, and none where there is no text.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	return plain.Code(text)
}

// escape is text that means nothing to Markdown or HTML.
func escape(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
