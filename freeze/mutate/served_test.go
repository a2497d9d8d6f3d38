//go:build unix

package mutate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
)

// In one process mutants have the verdicts that they have alone, also where one
// leaves state to the next: which mutants leave any is seen, and nothing after
// them is judged by it.
func TestServed(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/leak.txtar")
	require.NoError(t, err)
	leak := shelf(t)
	leak.Dir, leak.Suites = t.TempDir(), []string{"."}
	require.NoError(t, txtar.Write(archive, leak.Dir))
	// One that passes once in a process is judged alone, and so is all with it.
	once := leak
	once.Dir = t.TempDir()
	require.NoError(t, txtar.Write(archive, once.Dir))
	require.NoError(t, os.WriteFile(filepath.Join(once.Dir, "once_test.go"), []byte("package leak\n\nimport \"testing\"\n\nvar runs int\n\nfunc TestOnce(t *testing.T) {\n\tif runs++; runs > 1 {\n\t\tt.Error(\"once more\")\n\t}\n}\n"), 0o644))
	main := leak
	main.Dir = t.TempDir()
	require.NoError(t, txtar.Write(archive, main.Dir))
	require.NoError(t, os.WriteFile(filepath.Join(main.Dir, "main_test.go"), []byte("package leak\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) { m.Run() }\n"), 0o644))
	for name, c := range map[string]struct {
		mutate.Generation
		serves bool
	}{"shelf": {shelf(t), true}, "leak": {leak, true}, "once": {once, false}, "main": {main, false}} {
		t.Run(name, func(t *testing.T) {
			g := c.Generation
			g.Jobs = 1 // in the order of the source
			served, err := mutate.Generate(t.Context(), g)
			require.NoError(t, err)
			g.Isolate = true
			alone, err := mutate.Generate(t.Context(), g)
			require.NoError(t, err)
			require.NotEmpty(t, alone.Results)
			if diff := cmp.Diff(verdicts(alone.Results), verdicts(served.Results)); diff != "" {
				t.Errorf("verdicts (-alone +served)\n%s", diff)
			}
			together := 0
			for _, r := range served.Results {
				if r.Served {
					require.Equal(t, mutate.Caught, r.Verdict, r.Mutant.ID)
					together++
				}
			}
			require.Equal(t, c.serves, together > 0)
			for _, r := range alone.Results {
				require.False(t, r.Served, r.Mutant.ID)
			}
			if name != "leak" {
				return
			}
			all := byID(served.Results)
			for id, want := range map[string]bool{
				"Total/early-return":  true,
				"Sum/loop-skipped":    true,  // after panics
				"Child/early-return":  true,  // in a process that a test starts
				"prefix/early-return": false, // runs before any test
			} {
				require.Equal(t, want, all[id][0].Served, id)
			}
			// Mark has left another unit by then, and its test passes.
			require.Equal(t, mutate.Survived, all["note/early-return"][0].Verdict)
			require.Equal(t, mutate.Survived, all["Price/boundary"][0].Verdict)
			require.Equal(t, mutate.Survived, all["Length/look-up"][0].Verdict)
			require.Equal(t, mutate.Caught, all["Length/assignment-skipped"][0].Verdict)
		})
	}
}
