package corpus_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// rows is how many the contract has.
const rows = 20

// docs/persisted-contracts.md and the suites say the same.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/persisted-contracts.md")
	require.NoError(t, err)
	suites, err := readSuites(os.DirFS(".."))
	require.NoError(t, err)
	require.NotEmpty(t, suites)
	for _, problem := range comparePage(string(text), suites) {
		t.Error(problem)
	}
}

// suite is what the test files of a folder name: the ids of assertions, and
// the tests.
type suite struct{ ids, tests map[string]bool }

var (
	anyID  = regexp.MustCompile(`^r[0-9]+\.`)
	wholly = regexp.MustCompile(`^r([0-9]+)(\.[a-z0-9_-]+)+$`)
)

// readSuites parses the suites, each a folder of fsys: the test cache does not
// see what a child process reads. This one asserts nothing of a row.
func readSuites(fsys fs.FS) (map[string]suite, error) {
	files, err := fs.Glob(fsys, "*/*_test.go")
	if err != nil {
		return nil, err
	}
	suites := make(map[string]suite)
	for _, name := range files {
		dir := path.Dir(name)
		if dir == "corpus" {
			continue
		}
		if suites[dir].ids == nil {
			suites[dir] = suite{make(map[string]bool), make(map[string]bool)}
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if err := suites[dir].add(file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return suites, nil
}

func (s suite) add(file *ast.File) (err error) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if strings.HasPrefix(n.Name.Name, "Test") || strings.HasPrefix(n.Name.Name, "Fuzz") {
				s.tests[n.Name.Name] = true
			}
		case *ast.BasicLit:
			text, unquoteErr := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || unquoteErr != nil || !anyID.MatchString(text) {
				break
			}
			if !wholly.MatchString(text) {
				err = fmt.Errorf("assertion id %q is put together: write it out, so that it can be found", text)
			}
			s.ids[text] = true
		}
		return true
	})
	return err
}

var (
	heading = regexp.MustCompile(`(?m)^### ([0-9]+)\. `)
	// | `r1.id` | `project.TestID` | what it holds |
	claim = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([a-z]+)\\.([A-Za-z0-9_]+)` \\| .+ \\|$")
	open  = regexp.MustCompile(`(?m)^Not covered: .+$`)
)

// comparePage says where page and suites disagree, in either direction.
func comparePage(page string, suites map[string]suite) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	claimed := make(map[[2]string]bool) // suite and id
	seen := make(map[string]bool)
	for i, at := range heading.FindAllStringSubmatchIndex(page, -1) {
		row, section := page[at[2]:at[3]], page[at[1]:]
		if next := strings.Index(section, "\n#"); next >= 0 {
			section = section[:next]
		}
		if want := strconv.Itoa(i + 1); row != want {
			problem("row %s stands where row %s should", row, want)
		}
		seen[row] = true
		claims := claim.FindAllStringSubmatch(section, -1)
		if len(claims) == 0 && !open.MatchString(section) {
			problem("row %s: no assertion holds it, and no line says %q and why", row, "Not covered: ")
		}
		for _, c := range claims {
			id, in, test := c[1], c[2], c[3]
			claimed[[2]string{in, id}] = true
			if m := wholly.FindStringSubmatch(id); m == nil || m[1] != row {
				problem("row %s: %s is no assertion of this row", row, id)
			}
			if !suites[in].ids[id] {
				problem("%s: no suite has it: it is not in contracts/%s", id, in)
			}
			if !suites[in].tests[test] {
				problem("%s: contracts/%s has no %s", id, in, test)
			}
		}
	}
	if len(seen) != rows {
		problem("the page has %d rows, the contract %d", len(seen), rows)
	}
	for _, in := range slices.Sorted(maps.Keys(suites)) {
		for _, id := range slices.Sorted(maps.Keys(suites[in].ids)) {
			if !claimed[[2]string{in, id}] {
				problem("%s: is in no row of the page, and contracts/%s asserts it", id, in)
			}
		}
	}
	return problems
}

func TestComparePage(t *testing.T) {
	page := "## Project\n\n### 1. id\n\nIt stays.\n\n| assertion | test | what |\n| --- | --- | --- |\n| `r1.id` | `project.TestID` | the id |\n"
	for row := 2; row <= rows; row++ {
		page += fmt.Sprintf("\n### %d. more\n\nNot covered: nothing does it yet.\n", row)
	}
	replace := func(old, new string) string {
		require.Contains(t, page, old)
		return strings.Replace(page, old, new, 1)
	}
	const code = "package p\nfunc TestID(t *testing.T) { f.Equal(t, \"r1.id\", got, want) }\n"
	tests := []struct {
		name, page, code string
		want             []string
	}{
		{"the same", page, code, nil},
		{"an id that the page lacks", page, code + "const more = `r2.more`\n", []string{"r2.more: is in no row of the page, and contracts/project asserts it"}},
		{"an id that no suite has", page, strings.Replace(code, "r1.id", "x", 1), []string{"r1.id: no suite has it: it is not in contracts/project"}},
		{"a test that is gone", page, strings.Replace(code, "TestID", "TestName", 1), []string{"r1.id: contracts/project has no TestID"}},
		{"in another suite", replace("`project.", "`sessions."), code, []string{
			"r1.id: no suite has it: it is not in contracts/sessions", "r1.id: contracts/sessions has no TestID",
			"r1.id: is in no row of the page, and contracts/project asserts it"}},
		{"in another row", replace("`r1.id`", "`r2.id`"), strings.Replace(code, "r1.id", "r2.id", 1), []string{"row 1: r2.id is no assertion of this row"}},
		{"a row without a word", replace("### 2. more\n\nNot covered: nothing does it yet.\n", "### 2. more\n\nNot now.\n"), code,
			[]string{`row 2: no assertion holds it, and no line says "Not covered: " and why`}},
		{"a row without a reason", replace("### 2. more\n\nNot covered: nothing does it yet.\n", "### 2. more\n\nNot covered: \n"), code,
			[]string{`row 2: no assertion holds it, and no line says "Not covered: " and why`}},
		{"a row less", replace("### 20. more\n", ""), code, []string{"the page has 19 rows, the contract 20"}},
		{"a row twice", replace("### 20. ", "### 19. "), code, []string{"row 19 stands where row 20 should", "the page has 19 rows, the contract 20"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			suites, err := readSuites(fstest.MapFS{
				"project/id_test.go":      {Data: []byte(tt.code)},
				"corpus/corpus_test.go":   {Data: []byte("package p\nconst id = `r9.none`\n")},
				"project/project.go":      {Data: []byte("package p\nconst id = `r9.none`\n")},
				"testdata/a/demo_test.go": {Data: []byte("package p\nconst id = `r9.none`\n")},
			})
			require.NoError(t, err)
			if diff := cmp.Diff(tt.want, comparePage(tt.page, suites)); diff != "" {
				t.Errorf("comparePage (-want +got)\n%s", diff)
			}
		})
	}
	_, err := readSuites(fstest.MapFS{"project/id_test.go": {Data: []byte("package p\nvar id = `r1.` + name\n")}})
	require.ErrorContains(t, err, `assertion id "r1." is put together`)
}
