package corpus_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/adding-a-reader.md names files, functions and tests: each is there.
func TestReaderPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/adding-a-reader.md")
	require.NoError(t, err)
	declared := declaredIn(t, "readers", "contracts")
	wrong, looked := missingNames(string(text), declared)
	require.Empty(t, wrong, "named by the page, and not there")
	require.Greater(t, looked, 20)
}

// The scenarios that docs/persisted-contracts.md names as histories are there.
func TestHistories(t *testing.T) {
	text, err := os.ReadFile("../../docs/persisted-contracts.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Histories\n")
	require.True(t, found)
	named := regexp.MustCompile("`([a-z]+/[a-z-]+)`").FindAllStringSubmatch(section, -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		require.FileExists(t, path.Join("../../fixtures/scenarios", m[1]+".txtar"))
	}
}

func TestMissingNames(t *testing.T) {
	declared := map[string]bool{"TestShow": true, "readers.File": true}
	page := "`TestShow`, `TestGone`, `readers.File`, `readers.Gone`, `contracts/corpus`, `contracts/gone_test.go`, `go test ./x`, `fs.FS`, [a](a.md), [stint](stint.md)"
	wrong, looked := missingNames(page, declared)
	require.Equal(t, []string{"TestGone", "readers.Gone", "contracts/gone_test.go", "a.md"}, wrong)
	require.Equal(t, 8, looked)
}

var (
	code   = regexp.MustCompile("`([^`\n]+)`|\\]\\(([^)#]+)\\)")
	aTest  = regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`)
	ours   = regexp.MustCompile(`^(readers|contracts)\.[A-Z]\w*$`)
	aPath  = regexp.MustCompile(`^[a-z][\w.-]*(/[\w.-]*)+$`)
	isPage = regexp.MustCompile(`^[\w-]+\.md$`)
)

// missingNames are those in a page of docs/ that are neither declared nor there.
func missingNames(page string, declared map[string]bool) (wrong []string, looked int) {
	for _, m := range code.FindAllStringSubmatch(page, -1) {
		there := true
		switch name := m[1] + m[2]; {
		case aTest.MatchString(name), ours.MatchString(name):
			there = declared[name]
		case m[2] != "" && isPage.MatchString(name):
			there = exists(path.Join("../../docs", name))
		case aPath.MatchString(name):
			there = exists(path.Join("../..", name))
		default:
			continue
		}
		looked++
		if !there {
			wrong = append(wrong, m[1]+m[2])
		}
	}
	return wrong, looked
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// declaredIn are the tests below the folders, and what else their packages
// export, as in readers.File.
func declaredIn(t *testing.T, dirs ...string) map[string]bool {
	t.Helper()
	all := make(map[string]bool)
	for _, dir := range dirs {
		require.NoError(t, fs.WalkDir(os.DirFS("../.."), dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case !strings.HasSuffix(name, ".go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path.Join("../..", name), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				for _, id := range names(decl) {
					all[id], all[file.Name.Name+"."+id] = strings.HasSuffix(name, "_test.go"), true
				}
			}
			return nil
		}))
	}
	return all
}

// names are those that a declaration gives at the top of a file.
func names(decl ast.Decl) (all []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil {
			return []string{decl.Name.Name}
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				all = append(all, spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					all = append(all, id.Name)
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(id string) bool { return !ast.IsExported(id) })
}
