package diff_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

const (
	stampA, stampB = "2026-03-01T12:00:01Z", "2026-04-09T08:30:59Z"
	idC, idD       = "5d0f3b62-91ae-4c08-b7d4-2e6a8c1f7093", "c7e48a15-06b9-4f3d-9e21-8b5d30f4a6e8"
)

func TestForms(t *testing.T) {
	yml, conf := state+"s.yaml", state+"s.ini"
	for _, tt := range []struct {
		name, path   string
		a, b         string
		bindA, bindB []binding.Binding
		want         []string
		unread       []string
	}{
		{name: "yaml laid out otherwise", path: yml, a: "a: 1\nb: [x, 'y']\n", b: "# note\nb:\n  - \"x\"\n  - y\na: 1\n"},
		{
			name: "yaml fields", path: yml, a: "a: 1\nold: {x: yes}\n", b: "a: \"1\"\nnew: null\nold: {x: true, y: 1.5}\n",
			want: []string{
				"yaml | " + yml + " | /a | type | number -> string",
				"yaml | " + yml + ` | /a | value | 1 -> "1"`,
				"yaml | " + yml + " | /new | field added |  -> null: null",
				"yaml | " + yml + " | /old/x | type | string -> boolean",
				"yaml | " + yml + ` | /old/x | value | "yes" -> true`,
				"yaml | " + yml + " | /old/y | field added |  -> number: 1.5",
			},
		},
		{
			name: "yaml of two boxes", path: yml,
			a:     "id: " + idA + "\nat: " + stampA + "\nlog: |\n  begun\n  id " + idA + "\n",
			b:     "id: " + idB + "\nat: " + stampB + "\nlog: |\n  begun\n  id " + idB + "\n",
			bindA: []binding.Binding{bind(binding.ID, idA, occurs(yml, "text", "/1"), occurs(yml, "text", "/5")), bind(binding.Time, stampA, occurs(yml, "text", "/2"))},
			bindB: []binding.Binding{bind(binding.ID, idB, occurs(yml, "text", "/1"), occurs(yml, "text", "/5")), bind(binding.Time, stampB, occurs(yml, "text", "/2"))},
		},
		{
			name: "a bound value counts where it is bound", path: yml, a: "pid: 17\nn: 17\n", b: "pid: 23\nn: 23\n",
			bindA: []binding.Binding{bind(binding.Decimal, "17", occurs(yml, "text", "/1"))},
			bindB: []binding.Binding{bind(binding.Decimal, "23", occurs(yml, "text", "/1"))},
			want:  []string{"yaml | " + yml + " | /n | value | 17 -> 23"},
		},
		{
			name: "yaml time in another unit", path: yml, a: "at: " + stampA + "\n", b: "at: 1772366401\n",
			bindA: []binding.Binding{bind(binding.Time, stampA, occurs(yml, "text", "/1"))},
			bindB: []binding.Binding{bind(binding.Time, "1772366401", occurs(yml, "text", "/1"))},
			want: []string{
				"yaml | " + yml + " | /at | format | {time RFC 3339 s UTC} -> {time unix s}",
				"yaml | " + yml + " | /at | type | datetime -> number",
			},
		},
		{
			name: "yaml date in another form", path: yml, a: "on: Mon Mar 02 2026\n", b: "on: 2026-04-09\n",
			bindA: []binding.Binding{bind(binding.Date, "Mon Mar 02 2026", occurs(yml, "text", "/1"))},
			bindB: []binding.Binding{bind(binding.Date, "2026-04-09", occurs(yml, "text", "/1"))},
			want: []string{
				"yaml | " + yml + " | /on | format | {date Aa Aa 0 0000} -> {date 0000-0-0}",
				"yaml | " + yml + " | /on | type | string -> datetime",
			},
		},
		{
			name: "yaml date of another day", path: yml, a: "on: Monday, 2 March 2026, 9:05:01.25 am\n", b: "on: Thursday, 19 April 2026, 11:15:41.5 PM\n",
			bindA: []binding.Binding{bind(binding.Date, "Monday, 2 March 2026, 9:05:01.25 am", occurs(yml, "text", "/1"))},
			bindB: []binding.Binding{bind(binding.Date, "Thursday, 19 April 2026, 11:15:41.5 PM", occurs(yml, "text", "/1"))},
		},
		{
			name: "yaml tags", path: yml, a: "a: !vault x\nb: !t {k: 1}\nc: !t [1]\nd: x\ne: !!str 1\nf: !!map {}\n", b: "a: x\nb: {k: 1}\nc: [1]\nd: !t x\ne: '1'\nf: {}\n",
			want: []string{
				"yaml | " + yml + " | /a | type | string !vault -> string",
				"yaml | " + yml + " | /b | type | object !t -> object",
				"yaml | " + yml + " | /c | type | array !t -> array",
				"yaml | " + yml + " | /d | type | string -> string !t",
			},
		},
		{
			name: "yaml aliases and documents", path: yml, a: "x: &x {k: 1}\ny: *x\n---\nz: 1\n", b: "x: &x {k: 2}\ny: *x\n---\nz: 1\n",
			want: []string{"yaml | " + yml + " | /*/x/k | value | 1 -> 2", "yaml | " + yml + " | /*/y/k | value | 1 -> 2"},
		},
		{
			name: "yaml keys that are bound", path: yml,
			a: idA + ": {x: 1}\n" + idC + ": {y: 1}\n", b: idB + ": {w: 1}\n" + idD + ": {y: 1}\n",
			bindA: []binding.Binding{bind(binding.ID, idA, occurs(yml, "text", "/1")), bind(binding.ID, idC, occurs(yml, "text", "/2"))},
			bindB: []binding.Binding{bind(binding.ID, idB, occurs(yml, "text", "/1")), bind(binding.ID, idD, occurs(yml, "text", "/2"))},
			want: []string{
				"yaml | " + yml + " | /{id uuid v4}/w | field added |  -> number: 1",
				"yaml | " + yml + " | /{id uuid v4}/x | field removed | number: 1 -> ",
			},
		},
		{
			name: "yaml that is none", path: yml, a: "a: [1\n", b: "a: [2\n",
			want:   []string{"text | " + yml + " |  | lines | a: [1\n -> a: [2\n"},
			unread: []string{"v1.0.0, sessions: " + yml + " is no sound yaml, and was compared by its bytes: line 1: did not find expected", "v1.1.0, sessions: " + yml + " is no sound yaml"},
		},
		{
			name: "yaml with a key twice", path: yml, a: "a: 1\na: 2\n", b: "a: 1\n",
			want:   []string{"yaml | " + yml + " |  | kind | text -> yaml"},
			unread: []string{"v1.0.0, sessions: " + yml + ` is no sound yaml, and was compared by its bytes: line 2: the key "a" stands twice`},
		},
		{
			name: "yaml that would never end", path: yml, a: laughs(), b: laughs(),
			unread: []string{": its aliases make more of it than can be compared", ": its aliases make more of it than can be compared"},
		},
		{name: "json by the name of yaml", path: yml, a: `{"a":1}`, b: `{"a": 2}`, want: []string{"json | " + yml + " | /a | value | 1 -> 2"}},

		{name: "ini laid out otherwise", path: conf, a: "top=1\n[one]\na = x\n; note\n", b: "top = 1\n\n[one]\na=x\n"},
		{
			name: "ini fields", path: conf, a: "[one]\na = x\nb = 1\n[two]\n", b: "[one]\na = y\n\n[three]\nc = \"q\"\n",
			want: []string{
				"ini | " + conf + ` | /one/a | value | "x" -> "y"`,
				"ini | " + conf + ` | /one/b | field removed | string: "1" -> `,
				"ini | " + conf + " | /three | field added |  -> object",
				"ini | " + conf + ` | /three/c | field added |  -> string: "\"q\""`,
				"ini | " + conf + " | /two | field removed | object -> ",
			},
		},
		{
			name: "ini values that look like comments", path: conf, a: "color = #fff\nlist = a;b\nred = #f00\n", b: "color = #000\nlist = a;c\nred = #f00\n",
			want: []string{"ini | " + conf + ` | /color | value | "#fff" -> "#000"`, "ini | " + conf + ` | /list | value | "a;b" -> "a;c"`},
		},
		{
			name: "ini values that are empty", path: conf, a: "a =\nb =\n", b: "a =\nb = x\n",
			want: []string{"ini | " + conf + ` | /b | value | "" -> "x"`},
		},
		{
			name: "ini of two boxes", path: conf,
			a:     "[session]\nid = " + idA + "\nat = " + stampA + "\nlog = begun by " + idA + "\n",
			b:     "[session]\nid = " + idB + "\nat = " + stampB + "\nlog = begun by " + idB + "\n",
			bindA: []binding.Binding{bind(binding.ID, idA, occurs(conf, "text", "/2"), occurs(conf, "text", "/4")), bind(binding.Time, stampA, occurs(conf, "text", "/3"))},
			bindB: []binding.Binding{bind(binding.ID, idB, occurs(conf, "text", "/2"), occurs(conf, "text", "/4")), bind(binding.Time, stampB, occurs(conf, "text", "/3"))},
		},
		{
			name: "ini time in another unit", path: conf, a: "at = " + stampA + "\n", b: "at = 1772366401\n",
			bindA: []binding.Binding{bind(binding.Time, stampA, occurs(conf, "text", "/1"))},
			bindB: []binding.Binding{bind(binding.Time, "1772366401", occurs(conf, "text", "/1"))},
			want:  []string{"ini | " + conf + " | /at | format | {time RFC 3339 s UTC} -> {time unix s}"},
		},
		{
			name: "ini key that stands twice", path: conf, a: "[r]\nurl = a\nurl = b\n", b: "[r]\nurl = a\n",
			want: []string{
				"ini | " + conf + " | /r/url | type | array -> string",
				"ini | " + conf + ` | /r/url | value |  -> "a"`,
				"ini | " + conf + ` | /r/url/* | field removed | string: "a", "b" -> `,
			},
		},
		{
			name: "ini that is none", path: conf, a: "[one\na = 1\n", b: "[one]\na = 1\n",
			want:   []string{"ini | " + conf + " |  | kind | text -> ini"},
			unread: []string{"v1.0.0, sessions: " + conf + " is no sound ini, and was compared by its bytes: unclosed section: [one"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := diff.Releases(side("v1.0.0", rootA, []tree.Entry{file(tt.path, tt.a)}, tt.bindA...), side("v1.1.0", rootB, []tree.Entry{file(tt.path, tt.b)}, tt.bindB...))
			if tt.want == nil {
				tt.want = []string{}
			}
			if diff := cmp.Diff(tt.want, changes(r)); diff != "" {
				t.Errorf("Releases (-want +got)\n%s", diff)
			}
			require.Len(t, r.Unread, len(tt.unread), "%v", r.Unread)
			for i, want := range tt.unread {
				require.Contains(t, r.Unread[i].String(), want)
			}
		})
	}
}

// laughs is a short document of a billion values.
func laughs() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return text
}

// database has the real SQLite run statements on a new database, and returns
// what lies in its folder.
func database(t *testing.T, script string) []tree.Entry {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") != "" {
			t.Fatal("python3 is missing")
		}
		t.Skip("python3 is missing")
	}
	dir := t.TempDir()
	cmd := exec.Command("python3", "-c", `import os, sqlite3, sys
db = sqlite3.connect("notes.db", isolation_level=None)
exec(sys.argv[1])
os._exit(0)`, script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	var entries []tree.Entry
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name.Name()))
		require.NoError(t, err)
		entries = append(entries, file(state+name.Name(), string(data)))
	}
	return entries
}

func TestSQLite(t *testing.T) {
	const old = `
db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
db.execute("INSERT INTO notes (text) VALUES (hex(randomblob(8)))")`
	db := state + "notes.db"
	for _, tt := range []struct {
		name, a, b string
		spoil      func([]tree.Entry)
		want       []string
		unread     string
	}{
		{name: "other content of the same rows", a: old, b: old},
		{name: "a log beside it", a: old, b: `db.execute("PRAGMA journal_mode = WAL")` + old, want: []string{
			"sqlite part | " + db + "-shm |  | document added |  -> ",
			"sqlite part | " + db + "-wal |  | document added |  -> ",
		}},
		{name: "two logs", a: `db.execute("PRAGMA journal_mode = WAL")` + old, b: `db.execute("PRAGMA journal_mode = WAL")` + old},
		{
			name: "another schema, more rows", a: old, b: old + `
db.execute("ALTER TABLE notes ADD COLUMN at TEXT")
db.execute("CREATE INDEX by_time ON notes (at)")
db.execute("INSERT INTO notes (text) VALUES ('b')")
db.execute("PRAGMA user_version = 2")`,
			want: []string{
				"sqlite | " + db + " | /indexes | field added |  -> object",
				"sqlite | " + db + " | /indexes/by_time | field added |  -> object",
				"sqlite | " + db + ` | /indexes/by_time/sql | field added |  -> string: "CREATE INDEX by_time ON notes (at)"`,
				"sqlite | " + db + ` | /indexes/by_time/table | field added |  -> string: "notes"`,
				"sqlite | " + db + " | /tables/notes/rows | value | 1 -> 2",
				"sqlite | " + db + ` | /tables/notes/sql | value | "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)" -> "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, at TEXT)"`,
				"sqlite | " + db + " | /user_version | value | 0 -> 2",
			},
		},
		{
			name: "damaged", a: old, b: old, spoil: func(es []tree.Entry) { es[0].Data[100] = 1 },
			want:   []string{"binary | " + db + " |  | kind | sqlite -> binary"},
			unread: "is no sound sqlite, and was compared by its bytes: the schema: sqlite3: database disk image is malformed",
		},
		{
			name: "damaged, and another log", a: `db.execute("PRAGMA journal_mode = WAL")` + old, b: `db.execute("PRAGMA journal_mode = WAL")` + old,
			spoil: func(es []tree.Entry) { es[0].Data[100], es[2].Data = 1, []byte("\x00no log") },
			want: []string{
				"binary | " + db + " |  | kind | sqlite -> binary",
				"binary | " + db + "-shm |  | kind | sqlite part -> binary",
				"binary | " + db + "-wal |  | kind | sqlite part -> binary",
			},
			unread: "is no sound sqlite, and was compared by its bytes",
		},
		{
			name: "left in a transaction", a: old, b: old + `
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN")
for i in range(3000): db.execute("INSERT INTO notes (text) VALUES ('not committed')")`,
			want: []string{"sqlite part | " + db + "-journal |  | document added |  -> "},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := database(t, tt.b)
			if tt.spoil != nil {
				tt.spoil(b)
			}
			r := diff.Releases(side("v1.0.0", rootA, database(t, tt.a)), side("v1.1.0", rootB, b))
			if tt.want == nil {
				tt.want = []string{}
			}
			if diff := cmp.Diff(tt.want, changes(r)); diff != "" {
				t.Errorf("Releases (-want +got)\n%s", diff)
			}
			if tt.unread == "" {
				require.Empty(t, r.Unread)
			} else {
				require.Len(t, r.Unread, 1)
				require.Contains(t, r.Unread[0].String(), tt.unread)
			}
		})
	}
}
