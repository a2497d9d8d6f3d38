package mutate

import (
	"fmt"
	"io"
	"strings"
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
// test printed under it.
func (r Result) Explain(w io.Writer) error {
	g := r.Regression
	_, err := fmt.Fprintf(w, "%s: %s\n  file:    %s, %s\n  test:    %s\n  assert:  %s\n  verdict: %s: %s\n\n%s",
		g.Name, g.What, g.File, g.Func, g.Test, g.Assert, r.Verdict, indent(r.Why), strings.ReplaceAll(r.Output, "\x16", ""))
	return err
}

// indent keeps a message of several lines in its place.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n           ")
}
