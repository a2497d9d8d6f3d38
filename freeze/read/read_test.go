package read_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/read"
)

func diffLines(t *testing.T, want []string, r *read.Report) {
	t.Helper()
	require.NoError(t, r.Broken())
	if d := cmp.Diff(want, lines(r)); d != "" {
		t.Errorf("steps (-want +got)\n%s", d)
	}
}

// jot 1.1.0 reads what 1.0.0 left. The other way round its notes lie where
// 1.0.0 does not look: it lists none, as if there were none.
func TestShellSubject(t *testing.T) {
	p := frozen(t, "shell", "notes", "add").scripts(map[string]string{"notes": `# family: notes
read list /*/id /*/text /*/blob jot list --json
read latest /id /text jot show latest
read nobody jot show nobody
`})
	diffLines(t, []string{
		"notes, notes/add of v1.0.0: v1.0.0 reads list",
		"notes, notes/add of v1.0.0: v1.0.0 reads latest",
		"notes, notes/add of v1.0.0: v1.0.0 reads nobody",
		"notes, notes/add of v1.0.0: v1.1.0 reads list",
		"notes, notes/add of v1.0.0: v1.1.0 reads latest",
		"notes, notes/add of v1.0.0: v1.1.0 reads nobody",
		"notes, notes/add of v1.0.0: HEAD reads list",
		"notes, notes/add of v1.0.0: HEAD reads latest",
		"notes, notes/add of v1.0.0: HEAD reads nobody",
		`notes, notes/add of v1.1.0: v1.0.0 misreads list: /*/id is not there, the view has "{id}"`,
		`notes, notes/add of v1.1.0: v1.0.0 refuses latest: jot: no note "latest"`,
		"notes, notes/add of v1.1.0: v1.0.0 reads nobody",
		"notes, notes/add of v1.1.0: v1.1.0 reads list",
		"notes, notes/add of v1.1.0: v1.1.0 reads latest",
		"notes, notes/add of v1.1.0: v1.1.0 reads nobody",
		"notes, notes/add of v1.1.0: HEAD reads list",
		"notes, notes/add of v1.1.0: HEAD reads latest",
		"notes, notes/add of v1.1.0: HEAD reads nobody",
	}, p.read(read.Request{With: read.This, Matrix: true}))
}

// shelf 1.1.0 says the same of a book of 1.0.0 elsewhere in its answer; 1.0.0
// hands a book of 1.1.0 through as it is, and prints for its title what is not.
func TestPythonSubject(t *testing.T) {
	const dict = `/3 is "{hex} {'text': 'A new one', 'dig..., in the view "{hex} A new one"`
	p := frozen(t, "python", "shelf", "lend").scripts(map[string]string{
		"books": `# family: shelf
[reader>=v1.1.0] [fixture<v1.1.0] read list /*/id /*/title/text=/*/title /*/title/digest=/*/title_digest shelf list --json
[reader<v1.1.0] [fixture<v1.1.0] read list shelf list --json
[fixture>=v1.1.0] read list shelf list --json
[reader<v1.1.0] read newest shelf show newest
[reader>=v1.1.0] read newest /id shelf show newest
read missing shelf show missing
`,
		"lent": `# family: shelf
# reader-since: v1.1.0
exec shelf add 'A new one'
view grown shelf list
use fixture
read grown shelf list
unchanged
use this
read grown shelf list
`})
	diffLines(t, []string{
		"books, shelf/lend of v1.0.0: v1.0.0 reads list",
		"books, shelf/lend of v1.0.0: v1.0.0 reads newest",
		"books, shelf/lend of v1.0.0: v1.0.0 reads missing",
		"books, shelf/lend of v1.0.0: v1.1.0 reads list",
		"books, shelf/lend of v1.0.0: v1.1.0 reads newest",
		"books, shelf/lend of v1.0.0: v1.1.0 reads missing",
		"books, shelf/lend of v1.0.0: HEAD reads list",
		"books, shelf/lend of v1.0.0: HEAD reads newest",
		"books, shelf/lend of v1.0.0: HEAD reads missing",
		"books, shelf/lend of v1.1.0: v1.0.0 reads list",
		"books, shelf/lend of v1.1.0: v1.0.0 reads newest",
		"books, shelf/lend of v1.1.0: v1.0.0 reads missing",
		"books, shelf/lend of v1.1.0: v1.1.0 reads list",
		"books, shelf/lend of v1.1.0: v1.1.0 reads newest",
		"books, shelf/lend of v1.1.0: v1.1.0 reads missing",
		"books, shelf/lend of v1.1.0: HEAD reads list",
		"books, shelf/lend of v1.1.0: HEAD reads newest",
		"books, shelf/lend of v1.1.0: HEAD reads missing",
		"lent, shelf/lend of v1.0.0 after v1.1.0: v1.0.0 misreads grown: " + dict,
		"lent, shelf/lend of v1.0.0: v1.1.0 reads grown",
		"lent, shelf/lend of v1.0.0 after HEAD: v1.0.0 misreads grown: " + dict,
		"lent, shelf/lend of v1.0.0: HEAD reads grown",
		"lent, shelf/lend of v1.1.0: v1.1.0 reads grown",
		"lent, shelf/lend of v1.1.0: v1.1.0 reads grown",
		"lent, shelf/lend of v1.1.0 after HEAD: v1.1.0 reads grown",
		"lent, shelf/lend of v1.1.0: HEAD reads grown",
	}, p.read(read.Request{With: read.This, Matrix: true}))
}

// Three programs that answer wrongly, each in a way of its own, and one that
// answers rightly and writes.
func TestOutcomes(t *testing.T) {
	p := frozen(t, "shell", "notes", "add").scripts(map[string]string{
		"list":    "# family: notes\n# until: v1.0.0\nread list /*/id /*/text jot list --json\n",
		"quiet":   "# family: notes\n# until: v1.0.0\nread list /*/id /*/text jot list --json\nunchanged\n",
		"refused": "# family: notes\n# since: v1.1.0\n[reader>=v1.1.0] read list /*/id jot list --json\n",
	})
	p.plant("forgets", "jot", "\tcomma=\n", "\tset -- \"$1\"; [ \"$1\" = --json ] && { echo ']'; return; }\n\tcomma=\n")
	p.plant("refuses", "jot", "list() { # [--json]\n", "list() { # [--json]\n\t[ -e \"$state/index\" ] && die \"$state is of jot 1.0.0\"\n")
	p.plant("writes", "jot", "list() { # [--json]\n", "list() { # [--json]\n\t[ -e \"$state/index\" ] && { mv \"$state/index\" \"$state/broken\"; die 'the index is gone'; }\n")
	p.plant("touches", "jot", "list() { # [--json]\n", "list() { # [--json]\n\techo >\"$state/cache\"\n")
	for _, tt := range []struct {
		with      string
		list      string
		quiet     string
		bad, lone bool
	}{
		{"v1.1.0", "reads list", "reads list", false, false},
		{"forgets", `misreads list: /*/id is not there, the view has "{id}"`, `misreads list: /*/id is not there, the view has "{id}"`, true, true},
		{"refuses", "refuses list: jot: {home}/.local/state/jot is of jot 1.0.0", "refuses list: jot: {home}/.local/state/jot is of jot 1.0.0", true, false},
		{"writes",
			"writes list: jot: the index is gone (wrote home/.local/state/jot/broken, home/.local/state/jot/index)",
			"writes list: jot: the index is gone (wrote home/.local/state/jot/broken, home/.local/state/jot/index)", true, false},
		{"touches", "reads list", "writes list (wrote home/.local/state/jot/cache)", true, false},
	} {
		t.Run(tt.with, func(t *testing.T) {
			r := p.read(read.Request{With: tt.with})
			program := "HEAD"
			if tt.with == "v1.1.0" {
				program = "v1.1.0"
			}
			last := "refused, notes/add of v1.1.0: " + program + " reads list"
			if tt.lone {
				last = "refused, notes/add of v1.1.0: " + program + " misreads list: /*/id is not there, the view has \"{id}\""
			}
			diffLines(t, []string{
				"list, notes/add of v1.0.0: " + program + " " + tt.list,
				"quiet, notes/add of v1.0.0: " + program + " " + tt.quiet,
				last,
			}, r)
			require.Equal(t, tt.bad, r.Bad(false) != nil)
		})
	}
}

// A matrix is the same whenever it is made; another one is told line by line.
// What releases do with each other's state is accepted, what today's code does
// is not.
func TestRecord(t *testing.T) {
	p := frozen(t, "shell", "notes", "add").scripts(map[string]string{"list": "# family: notes\nread list /*/id /*/text jot list --json\n"})
	dir := filepath.Join(p.repo, "readers")
	all := read.Request{With: read.This, Matrix: true}
	r := p.read(all)
	require.ErrorContains(t, r.Compare(dir), "matrix.json is not there: freeze read --matrix --record writes it")
	require.NoError(t, r.Record(dir))
	again := p.read(all)
	require.NoError(t, again.Compare(dir))
	require.Error(t, again.Bad(false))
	require.NoError(t, again.Bad(true))

	recorded, err := read.Recorded(dir)
	require.NoError(t, err)
	if d := cmp.Diff(again.Steps, recorded.Steps); d != "" {
		t.Errorf("Recorded (-want +got)\n%s", d)
	}

	p.edit("readers/matrix.json", func(text string) string {
		require.Contains(t, text, `"outcome":"misreads"`)
		return strings.Replace(text, `"outcome":"misreads"`, `"outcome":"reads"`, 1)
	})
	var drift *read.DriftError
	require.ErrorAs(t, again.Compare(dir), &drift)
	require.Regexp(t, `(?m)^-\{.*"program":"v1\.0\.0","writer":"v1\.1\.0","outcome":"reads"`, drift.Diff)
	require.Regexp(t, `(?m)^\+\{.*"program":"v1\.0\.0","writer":"v1\.1\.0","outcome":"misreads"`, drift.Diff)
}

// What cannot be judged is said, whatever else was read.
func TestBroken(t *testing.T) {
	p := frozen(t, "shell", "notes", "add").scripts(map[string]string{
		"fails":   "# family: notes\n# until: v1.0.0\nread list jot list --json\nexec jot fly\n",
		"idle":    "# family: notes\n# until: v1.0.0\n[fixture>v1.0.0] read list jot list --json\n",
		"insists": "# family: notes\n# until: v1.0.0\n! read list /*/id jot list --json\n",
		"missing": "# family: notes\n# until: v1.0.0\nread tree jot list --json\n",
		"twice":   "# family: notes\n# until: v1.0.0\nread latest /id jot show latest\nview list jot list\n",
		"writes":  "# family: notes\n# until: v1.0.0\nread latest /id jot show latest\nunchanged\nexec jot add x\nunchanged\n",
	})
	r := p.read(read.Request{With: "v1.1.0"})
	var why []string
	for _, f := range r.Failed {
		first, _, _ := strings.Cut(f.Error, "\n")
		why = append(why, f.Script+": "+strings.TrimPrefix(first, filepath.Join(p.repo, "readers")+"/"))
	}
	const wrote = "home/.local/state/jot/log.jsonl, home/.local/state/jot/projects, home/.local/state/jot/projects/{hex}, home/.local/state/jot/projects/{hex}/entries, home/.local/state/jot/projects/{hex}/entries/{id}.json, home/.local/state/jot/projects/{hex}/index, home/.local/state/jot/projects/{hex}/latest"
	want := []string{
		"fails: fails.txtar:4: exec jot fly: unexpected command failure",
		"idle: idle.txtar: compared nothing with a view of the release: it needs a line read NAME COMMAND that is played",
		"insists: insists.txtar:3: ! read list /*/id jot list --json: read list: it was to refuse, and reads",
		`missing: missing.txtar:3: read tree jot list --json: read tree: notes/add of v1.0.0 has no such view, only ["latest" "list" "nobody"]; a line for some fixtures begins with [view:NAME]`,
		"twice: twice.txtar:4: view list jot list: view list: there is one of that name already, of the release or of a line above; take another name",
		"writes: writes.txtar:6: unchanged: was written: " + wrote,
	}
	if d := cmp.Diff(want, why); d != "" {
		t.Errorf("failed (-want +got)\n%s", d)
	}
	require.Equal(t, []string{"notes/v1.1.0/add"}, r.Unread)
	require.ErrorContains(t, r.Broken(), "notes/v1.1.0/add: no reader script is for this fixture")
}

// A program that prints without an end is ended, whether a command compares
// what it says or only runs it.
func TestTooMuch(t *testing.T) {
	p := frozen(t, "shell", "notes", "add").scripts(map[string]string{
		"read": "# family: notes\n# until: v1.0.0\nread list jot list --json\n",
		"exec": "# family: notes\n# until: v1.0.0\n! exec jot list --json\nread latest /id jot show latest\n",
		"view": "# family: notes\n# until: v1.0.0\nview more jot list --json\n",
		"last": "# family: notes\n# since: v1.1.0\nread latest /id jot show latest\n",
	})
	p.plant("floods", "jot", "list() { # [--json]\n", "list() { # [--json]\n\ta=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do a=$a$a; done; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo \"$a\"; done\n")
	r := p.read(read.Request{With: "floods"})
	var why []string
	for _, f := range r.Failed {
		require.Less(t, len(f.Error), 100<<10)
		first, _, _ := strings.Cut(f.Error, "\n")
		why = append(why, f.Script+": "+strings.TrimPrefix(first, filepath.Join(p.repo, "readers")+"/"))
	}
	const ended = "it was ended, since it printed more than 16 MiB on standard output, the limit of a command: have it print less, or redirect it to a file (sh -c 'COMMAND >FILE')"
	want := []string{
		"exec: exec.txtar:3: ! exec jot list --json: " + ended,
		"read: read.txtar:3: read list jot list --json: read list: " + ended,
		"view: view.txtar:3: view more jot list --json: view more: " + ended,
	}
	if d := cmp.Diff(want, why); d != "" {
		t.Errorf("failed (-want +got)\n%s", d)
	}
}

// What the script finds around it.
func TestEnvironment(t *testing.T) {
	p := frozen(t, "shell", "notes", "add").scripts(map[string]string{"env": `# family: notes
# scenario: a*
# since: v1.1.0
exec sh -c 'echo $READER $FIXTURE_RELEASE $FIXTURE_FAMILY $FIXTURE_SCENARIO'
stdout '^v1.0.0 v1.1.0 notes add$'
grep 'buy milk' $VIEWS/list/stdout
grep '^1$' $VIEWS/nobody/exit
exec cat keep.txt
stdout 'stays'
[reader>=v1.1.0] exec jot never
[!reader<v1.1.0] exec jot never
[fixture<v1.1.0] exec jot never
[view:tree] exec jot never
[!tmux] exec jot never
use v1.1.0
exec jot --version
stdout '^jot 1.1.0$'
read list jot list --json
use this
exec jot --version
stdout '^jot 1.0.0$'
`, "old": "# family: notes\n# until: v1.0.0\nread list jot list --json\n"})
	diffLines(t, []string{
		"env, notes/add of v1.1.0 after v1.0.0: v1.1.0 reads list",
		"old, notes/add of v1.0.0: v1.0.0 reads list",
	}, p.read(read.Request{With: "v1.0.0"}))
}
