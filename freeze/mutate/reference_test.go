package mutate_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
)

// The reference has every verdict and every operator, in order, and no other;
// its examples are regressions.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("../../docs/mutation.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(data), "## Verdicts\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	var documented []mutate.Verdict
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, mutate.Verdict(row[1]))
	}
	if diff := cmp.Diff(mutate.Verdicts(), documented); diff != "" {
		t.Errorf("verdicts (-there are +documented)\n%s", diff)
	}
	_, table, ok = strings.Cut(string(data), "| operator | is |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	var operators []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(table, -1) {
		operators = append(operators, row[1])
	}
	if diff := cmp.Diff(source.Operators(), operators); diff != "" {
		t.Errorf("operators (-there are +documented)\n%s", diff)
	}
	examples := regexp.MustCompile("(?s)```\n(what: .*?)```").FindAllSubmatch(data, -1)
	require.Len(t, examples, 2)
	r, err := regression.Parse("example", examples[0][1])
	require.NoError(t, err)
	require.Equal(t, "Runner.Attach", r.Func)
	r, err = regression.Parse("example", examples[1][1])
	require.NoError(t, err)
	require.Equal(t, "python3 suite.py", r.Run)
}
