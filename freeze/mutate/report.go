package mutate

import (
	"fmt"
	"io"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/plain"
)

// Bad reports whether any regression is not caught.
func Bad(results []Result) bool {
	for _, r := range results {
		if r.Verdict != Caught {
			return true
		}
	}
	return false
}

// Summary counts the verdicts: "41 caught, 1 survived".
func Summary(results []Result) string {
	count := make(map[Verdict]int)
	for _, r := range results {
		count[r.Verdict]++
	}
	var parts []string
	for _, v := range Verdicts() {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return strings.Join(parts, ", ")
}

// Explain writes what one regression is and what came of it, with what the
// test or the command printed under it.
func (r Result) Explain(w io.Writer) error {
	g := r.Regression
	file, by := g.File+", "+g.Func, "test:    "+g.Test.String()
	if g.Run != "" {
		file, by = g.File, "run:     "+g.Run
	}
	_, err := fmt.Fprintf(w, "%s: %s\n  file:    %s\n  %s\n  assert:  %s\n  verdict: %s: %s\n\n%s",
		g.Name, g.What, file, by, g.Assert, r.Verdict, indent(r.Why), plain.Lines(strings.ReplaceAll(r.Output, "\x16", "")))
	return err
}

// indent keeps a message of several lines in its place.
func indent(text string) string {
	return strings.ReplaceAll(plain.Lines(strings.TrimSpace(text)), "\n", "\n           ")
}
