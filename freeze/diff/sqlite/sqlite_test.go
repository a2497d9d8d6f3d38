package sqlite_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/diff/sqlite"
)

// written has the real SQLite, that of python3, run statements on a new
// database, and say itself what is in it.
func written(t testing.TB, script string) (db, wal, journal []byte, want *sqlite.Database) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") != "" {
			t.Fatal("python3 is missing")
		}
		t.Skip("python3 is missing")
	}
	dir := t.TempDir()
	cmd := exec.Command("python3", "-c", `
import json, os, sqlite3, sys
db = sqlite3.connect("db", isolation_level=None)
db.execute("PRAGMA synchronous = OFF")
exec(sys.argv[1])
objects = []
for type, name, table, sql in db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall():
    rows = -1
    if type == "table" and not (sql or "").upper().startswith("CREATE VIRTUAL"):
        rows = db.execute('SELECT count(*) FROM "%s"' % name).fetchone()[0]
    objects.append({"Type": type, "Name": name, "Table": table, "SQL": sql or "", "Rows": rows})
json.dump({"Objects": objects, "Encoding": db.execute("PRAGMA encoding").fetchone()[0],
    "UserVersion": db.execute("PRAGMA user_version").fetchone()[0],
    "ApplicationID": db.execute("PRAGMA application_id").fetchone()[0]}, sys.stdout)
sys.stdout.flush()
os._exit(0)  # logs and journals stay where they are only if nobody closes the database
`, script)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	require.NoError(t, json.Unmarshal(out, &want))
	for suffix, into := range map[string]*[]byte{"": &db, "-wal": &wal, "-journal": &journal} {
		*into, err = os.ReadFile(filepath.Join(dir, "db"+suffix))
		if suffix == "" || !os.IsNotExist(err) {
			require.NoError(t, err)
		}
	}
	return db, wal, journal, want
}

var scripts = map[string]string{
	"small": `
db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)")
db.execute("INSERT INTO notes (text) VALUES ('a'), ('b')")
db.execute("CREATE VIEW v AS SELECT text FROM notes")
db.execute("CREATE INDEX i ON notes (text)")
db.execute("CREATE TRIGGER t AFTER DELETE ON notes BEGIN SELECT 1; END")
db.execute("PRAGMA user_version = 7")
db.execute("PRAGMA application_id = -2")`,
	"many rows, small pages": `
db.execute("PRAGMA page_size = 512")
db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)")
db.execute("CREATE TABLE keyed (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID")
db.execute("BEGIN")
for i in range(20000): db.execute("INSERT INTO notes (text) VALUES (?)", ("note %d" % i,))
for i in range(5000): db.execute("INSERT INTO keyed VALUES (?, ?)", ("key %d" % i, "v" * (i % 700)))
db.execute("COMMIT")
db.execute("DELETE FROM notes WHERE id % 3 = 0")`,
	"large pages": `
db.execute("PRAGMA page_size = 65536")
db.execute("CREATE TABLE notes (text)")
for i in range(10): db.execute("INSERT INTO notes VALUES (?)", ("x" * 100000,))`,
	"a schema on many pages, with definitions that overflow": `
db.execute("PRAGMA page_size = 512")
for i in range(60): db.execute("CREATE TABLE t%d (%s)" % (i, ", ".join("column_%d_%d TEXT" % (i, j) for j in range(i * 2 + 1))))`,
	"vacuum that keeps maps of pages": `
db.execute("PRAGMA auto_vacuum = FULL")
db.execute("CREATE TABLE notes (text)")
for i in range(3000): db.execute("INSERT INTO notes VALUES (?)", ("x" * 50,))
db.execute("DELETE FROM notes WHERE rowid > 100")`,
	"UTF-16 of little end":   "db.execute(\"PRAGMA encoding = 'UTF-16le'\")\ndb.execute(\"CREATE TABLE \\\"n\\u00f6tes\\U0001f600\\\" (text)\")",
	"UTF-16 of big end":      "db.execute(\"PRAGMA encoding = 'UTF-16be'\")\ndb.execute(\"CREATE TABLE \\\"n\\u00f6tes\\\" (text)\")",
	"virtual table":          `db.execute("CREATE VIRTUAL TABLE f USING fts5(text)")`,
	"everything was removed": `db.execute("CREATE TABLE notes (text)"); db.execute("DROP TABLE notes")`,
	"collation and function of the program's own": `
db.create_collation("mine", lambda a, b: (a > b) - (a < b))
db.create_function("twice", 1, lambda x: x * 2, deterministic=True)
db.execute("CREATE TABLE notes (text TEXT COLLATE mine, n CHECK (twice(n) < 100))")
db.execute("CREATE INDEX i ON notes (text)")
db.execute("CREATE INDEX j ON notes (twice(n))")
db.execute("CREATE TABLE keyed (k TEXT COLLATE mine PRIMARY KEY, d AS (twice(k))) WITHOUT ROWID")
db.execute("INSERT INTO notes VALUES ('b', 1), ('a', 2)")
db.execute("INSERT INTO keyed VALUES ('b'), ('a')")`,
	"a name that needs quotes": `
db.execute("""CREATE TABLE "a'b [c] select" (text)""")
db.execute("""INSERT INTO "a'b [c] select" VALUES (1)""")`,
	"journal of a transaction that was cut short": `
import shutil
db.execute("CREATE TABLE notes (text)")
db.execute("BEGIN")
for i in range(2000): db.execute("INSERT INTO notes VALUES (?)", ("committed" * 20,))
db.execute("COMMIT")
shutil.copy("db", "copy")
other, db = db, sqlite3.connect("copy")
other.execute("PRAGMA cache_size = 1")
other.execute("BEGIN")
other.execute("DELETE FROM notes WHERE rowid % 2 = 0")`,
	"journal that stays when it is done with": `
db.execute("PRAGMA journal_mode = PERSIST")
db.execute("CREATE TABLE notes (text)")
db.execute("INSERT INTO notes VALUES ('a')")`,
	"log": `
db.execute("PRAGMA journal_mode = WAL")
db.execute("CREATE TABLE notes (text)")
db.execute("PRAGMA wal_checkpoint")
for i in range(500): db.execute("INSERT INTO notes VALUES (?)", ("in the log alone" * 5,))
db.execute("CREATE TABLE more (text)")`,
	"log begun anew": `
db.execute("PRAGMA journal_mode = WAL")
db.execute("CREATE TABLE notes (text)")
for i in range(500): db.execute("INSERT INTO notes VALUES (?)", ("x" * 50,))
db.execute("PRAGMA wal_checkpoint(RESTART)")
db.execute("DELETE FROM notes WHERE rowid > 5")`,
	"log with a transaction that was cut short": `
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA cache_size = 1")
db.execute("CREATE TABLE notes (text)")
db.execute("INSERT INTO notes VALUES ('committed')")
other = sqlite3.connect("db", isolation_level=None)
other.execute("PRAGMA cache_size = 1")
other.execute("BEGIN")
for i in range(2000): other.execute("INSERT INTO notes VALUES (?)", ("not committed" * 20,))`,
}

func TestRead(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			db, wal, journal, want := written(t, script)
			got, err := sqlite.Read(db, wal, journal)
			require.NoError(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Read (-real SQLite +got)\n%s", diff)
			}
		})
	}
}

// A log is needed for what it alone holds.
func TestReadLog(t *testing.T) {
	db, wal, _, want := written(t, scripts["log"])
	require.NotEmpty(t, wal)
	got, err := sqlite.Read(db, nil, nil)
	require.NoError(t, err)
	require.NotEmpty(t, cmp.Diff(want, got))
	// One that was cut, or of which a byte is wrong, counts up to there.
	for _, spoil := range []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		func(b []byte) []byte { b[0] ^= 1; return b },
		func(b []byte) []byte { b[20] ^= 1; return b },
	} {
		got, err := sqlite.Read(db, spoil(bytes.Clone(wal)), nil)
		require.NoError(t, err)
		require.NotEmpty(t, cmp.Diff(want, got))
	}
}

// A journal undoes what the file holds and was not committed.
func TestReadJournal(t *testing.T) {
	db, _, journal, want := written(t, scripts["journal of a transaction that was cut short"])
	require.NotEmpty(t, journal)
	got, err := sqlite.Read(db, nil, nil)
	if err == nil {
		require.NotEmpty(t, cmp.Diff(want, got))
	}
}

// One of several databases would have SQLite look for another journal by the
// path in it, on this machine, and remove that.
func TestReadJournalOfSeveral(t *testing.T) {
	db, _, journal, _ := written(t, `
import resource, shutil, signal
db.execute("CREATE TABLE notes (text)")
shutil.copy("db", "copy")
db = sqlite3.connect("copy")
if os.fork() == 0:
    # The second database grows past the limit: the process ends between the two.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    both = sqlite3.connect("db", isolation_level=None)
    both.execute("ATTACH 'other' AS other")
    both.execute("CREATE TABLE other.notes (text)")
    both.execute("BEGIN")
    both.execute("INSERT INTO main.notes VALUES ('a')")
    for i in range(200): both.execute("INSERT INTO other.notes VALUES (?)", ("a" * 1000,))
    both.execute("COMMIT")
    os._exit(1)
assert os.WTERMSIG(os.wait()[1]) == signal.SIGXFSZ`)
	require.Contains(t, string(journal), "/db-mj")
	_, err := sqlite.Read(db, nil, journal)
	require.ErrorContains(t, err, "its journal is of a transaction over several databases")
}

// Nothing of it is left, whether it could be read or not.
func TestReadLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	db, wal, journal, _ := written(t, scripts["log"])
	_, err := sqlite.Read(db, wal, journal)
	require.NoError(t, err)
	_, err = sqlite.Read(db[:1000], nil, nil)
	require.Error(t, err)
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestReadDamaged(t *testing.T) {
	db, _, _, _ := written(t, scripts["many rows, small pages"])
	for _, tt := range []struct {
		name  string
		spoil func(b []byte) []byte
		want  string
	}{
		{"empty", func([]byte) []byte { return nil }, "it does not begin as a database"},
		{"text", func([]byte) []byte { return bytes.Repeat([]byte("text"), 100) }, "it does not begin as a database"},
		{"cut", func(b []byte) []byte { return b[:1000] }, "the schema: sqlite3: database disk image is malformed"},
		{"cut at a page", func(b []byte) []byte { return b[:5120] }, "sqlite3: database disk image is malformed"},
		{"page size", func(b []byte) []byte { b[16], b[17] = 3, 3; return b }, "the schema: sqlite3: file is not a database"},
		{"no page left", func(b []byte) []byte { b[20] = 200; return b }, "the schema: sqlite3: file is not a database"},
		{"kind of page", func(b []byte) []byte { b[100] = 1; return b }, "the schema: sqlite3: database disk image is malformed"},
		{"cells", func(b []byte) []byte { b[103] = 255; return b }, "the schema: sqlite3: database disk image is malformed"},
		{"a table", func(b []byte) []byte { clear(b[len(b)/2 : len(b)/2+512*20]); return b }, `: sqlite3: database disk image is malformed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := sqlite.Read(tt.spoil(bytes.Clone(db)), nil, nil)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
