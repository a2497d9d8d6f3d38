package read

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
)

// tally is how a program fared with what a version wrote.
type tally struct {
	program, writer string
	count           map[Outcome]int
}

// tallies are one for each pair that met, programs and writers oldest first.
func (r *Report) tallies() []tally {
	var all []tally
	for _, s := range r.Steps {
		i := slices.IndexFunc(all, func(t tally) bool { return t.program == s.Program && t.writer == s.Writer })
		if i < 0 {
			i = len(all)
			all = append(all, tally{s.Program, s.Writer, make(map[Outcome]int)})
		}
		all[i].count[s.Outcome]++
	}
	slices.SortFunc(all, func(a, b tally) int {
		if c := scenario.Compare(a.program, b.program); c != 0 {
			return c
		}
		return scenario.Compare(a.writer, b.writer)
	})
	return all
}

// Text writes the table of pairs, and a line for each answer that is not the
// view's.
func (r *Report) Text(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "PROGRAM\tSTATE OF\tREADS\tREFUSES\tWRITES\tMISREADS")
	for _, t := range r.tallies() {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\n", t.program, t.writer, t.count[Reads], t.count[Refuses], t.count[Writes], t.count[Misreads])
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
	for _, t := range r.tallies() {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", t.program, t.writer, t.count[Reads], t.count[Refuses], t.count[Writes], t.count[Misreads])
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
