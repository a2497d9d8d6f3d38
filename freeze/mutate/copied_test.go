package mutate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
)

// A command writes through every link of the tree that leads into it, and reads
// by one that leads out.
const linkSuite = `set -eu
echo begun >data/log
for link in absolute folder/log relative roundabout alias chain; do
	echo "$link" >>"$link"
done
[ "$(wc -l <data/log)" -eq 7 ] || { echo "not all was written to data/log:"; cat data/log; exit 1; }
[ "$(cat beside)" = "from beside" ] || { echo "what lies beside the tree is not read"; exit 1; }
! [ -e nowhere ]
[ "$(cat word)" = right ] || { echo "the word is wrong"; exit 1; }
`

const linkRegression = `what: the word is another
file: word
run: sh suite.sh
assert: /^the word is wrong/
-- find --
right
-- replace --
wrong
`

// What a command writes by a link of the tree stays in its copy.
func TestCommandLinks(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "tree")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "data"), 0o755))
	for name, text := range map[string]string{
		"tree/suite.sh": linkSuite, "tree/word": "right\n", "tree/data/log": "frozen\n", "beside": "from beside\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink(dir, filepath.Join(top, "alias")))
	for name, target := range map[string]string{
		"absolute":   filepath.Join(dir, "data", "log"),
		"folder":     filepath.Join(dir, "data"),
		"relative":   "data/log",
		"roundabout": "../tree/data/log",
		"alias":      filepath.Join(top, "alias", "data", "log"),
		"chain":      filepath.Join(dir, "folder", "log"),
		"beside":     "../beside",
		"nowhere":    filepath.Join(dir, "data", "nowhere"),
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	r, err := regression.Parse("word", []byte(linkRegression))
	require.NoError(t, err)
	results, err := mutate.Run(t.Context(), request(dir, []*regression.Regression{r}))
	require.NoError(t, err)
	log, err := os.ReadFile(filepath.Join(dir, "data", "log"))
	require.NoError(t, err)
	if diff := cmp.Diff("frozen\n", string(log)); diff != "" {
		t.Errorf("the tree was written to (-before +after)\n%s", diff)
	}
	require.Equal(t, mutate.Caught, results[0].Verdict, "%s\n%s", results[0].Why, results[0].Output)
}
