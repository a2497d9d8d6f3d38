package contracts_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// config is a file that every read ledger below is asked about.
const config = "notes/v1.0.0/add/tree/home/%2Elocal/state/jot/config.toml"

// empty is one in which there is nothing to read.
const empty = "notes/v1.0.0/killed/tree/project/%2Egit/info/exclude"

func TestMainJudgesWhatWasRead(t *testing.T) {
	unread := config + ": no subtest read it and compared afterwards"
	tests := []struct {
		odd  string
		args []string
		code int
		want []string // in the output
		not  string
	}{
		{odd: "", code: 0},
		{odd: "wants UTC where it is asked", code: 0},
		{odd: "thaws", code: 1, want: []string{unread, empty}},
		{odd: "reads", code: 1, want: []string{unread, empty}},
		{odd: "compares before it reads", code: 1, want: []string{unread, empty}},
		{odd: "compares elsewhere", code: 1, want: []string{unread, empty}},
		{odd: "reads the beginnings", code: 1, want: []string{unread}, not: empty},
		{odd: "compares with anything", code: 1, want: []string{"r1.anything: under these options the wanted value equals the zero value"}},
		{odd: "looks", code: 0},
		{odd: "looks and does not compare", code: 1, want: []string{unread, empty}},
		{odd: "writes where it looks", code: 1, want: []string{"notes/v1.0.0/add: a test that was to look at it only wrote to it", `"home/left"`}},
		{odd: "thaws", args: []string{"-test.run=TestNotes"}, code: 0, want: []string{"was not judged", "-run"}},
		{odd: "thaws", args: []string{"-test.skip=TestAgain"}, code: 0, want: []string{"was not judged", "-skip"}},
		{odd: "thaws", args: []string{"-test.short"}, code: 0, want: []string{"was not judged", "-short"}},
	}
	for _, tt := range tests {
		t.Run(strings.Join(append([]string{tt.odd}, tt.args...), " "), func(t *testing.T) {
			t.Parallel()
			cmd := suite(t, "odd", tt.args...)
			cmd.Env = append(cmd.Env, "ODD="+tt.odd)
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

func TestMainRunsTheSuiteInAHostilePlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("umask and HOME are of Unix")
	}
	tests := []struct{ odd, want string }{
		{"wants UTC", "TestPlace"},
		{"wants a plain HOME", "TestPlace"},
		{"wants no space", "TestPlace"},
		{"wants a plain place", "TestNotes"},
		{"wants no hyphen", "TestPlace"},
		{"wants a lax umask", "TestPlace"},
		{"writes to the fixtures", "the fixtures were written to"},
		{"makes a fifo of the fixtures", "the fixtures were written to"},
	}
	for _, tt := range tests {
		t.Run(tt.odd, func(t *testing.T) {
			t.Parallel()
			cmd := suite(t, "odd")
			cmd.Env = append(cmd.Env, "ODD="+tt.odd)
			out, code := run(t, cmd)
			require.Equal(t, 1, code, out)
			require.Contains(t, out, tt.want)
			require.Contains(t, out, "the tests pass here and fail in the hostile environment")
		})
	}
}

// Neither run waits for the other to end: each waits here for the other to begin.
func TestMainRunsInBothPlacesAtOnce(t *testing.T) {
	cmd := suite(t, "odd")
	cmd.Env = append(cmd.Env, "ODD=waits for the other run", "MEET="+t.TempDir())
	out, code := run(t, cmd)
	require.Equal(t, 0, code, out)
}

// A file that nothing reads is found in whatever release it lies.
func TestMainFindsAFileThatIsNew(t *testing.T) {
	dir := copyCorpus(t)
	const name = "notes/v1.1.0/add/tree/home/left"
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("over"), 0o644))
	cmd := suite(t, "odd")
	cmd.Env = append(cmd.Env, contracts.FixturesEnv+"="+dir)
	out, code := run(t, cmd)
	require.Equal(t, 1, code, out)
	require.Contains(t, out, name+": no subtest read it")
}

func TestEachFindsWhatIsMissing(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, dir string)
		want   []string
	}{
		{"a release", remove("notes/v1.0.0"), []string{"--- FAIL: TestNotes/v1.0.0", "notes/v1.0.0/bindings.json"}},
		{"the family", remove("notes"), []string{"notes/v1.0.0/bindings.json", "notes/v1.1.0/bindings.json"}},
		{"the family and its scenarios", func(t *testing.T, dir string) {
			remove("notes")(t, dir)
			require.NoError(t, os.Rename(filepath.Join(dir, "scenarios", "notes"), filepath.Join(dir, "scenarios", "other")))
		}, []string{`family "notes": no release`}},
		{"a file", remove(config), []string{"--- FAIL: TestNotes/v1.0.0", config}},
		{"a manifest edited", replace("notes/v1.0.0/bindings.json", `"from": "20`, `"from": "19`), []string{
			"--- FAIL: TestNotes/v1.0.0", "notes/v1.0.0/bindings.json: is not the manifest that was frozen"}},
		{"the ledger", remove("releases.toml"), []string{"releases.toml"}},
		{"the scenarios", remove("scenarios"), []string{"nothing says what fixtures a release should have"}},
		{"a scenario's fixture", func(t *testing.T, dir string) {
			write(t, dir, "scenarios/notes/later.txtar", "# since: v1.1.0\nexec jot init\n")
		}, []string{"notes/v1.1.0/later: the release has neither this fixture nor a waiver"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := copyCorpus(t)
			tt.change(t, dir)
			cmd := suite(t, "odd")
			cmd.Env = append(cmd.Env, contracts.FixturesEnv+"="+dir)
			out, code := run(t, cmd)
			require.Equal(t, 1, code, out)
			for _, want := range tt.want {
				require.Contains(t, out, want)
			}
		})
	}
}

// A waived release is none that a suite waits for.
func TestEachKnowsWaivers(t *testing.T) {
	dir := copyCorpus(t)
	remove("notes/v1.1.0")(t, dir)
	edit(t, dir, "releases.toml", func(s string) string {
		return s + "\n[[release.waiver]]\nfamily = \"notes\"\nreason = \"lost in a fire\"\ndate = \"2026-11-30\"\n"
	})
	cmd := suite(t, "odd", "-test.v")
	cmd.Env = append(cmd.Env, contracts.FixturesEnv+"="+dir)
	out, code := run(t, cmd)
	require.Zero(t, code, out)
	require.Contains(t, out, "PASS: TestNotes/v1.0.0/add")
	require.NotContains(t, out, "TestNotes/v1.1.0")
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	t.Setenv(contracts.FixturesEnv, "")
	write(t, top, "fixtures/releases.toml", "format = 1\n")
	write(t, top, "a/go.mod", "module a\n")
	write(t, top, "b/c/d/file", "")
	got, err := contracts.Find(filepath.Join(top, "b", "c", "d"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(top, "fixtures"), got)
	_, err = contracts.Find(filepath.Join(top, "a"))
	require.True(t, contracts.Absent(err), err)
	t.Setenv(contracts.FixturesEnv, "relative")
	_, err = contracts.Find(top)
	require.ErrorContains(t, err, `PERMAFROST_FIXTURES="relative": is no absolute path`)
}
