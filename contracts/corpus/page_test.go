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

var anyID = regexp.MustCompile(`^r[0-9]+\.`)

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
		suites[dir].add(file)
	}
	return suites, nil
}

func (s suite) add(file *ast.File) {
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
			// One that ends in a dot is put together with what follows.
			s.ids[strings.TrimSuffix(text, ".")] = true
		}
		return true
	})
}

var (
	heading = regexp.MustCompile(`(?m)^### ([0-9]+)\. `)
	// | `r1.marker`, `r1.tracked` | `project.TestID` | what it holds |
	claim  = regexp.MustCompile("(?m)^\\| (`r[^|]+) \\| ([^|]+) \\| [^|]+ \\|$")
	quoted = regexp.MustCompile("`([^`]+)`")
	// What contracts.Promises takes of a row: the first line below its heading.
	promised = regexp.MustCompile(`\A[^\n]*\s*\n[^|#\s]`)
	open     = regexp.MustCompile(`(?m)^Not covered: .+$`)
)

// comparison finds where page and suites disagree, in either direction.
type comparison struct {
	suites   map[string]suite
	claimed  map[string][]string // ids, by suite
	problems []string
}

func comparePage(page string, suites map[string]suite) []string {
	c := &comparison{suites: suites, claimed: make(map[string][]string)}
	headings := heading.FindAllStringSubmatchIndex(page, -1)
	for i, at := range headings {
		row, section := page[at[2]:at[3]], page[at[1]:]
		if next := strings.Index(section, "\n#"); next >= 0 {
			section = section[:next]
		}
		if want := strconv.Itoa(i + 1); row != want {
			c.problem("row %s stands where row %s should", row, want)
		}
		c.row(row, section)
	}
	if len(headings) != rows {
		c.problem("the page has %d rows, the contract %d", len(headings), rows)
	}
	c.missing()
	return c.problems
}

func (c *comparison) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// row looks at what the page claims of one row.
func (c *comparison) row(row, section string) {
	if !promised.MatchString(section) {
		c.problem("row %s: no sentence below its heading says what is promised, as failing assertions do", row)
	}
	claims := claim.FindAllStringSubmatch(section, -1)
	if len(claims) == 0 && !open.MatchString(section) {
		c.problem("row %s: no assertion holds it, and no line says \"Not covered: \" and why", row)
	}
	for _, m := range claims {
		var in []string
		for _, test := range quoted.FindAllStringSubmatch(m[2], -1) {
			dir, name, _ := strings.Cut(test[1], ".")
			in = append(in, dir)
			if !c.suites[dir].tests[name] {
				c.problem("row %s: there is no %s", row, test[1])
			}
		}
		for _, id := range quoted.FindAllStringSubmatch(m[1], -1) {
			if !covers("r"+row, id[1]) {
				c.problem("row %s: %s is no assertion of this row", row, id[1])
			}
			c.claim(id[1], in)
		}
	}
}

// claim notes that an id, and those that begin with it and a dot, have a place.
func (c *comparison) claim(id string, in []string) {
	found := false
	for _, dir := range in {
		c.claimed[dir] = append(c.claimed[dir], id)
		for has := range c.suites[dir].ids {
			found = found || covers(id, has)
		}
	}
	if !found {
		c.problem("%s: no suite has it: it is not in %q", id, in)
	}
}

func covers(id, longer string) bool { return longer == id || strings.HasPrefix(longer, id+".") }

// missing looks for what the suites assert and the page does not say.
func (c *comparison) missing() {
	for _, dir := range slices.Sorted(maps.Keys(c.suites)) {
		for _, id := range slices.Sorted(maps.Keys(c.suites[dir].ids)) {
			if !slices.ContainsFunc(c.claimed[dir], func(claimed string) bool { return covers(claimed, id) }) {
				c.problem("%s: is in no row of the page, and contracts/%s asserts it", id, dir)
			}
		}
	}
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
	last := fmt.Sprintf("### %d. more\n", rows)
	const code = "package p\nfunc TestID(t *testing.T) { f.Equal(t, \"r1.id\", got, want) }\n"
	tests := []struct {
		name, page, code string
		want             []string
	}{
		{"the same", page, code, nil},
		{"an id that the page lacks", page, code + "const more = `r2.more`\n", []string{"r2.more: is in no row of the page, and contracts/project asserts it"}},
		{"a longer id", page, code + "const more = `r1.id.more`\n", nil},
		{"an id that only begins alike", page, code + "const more = `r1.idle`\n", []string{"r1.idle: is in no row of the page, and contracts/project asserts it"}},
		{"an id that is put together", page, strings.Replace(code, `"r1.id"`, `"r1.id."+name`, 1), nil},
		{"all of a row", replace("`r1.id`", "`r1`"), code + "const more = `r1.more`\n", nil},
		{"an id that no suite has", page, strings.Replace(code, "r1.id", "x", 1), []string{`r1.id: no suite has it: it is not in ["project"]`}},
		{"a test that is gone", page, strings.Replace(code, "TestID", "TestName", 1), []string{"row 1: there is no project.TestID"}},
		{"two ids and two tests", replace("| `r1.id` | `project.TestID` |", "| `r1.id`, `r1.name` | `project.TestID`, `project.TestName` |"),
			code + "func TestName(t *testing.T) { f.Equal(t, `r1.name`, got, want) }\n", nil},
		{"in another suite", replace("`project.", "`sessions."), code, []string{"row 1: there is no sessions.TestID",
			`r1.id: no suite has it: it is not in ["sessions"]`, "r1.id: is in no row of the page, and contracts/project asserts it"}},
		{"in another row", replace("`r1.id`", "`r2.id`"), strings.Replace(code, "r1.id", "r2.id", 1), []string{"row 1: r2.id is no assertion of this row"}},
		{"a row without a word", replace("### 2. more\n\nNot covered: nothing does it yet.\n", "### 2. more\n\nNot now.\n"), code,
			[]string{`row 2: no assertion holds it, and no line says "Not covered: " and why`}},
		{"a row without a reason", replace("### 2. more\n\nNot covered: nothing does it yet.\n", "### 2. more\n\nNot covered: \n"), code,
			[]string{`row 2: no assertion holds it, and no line says "Not covered: " and why`}},
		{"a row less", replace(last, ""), code, []string{fmt.Sprintf("the page has %d rows, the contract %d", rows-1, rows)}},
		{"a row without a promise", replace("It stays.\n\n", ""), code,
			[]string{"row 1: no sentence below its heading says what is promised, as failing assertions do"}},
		{"a row twice", replace(last, fmt.Sprintf("### %d. more\n", rows-1)), code, []string{fmt.Sprintf("row %d stands where row %d should", rows-1, rows)}},
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
}
