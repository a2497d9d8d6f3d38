package corpus_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// caughtBy is the row of the assertion that is meant to catch a regression. One
// of the toolkit itself has a pattern there, and belongs to no row.
var caughtBy = regexp.MustCompile(`(?m)^assert: r([0-9]+)\.`)

// Each row has a regression that an assertion of it is meant to catch. That it
// does is for freeze mutate to show.
func TestEveryRowHasARegression(t *testing.T) {
	files, err := filepath.Glob("../mutations/*.txtar")
	require.NoError(t, err)
	has := make(map[string]bool)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if m := caughtBy.FindSubmatch(text); m != nil {
			has[string(m[1])] = true
		}
	}
	for row := 1; row <= rows; row++ {
		if !has[strconv.Itoa(row)] {
			t.Errorf("row %d: no regression in contracts/mutations is to be caught by an assertion of it", row)
		}
	}
}
