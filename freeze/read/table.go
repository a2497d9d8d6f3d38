package read

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// Tally is how a program fared with what a version wrote.
type Tally struct {
	Program, Writer string
	Count           map[Outcome]int
	Bad             int // of these, how many break the promise
}

// Tallies are one for each pair that met, programs and writers oldest first.
func (r *Report) Tallies() []Tally {
	var all []Tally
	for _, s := range r.Steps {
		i := slices.IndexFunc(all, func(t Tally) bool { return t.Program == s.Program && t.Writer == s.Writer })
		if i < 0 {
			i = len(all)
			all = append(all, Tally{Program: s.Program, Writer: s.Writer, Count: make(map[Outcome]int)})
		}
		all[i].Count[s.Outcome]++
		if s.Bad() {
			all[i].Bad++
		}
	}
	slices.SortFunc(all, func(a, b Tally) int {
		if c := scenario.Compare(a.Program, b.Program); c != 0 {
			return c
		}
		return scenario.Compare(a.Writer, b.Writer)
	})
	return all
}

// Text writes the table of pairs, and a line for each answer that is not the
// view's.
func (r *Report) Text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "PROGRAM\tSTATE OF\tREADS\tREFUSES\tWRITES\tMISREADS")
	for _, t := range r.Tallies() {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\n", t.Program, t.Writer, t.Count[Reads], t.Count[Refuses], t.Count[Writes], t.Count[Misreads])
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, s := range r.others() {
		if _, err := fmt.Fprintln(w, s); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the same for a page.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| program | state of | reads | refuses | writes | misreads |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, t := range r.Tallies() {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", t.Program, t.Writer, t.Count[Reads], t.Count[Refuses], t.Count[Writes], t.Count[Misreads])
	}
	if others := r.others(); len(others) > 0 {
		b.WriteString("\n")
		for _, s := range others {
			fmt.Fprintf(&b, "- %s\n", code(s.String()))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// code is text as Markdown shows it unread: what a program says may be
// anything.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if fence != "`" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// others are the steps that are not simply read.
func (r *Report) others() []Step {
	return slices.DeleteFunc(slices.Clone(r.Steps), func(s Step) bool { return s.Outcome == Reads })
}
