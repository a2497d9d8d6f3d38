package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// The examples are as frozen, and their page names each of their releases and
// what these say where they do not read. That they can be frozen again takes
// registries, and make examples.
func TestExamples(t *testing.T) {
	text, err := os.ReadFile("../../examples/README.md")
	require.NoError(t, err)
	page := string(text)
	files, err := filepath.Glob("../../examples/*/freeze.toml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			out, err := freezeCommand(dir, t.TempDir(), "check").CombinedOutput()
			require.NoError(t, err, "%s", out)

			l, err := ledger.Load(os.DirFS(filepath.Join(dir, "fixtures")))
			require.NoError(t, err)
			require.Greater(t, len(l.Releases), 1)
			row := regexp.MustCompile(`(?m)^\| \[` + filepath.Base(dir) + `\].*$`).FindString(page)
			for _, r := range l.Releases {
				require.Contains(t, row, r.Version)
				require.Contains(t, row, "`"+r.Package+"`")
			}

			recorded, err := os.ReadFile(filepath.Join(dir, "readers", "matrix.json"))
			require.NoError(t, err)
			var matrix struct {
				Steps []struct{ Outcome, Message string } `json:"steps"`
			}
			require.NoError(t, json.Unmarshal(recorded, &matrix, json.MatchCaseInsensitiveNames(true)))
			require.NotEmpty(t, matrix.Steps)
			for _, s := range matrix.Steps {
				if s.Outcome == "refuses" || s.Outcome == "writes" {
					require.Contains(t, page, s.Message)
				}
			}
		})
	}
}
