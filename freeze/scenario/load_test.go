package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// write makes a scenarios folder of one file and returns it.
func write(t testing.TB, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return dir
}

func load(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	all, err := scenario.Load(write(t, "notes/one.txtar", text))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func TestLoadSorts(t *testing.T) {
	dir := write(t, "b/two.txtar", "exec true\n")
	for _, name := range []string{"b/one.txtar", "a/z.txtar", "codex.sh", "a/helper.sh"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("exec true\n"), 0o666))
	}
	all, err := scenario.Load(dir)
	require.NoError(t, err)
	var got []string
	for _, s := range all {
		got = append(got, s.Family+"/"+s.Name)
	}
	if d := cmp.Diff([]string{"a/z", "b/one", "b/two"}, got); d != "" {
		t.Errorf("Load (-want +got)\n%s", d)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"unknown header", "n/s.txtar", "# A story.\n# sinse: v1.0.0\nexec x\n", `n/s.txtar:2: header "sinse" is not known; there are since and until`},
		{"header in capitals", "n/s.txtar", "# Since: v1.0.0\nexec x\n", `n/s.txtar:1: header "Since" is not known; there are since and until`},
		{"header twice", "n/s.txtar", "# since: v1.0.0\n#since: v1.0.0\nexec x\n", `n/s.txtar:2: since: is there twice`},
		{"header no release", "n/s.txtar", "# until: 1.0\nexec x\n", `n/s.txtar:1: until: "1.0" is not a release, as in v1.2.3`},
		{"header short release", "n/s.txtar", "# until: v1.0\nexec x\n", `n/s.txtar:1: until: "v1.0" is not a release, as in v1.2.3`},
		{"header without value", "n/s.txtar", "# since:\nexec x\n", `n/s.txtar:1: since: "" is not a release, as in v1.2.3`},
		{"header too late", "n/s.txtar", "exec x\n\n# since: v1.0.0\n", `n/s.txtar:3: since: belongs ahead of the first command`},
		{"bounds crossed", "n/s.txtar", "# since: v2.0.0\n# until: v1.9.0\nexec x\n", `n/s.txtar:1: since v2.0.0 is after until v1.9.0`},
		{"skip", "n/s.txtar", "exec x\nskip 'why not'\n", `n/s.txtar:2: skip: a scenario is played to its end`},
		{"stop", "n/s.txtar", "[release>=v1.0.0] stop\n", `n/s.txtar:1: stop: a scenario is played to its end`},
		{"system", "n/s.txtar", "[linux] exec x\n", `n/s.txtar:1: condition [linux]: a scenario knows`},
		{"unix", "n/s.txtar", "[!unix] exec x\n", `n/s.txtar:1: condition [unix]: a scenario knows`},
		{"program", "n/s.txtar", "exec y\n\n[exec:git] exec x\n", `n/s.txtar:3: condition [exec:git]: a scenario knows`},
		{"bare release", "n/s.txtar", "[release] exec x\n", `n/s.txtar:1: condition [release]: a scenario knows`},
		{"release not whole", "n/s.txtar", "[release>=v1] exec x\n", `n/s.txtar:1: condition [release>=v1]: a scenario knows`},
		{"operator", "n/s.txtar", "[release!=v1.0.0] exec x\n", `n/s.txtar:1: condition [release!=v1.0.0]: a scenario knows`},
		{"blanks", "n/s.txtar", "[release >= v1.0.0] exec x\n", `n/s.txtar:1: condition "[release": a condition is one word`},
		{"second of two", "n/s.txtar", "[tmux] [short] exec x\n", `n/s.txtar:1: condition [short]: a scenario knows`},
		{"nothing conditioned", "n/s.txtar", "[tmux]\n", `n/s.txtar:1: a condition without a command`},
		{"use by variable", "n/s.txtar", "use $V\n", `n/s.txtar:1: usage: use VERSION`},
		{"use of two", "n/s.txtar", "use v1.0.0 v1.1.0\n", `n/s.txtar:1: usage: use VERSION`},
		{"open quote", "n/s.txtar", "exec x\nexec 'y\n", `n/s.txtar: line 2: the quote that begins in "'y" has no end`},
		{"no command", "n/s.txtar", "# only talk\n-- a --\n", `n/s.txtar: has no command`},
		{"leads out", "n/s.txtar", "exec x\n-- ../a --\n", `n/s.txtar: file "../a": not a plain relative path below the project`},
		{"absolute", "n/s.txtar", "exec x\n-- /etc/a --\n", `n/s.txtar: file "/etc/a": not a plain relative path below the project`},
		{"in and out", "n/s.txtar", "exec x\n-- a/../../b --\n", `n/s.txtar: file "a/../../b": not a plain relative path below the project`},
		{"same file twice", "n/s.txtar", "exec x\n-- a --\n-- a --\n", `n/s.txtar: file "a": is in the archive twice`},
		{"old ending", "n/s.txt", "exec x\n", `n/s.txt: a scenario ends in .txtar`},
		{"odd name", "n/a b.txtar", "exec x\n", `n/a b.txtar: "a b" is not a name for a scenario`},
		{"hidden name", "n/.a.txtar", "exec x\n", `n/.a.txtar: ".a" is not a name for a scenario`},
		{"odd family", "A b/s.txtar", "exec x\n", `A b: "A b" is not a name for a family`},
		{"reserved family", "scenarios/s.txtar", "exec x\n", `scenarios: "scenarios" is not a name for a family`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, tt.file, tt.text)
			_, err := scenario.Load(dir)
			require.Error(t, err)
			got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("Load says\n%s\nwant it to begin\n%s", got, tt.want)
			}
		})
	}
}

func TestLoadTakesProse(t *testing.T) {
	s := load(t, "# A user writes two notes: one is short.\n# https://example.org/why says more\n\n# since: v1.0.0\nexec x\n# Now: the second one.\nexec y\n")
	if s.Since != "v1.0.0" {
		t.Errorf("since is %q, want v1.0.0", s.Since)
	}
}

func TestLoadNamesEveryBadFile(t *testing.T) {
	dir := write(t, "a/one.txtar", "skip\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "two.txtar"), []byte("stop\n"), 0o666))
	_, err := scenario.Load(dir)
	require.ErrorContains(t, err, "one.txtar:1:")
	require.ErrorContains(t, err, "two.txtar:1:")
}

func TestFor(t *testing.T) {
	for _, tt := range []struct {
		header, version string
		want            bool
	}{
		{"", "v0.1.0", true},
		{"", scenario.Head, true},
		{"# since: v0.2.0\n", "v0.1.9", false},
		{"# since: v0.2.0\n", "v0.2.0", true},
		{"# since: v0.2.0\n", "v0.2.0-rc.1", false},
		{"# since: v0.2.0\n", "v0.10.0", true},
		{"# since: v0.2.0\n", scenario.Head, true},
		{"# until: v0.3.0\n", "v0.3.0", true},
		{"# until: v0.3.0\n", "v0.3.1", false},
		{"# until: v0.3.0\n", scenario.Head, false},
		{"# since: v0.2.0\n# until: v0.2.0\n", "v0.2.0", true},
	} {
		if got := load(t, tt.header+"exec x\n").For(tt.version); got != tt.want {
			t.Errorf("%q for %s: %v, want %v", tt.header, tt.version, got, tt.want)
		}
	}
}
