package mutate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
)

// All tests are asked, also after one has failed or has ended its process.
func TestMatrix(t *testing.T) {
	dir := t.TempDir()
	unpack(t, "testdata/matrix.txtar", dir)
	before := snapshot(t, dir)
	got, err := mutate.Generate(t.Context(), mutate.Generation{Dir: dir, Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off"),
		Packages: []string{"."}, Suites: []string{"./kind", "./last"}, Matrix: true})
	require.NoError(t, err)
	rows := make(map[string]mutate.Row)
	verdicts := make(map[string]mutate.Verdict)
	for _, r := range got.Results {
		id := strings.Join(strings.Split(r.Mutant.ID, "/")[:2], "/")
		if _, ok := rows[id]; !ok {
			rows[id], verdicts[id] = r.Row, r.Verdict
		}
	}
	const kind, odd, last, urgent = "example.org/notes/kind TestKind", "example.org/notes/kind TestOdd", "example.org/notes/last TestLast", "example.org/notes/last TestUrgent"
	for _, c := range []struct {
		id      string
		verdict mutate.Verdict
		want    mutate.Row
	}{
		{"Kind/condition-removed", mutate.Caught, mutate.Row{
			Asked: []string{kind, odd, urgent}, Failed: []string{kind + "/urgent", urgent},
			Fixtures: []string{"notes/v1.0.0/urgent", "notes/v1.1.0/urgent"}}},
		{"Kind/early-return", mutate.Caught, mutate.Row{
			Asked: []string{kind, odd, urgent}, Failed: []string{kind + "/plain", kind + "/urgent", urgent},
			Fixtures: []string{"notes/v1.0.0/plain", "notes/v1.0.0/urgent", "notes/v1.1.0/urgent"}}},
		{"Last/arithmetic", mutate.Panicked, mutate.Row{
			Asked: []string{last, urgent}, Failed: []string{last, urgent},
			Fixtures: []string{"notes/v1.0.0/plain", "notes/v1.1.0/urgent"}}},
		{"Kind/constant", mutate.Survived, mutate.Row{Asked: []string{kind, odd, urgent}}},
	} {
		t.Run(c.id, func(t *testing.T) {
			require.Equal(t, c.verdict, verdicts[c.id])
			if diff := cmp.Diff(c.want, rows[c.id]); diff != "" {
				t.Errorf("row (-want +got)\n%s", diff)
			}
		})
	}
	var lines []string
	for _, l := range got.Unreached {
		lines = append(lines, l.String())
	}
	require.Equal(t, []string{"notes.go:12"}, lines)
	lines = nil
	for _, l := range got.Untouched {
		lines = append(lines, l.String())
	}
	require.Equal(t, []string{"notes.go:7", "notes.go:12", "notes.go:14", "notes.go:19"}, lines)
	var none []string
	for _, f := range got.Fixtures {
		require.NotZero(t, f.Asked, f.Fixture)
		if f.Caught == 0 {
			none = append(none, f.Fixture)
		}
	}
	require.Len(t, got.Fixtures, 4)
	require.Equal(t, []string{"notes/v1.0.0/odd"}, none)
	require.Equal(t, before, snapshot(t, dir), "the tree was written to")
}
