package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
)

// fixtureJSON is what the tests of a fixture caught.
type fixtureJSON struct {
	Fixture string `json:"fixture"`
	Asked   int    `json:"asked"`
	Caught  int    `json:"caught"`
}

func toFixtures(all []mutate.FixtureResult) []fixtureJSON {
	var out []fixtureJSON
	for _, f := range all {
		out = append(out, fixtureJSON(f))
	}
	return out
}

// caughtIn are the fixtures whose tests failed.
func caughtIn(read map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(read)), func(name string) bool { return !read[name] })
}

func places(lines []mutate.Line) []string {
	var all []string
	for _, l := range lines {
		all = append(all, l.String())
	}
	return all
}

// row is the mutant in the matrix, or empty.
func (m mutantJSON) row() string {
	var b strings.Builder
	for _, part := range []struct {
		name string
		all  []string
	}{{"asked", m.Asked}, {"failed", m.Failed}, {"fixtures", m.Fixtures}} {
		for i, one := range part.all {
			if i > 0 {
				part.name = ""
			}
			fmt.Fprintf(&b, "  %-9s %s\n", part.name, one)
		}
	}
	return b.String()
}

// printFixtures is a table of what each fixture catches.
func printFixtures(to io.Writer, all []mutate.FixtureResult) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	for _, f := range all {
		caught := fmt.Sprintf("catches %d", f.Caught)
		if f.Caught == 0 {
			caught = "CATCHES NOTHING"
		}
		fmt.Fprintf(w, "%s\t%s\tof %d\n", f.Fixture, caught, f.Asked)
	}
	return w.Flush()
}

// printLines names the lines of each file, those in a row by the first and the
// last.
func printLines(w io.Writer, what string, lines []mutate.Line) error {
	var b strings.Builder
	for i := 0; i < len(lines); {
		file, sep := lines[i].File, ": "+what+" "
		b.WriteString(file)
		for i < len(lines) && lines[i].File == file {
			first, last := lines[i].Number, lines[i].Number
			for i++; i < len(lines) && lines[i].File == file && lines[i].Number == last+1; i++ {
				last++
			}
			fmt.Fprintf(&b, "%s%d", sep, first)
			if last > first {
				fmt.Fprintf(&b, "-%d", last)
			}
			sep = ", "
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
