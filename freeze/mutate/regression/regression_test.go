package regression_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
)

const whole = `# For people.
what: attach takes a closed session
file: notes/attach.go
func: Store.Attach

test: ./suites/notes TestAttach/v1.0.0/closed
assert: r6.refused.state
-- find --
	if s.State != "open" {
-- replace --
	if false {
`

func TestParse(t *testing.T) {
	got, err := regression.Parse("attach", []byte(whole))
	require.NoError(t, err)
	want := &regression.Regression{
		Name: "attach", What: "attach takes a closed session", File: "notes/attach.go", Func: "Store.Attach",
		Test:   regression.Test{Package: "./suites/notes", Name: "TestAttach/v1.0.0/closed"},
		Assert: "r6.refused.state", Find: "\tif s.State != \"open\" {", Replace: "\tif false {",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got)\n%s", diff)
	}
}

const command = `what: a book of format 1 has no title
file: shelf.py
build: python3 -m py_compile shelf.py
run: sh suite.sh "a title"
assert: /title is "", want/
-- find --
doc["title"]
-- replace --
""
`

func TestParseCommand(t *testing.T) {
	got, err := regression.Parse("title", []byte(command))
	require.NoError(t, err)
	want := &regression.Regression{
		Name: "title", What: "a book of format 1 has no title", File: "shelf.py",
		Build: "python3 -m py_compile shelf.py", Run: `sh suite.sh "a title"`, Assert: `/title is "", want/`,
		Find: `doc["title"]`, Replace: `""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got)\n%s", diff)
	}
	require.Equal(t, `sh suite.sh "a title"`, got.By())
	for _, c := range []struct{ name, old, new, want string }{
		{"missing", "file: shelf.py\n", "", `file: missing`},
		{"func", "build:", "func: read\nbuild:", `func: is of a regression of Go, and does not go with run`},
		{"test", "build:", "test: ./p TestA\nbuild:", `test: is of a regression of Go, and does not go with run`},
		{"no run", "run: sh", "# sh", `build: is of a command, and goes with run`},
		{"id", "/title is \"\", want/", "r1.title", `assert: "r1.title": want a pattern of what the command prints, between slashes`},
		{"anything", "/title is \"\", want/", "/.*/", `assert: "/.*/": is also in an output that is empty`},
		{"pattern", "/title is \"\", want/", "/(/", "assert: error parsing regexp: missing closing ): `(`"},
		{"outside", "shelf.py\nbuild", "../shelf.py\nbuild", `file: "../shelf.py": want a path from the folder of freeze.toml that stays in it`},
		{"no find", "doc[\"title\"]\n", "", `-- find --: empty`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, command, c.old)
			_, err := regression.Parse("title", []byte(strings.Replace(command, c.old, c.new, 1)))
			require.EqualError(t, err, c.want)
		})
	}
}

// What is taken away is replaced by nothing.
func TestParseRemoval(t *testing.T) {
	text, _, _ := strings.Cut(whole, "\tif false")
	got, err := regression.Parse("attach", []byte(text))
	require.NoError(t, err)
	require.Empty(t, got.Replace)
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"missing", "what: attach takes a closed session\n", "", `what: missing`},
		{"empty", "attach takes a closed session", "", `what: missing`},
		{"unknown", "what:", "why: x\nwhat:", `why:: unknown, there are ["what" "file" "func" "test" "assert" "run" "build"]`},
		{"twice", "what:", "what: x\nwhat:", `what:: stands there twice`},
		{"no line", "what:", "what\nwhat:", `"what": want a line like what: ..., or one that begins with #`},
		{"absolute", "notes/attach.go", "/notes/attach.go", `file: "/notes/attach.go": want a path from the folder of freeze.toml that stays in it`},
		{"outside", "notes/attach.go", "../attach.go", `file: "../attach.go": want a path from the folder of freeze.toml that stays in it`},
		{"not clean", "notes/attach.go", "notes/../attach.go", `file: "notes/../attach.go": want a path from the folder of freeze.toml that stays in it`},
		{"func", "Store.Attach", "Store[T].Attach", `func: "Store[T].Attach": want Name, Type.Method or (*Type).Method, or the name of a type, variable or constant`},
		{"test", " TestAttach/v1.0.0/closed", "", `test: "./suites/notes": want a package and the full name of a test, as in ./contracts/sessions TestAttach/v0.3.0/open`},
		{"spaces", "v1.0.0/closed", "v1.0.0/a closed one", `test: "TestAttach/v1.0.0/a closed one": the name of a test has no spaces; go test prints underscores for them`},
		{"build", "what:", "build: make\nwhat:", `build: is of a command, and goes with run`},
		{"run", "what:", "run: make check\nwhat:", `func: is of a regression of Go, and does not go with run`},
		{"assert", "r6.refused.state", "/r6(/", "assert: error parsing regexp: missing closing ): `r6(`"},
		{"words", "r6.refused.state", "is refused", `assert: "is refused": want the id of an assertion, or a pattern of its message between slashes`},
		{"no find", "\tif s.State != \"open\" {\n", "", `-- find --: empty`},
		{"no replace", "-- replace --\n\tif false {\n", "", `wants the sections -- find -- and -- replace --`},
		{"same", "\tif false {", "\tif s.State != \"open\" {", `-- replace --: the same as -- find --, so nothing would change`},
		{"section", "-- replace --", "-- with --", `section -- with --: unknown, there are ["find" "replace"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, whole, c.old)
			_, err := regression.Parse("attach", []byte(strings.Replace(whole, c.old, c.new, 1)))
			require.EqualError(t, err, c.want)
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("README.md", "no regression")
	_, err := regression.Load(dir)
	require.EqualError(t, err, dir+" holds no regression, no file *.txtar")
	write("b.txtar", whole)
	write("a.txtar", whole)
	all, err := regression.Load(dir)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "a", all[0].Name)
	// All that is wrong is told at once.
	write("c.txtar", "what\n")
	write("d.txtar", strings.Replace(whole, "what", "why", 1))
	_, err = regression.Load(dir)
	require.ErrorContains(t, err, "c.txtar: ")
	require.ErrorContains(t, err, "d.txtar: ")
}

func TestParseReceiver(t *testing.T) {
	for _, name := range []string{"(*Store).Attach", "(Store).Attach"} {
		got, err := regression.Parse("attach", []byte(strings.Replace(whole, "Store.Attach", name, 1)))
		require.NoError(t, err)
		require.Equal(t, "Store.Attach", got.Func)
	}
}

func TestAssert(t *testing.T) {
	for _, c := range []struct {
		assert      regression.Assert
		id, message string
		want        bool
	}{
		{"r6.refused", "r6.refused", "", true},
		{"r6.refused", "r6.refused.state", "", false},
		{"r6.refused", "", "r6.refused: an open one", false},
		{"/an open (one|two)/", "r6.refused", "r6.refused: an open one", true},
		{"/^an open/", "r6.refused", "r6.refused: an open one", false},
		{"/", "", "/", false},
	} {
		if got := c.assert.Is(c.id, c.message); got != c.want {
			t.Errorf("%q.Is(%q, %q) = %t", c.assert, c.id, c.message, got)
		}
	}
}
