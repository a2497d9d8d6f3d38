package corpus_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/read"
)

// docs/persisted-contracts.md shows the table of who reads whose state as it is
// recorded; freeze read --matrix --check holds the record.
func TestPageShowsTheMatrix(t *testing.T) {
	page, err := os.ReadFile("../../docs/persisted-contracts.md")
	require.NoError(t, err)
	matrix, err := read.Recorded("../read")
	require.NoError(t, err)
	require.NotEmpty(t, matrix.Steps)
	var all strings.Builder
	require.NoError(t, matrix.Markdown(&all))
	table, _, _ := strings.Cut(all.String(), "\n\n")
	if !strings.Contains(string(page), "\n\n"+strings.TrimSpace(table)+"\n\n") {
		t.Errorf("docs/persisted-contracts.md, row 20: the recorded table is\n%s", table)
	}
}
