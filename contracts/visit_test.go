package contracts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

func TestVisitJudgesWhatWasAsked(t *testing.T) {
	tests := []struct {
		odd   string
		check bool // as in make check
		args  []string
		code  int
		want  []string // in the output
		not   string
	}{
		{odd: "visits", code: 0, not: "contracts:"},
		{odd: "visits and leaves a scenario out", code: 1, want: []string{
			"notes/v1.0.0/killed: no subtest compared anything of it", "notes/v1.1.0/killed: no subtest compared anything of it"}, not: "row"},
		{odd: "visits and leaves a release out of a row", code: 1, want: []string{"notes/v1.1.0: row 3 is asserted, and not of this release"}, not: "row 2"},
		{odd: "visits and asks nothing", code: 1, want: []string{"no row is asserted at all"}},
		{odd: "visits and lacks a program", code: 0, want: []string{"was not judged", "no such program"}},
		{odd: "visits and lacks a program", check: true, code: 1, want: []string{"--- FAIL: TestVisit", "no such program"}, not: "not judged"},
		{odd: "visits and leaves a scenario out", args: []string{"-test.run=TestVisit"}, code: 0, want: []string{"was not judged", "-run"}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(append([]string{tt.odd}, tt.args...), " "), func(t *testing.T) {
			t.Parallel()
			cmd := suite(t, "odd", tt.args...)
			cmd.Env = append(cmd.Env, "ODD="+tt.odd, "PERMAFROST_CHECK="+map[bool]string{true: "1"}[tt.check])
			out, code := run(t, cmd)
			require.Equal(t, tt.code, code, out)
			for _, want := range tt.want {
				require.Contains(t, out, want)
			}
			if tt.not != "" {
				require.NotContains(t, out, tt.not)
			}
		})
	}
}

// A visitor runs in the hostile place, too.
func TestVisitRunsTheSuiteInAHostilePlace(t *testing.T) {
	cmd := suite(t, "odd")
	cmd.Env = append(cmd.Env, "ODD=visits and wants UTC")
	out, code := run(t, cmd)
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "hostile: --- FAIL: TestPlace")
}

// In a box there is more than the fixture: it is in nobody's way, and none of
// it is looked at.
func TestThawIntoABox(t *testing.T) {
	one(t, "add", func(t *testing.T, f *contracts.Fixture) {
		box := t.TempDir()
		for _, dir := range []string{"home", "project", "bin"} {
			require.NoError(t, os.Mkdir(filepath.Join(box, dir), 0o755))
		}
		th := f.Thaw(t, contracts.IntoBox(box))
		real, err := filepath.EvalSymlinks(box)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(real, "project"), th.Path("project"))
		config, err := fs.ReadFile(th.FS(t, "."), state+"/config.toml")
		require.NoError(t, err)
		require.Contains(t, string(config), real+"/project")
		require.NoError(t, os.WriteFile(filepath.Join(box, "bin", "more"), nil, 0o600))
		f.Equal(t, "r1.box", len(config) > 0, true)
		require.True(t, f.Unchanged(t))
		for _, dir := range []string{"home", "project"} {
			name := filepath.Join(box, dir, "more")
			require.NoError(t, os.WriteFile(name, nil, 0o600))
			require.False(t, f.Unchanged(&told{TB: t}), dir)
			require.NoError(t, os.Remove(name))
		}
		require.Panics(t, func() { f.Thaw(stopping{&told{TB: t}}, contracts.IntoBox(box)) }, "it is not empty now")
	})
}

// stopping is a test that ends by a panic.
type stopping struct{ *told }

func (stopping) FailNow() { panic(errStopped) }
