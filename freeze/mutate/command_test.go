package mutate_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/internal/subjects"
)

// subject makes one of the programs that are not Go, with the files of an
// archive beside it, and returns its regressions.
func subject(t *testing.T, name, program, file string) (dir string, all []*regression.Regression) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("PERMAFROST_CHECK") != "" {
			t.Fatalf("%s is missing", program)
		}
		t.Skipf("%s is missing", program)
	}
	dir = subjects.Make(t, name)
	unpack(t, file, dir)
	all, err := regression.Load(filepath.Join(dir, "mutations"))
	require.NoError(t, err)
	return dir, all
}

// Each verdict that a command can have has its case.
func TestCommandVerdicts(t *testing.T) {
	dir, all := subject(t, "python", "python3", "testdata/python.txtar")
	before := snapshot(t, dir)
	var slow []*regression.Regression
	for i, r := range all {
		if r.Name == "runaway" {
			slow = []*regression.Regression{r}
			all = slices.Delete(all, i, i+1)
			break
		}
	}
	results, err := mutate.Run(t.Context(), request(dir, all))
	require.NoError(t, err)
	short := request(dir, slow)
	short.Timeout = time.Second
	last, err := mutate.Run(t.Context(), short)
	require.NoError(t, err)
	seen := requireVerdicts(t, append(results, last...))
	// Which statement is changed is known of Go alone.
	want := slices.DeleteFunc(mutate.Verdicts(), func(v mutate.Verdict) bool { return v == mutate.NotReached })
	for _, v := range want {
		require.Contains(t, seen, v, "no case has this verdict")
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("the tree was written to (-before +after)\n%s", diff)
	}
	var b bytes.Buffer
	require.NoError(t, results[slices.IndexFunc(results, func(r mutate.Result) bool { return r.Regression.Name == "caught" })].Explain(&b))
	require.Contains(t, b.String(), "  file:    shelf.py\n  run:     python3 suite.py\n")
}

const shellSuite = `set -eu
HOME=$(mktemp -d)
export HOME
unset XDG_STATE_HOME
mkdir -p "$HOME/.local/state/jot/entries"
id=00000000-0000-4000-8000-000000000000
echo $id >"$HOME/.local/state/jot/index"
printf '{\n  "text": "milk",\n}\n' >"$HOME/.local/state/jot/entries/$id.json"
listed=$(sh jot list)
[ "$listed" = "$id milk" ] || { echo "a note of 1.0.0 is listed as: $listed"; exit 1; }
`

const shellRegression = `what: the notes of 1.0.0 are not read
file: jot
run: sh suite.sh
assert: /(?m)^a note of 1.0.0 is listed as: $/
-- find --
for dir in "$state" "$notes"
-- replace --
for dir in "$notes"
`

// A link in the tree leads to no file outside of the copy.
func TestCommandShell(t *testing.T) {
	dir := subjects.Make(t, "shell")
	jot := filepath.Join(dir, "jot")
	program, err := os.ReadFile(jot)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "suite.sh"), []byte(shellSuite), 0o644))
	r, err := regression.Parse("unread", []byte(shellRegression))
	require.NoError(t, err)
	judge := func() mutate.Result {
		results, err := mutate.Run(t.Context(), request(dir, []*regression.Regression{r}))
		require.NoError(t, err)
		require.Len(t, results, 1)
		return results[0]
	}
	got := judge()
	require.Equal(t, mutate.Caught, got.Verdict, got.Why)

	elsewhere := filepath.Join(t.TempDir(), "jot")
	require.NoError(t, os.Rename(jot, elsewhere))
	require.NoError(t, os.Symlink(elsewhere, jot))
	got = judge()
	require.Equal(t, mutate.Stale, got.Verdict, got.Why)
	now, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, string(program), string(now))
}
