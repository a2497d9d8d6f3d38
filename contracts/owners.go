package contracts

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// importPath is this package's, by which a suite imports it.
const importPath = "github.com/freeze-contracts/permafrost/contracts"

// ownersRule: a family without an owner has no read ledger, and of two owners
// neither sees what the other reads.
func (k *checking) ownersRule(context.Context) error {
	owners, err := owners(os.DirFS(k.Suites))
	if err != nil {
		return err
	}
	keys, _, err := fixture.List(k.corpus.fsys)
	if err != nil {
		return err
	}
	families := make(map[string]bool)
	for _, key := range keys {
		families[key.Family] = true
	}
	for family := range families {
		switch files := owners[family]; len(files) {
		case 1:
		case 0:
			k.problem(Owners, family, "no suite below %q owns it: a TestMain that calls contracts.Main(m, %q)", k.Suites, family)
		default:
			k.problem(Owners, family, "several suites own it: %q", files)
		}
	}
	for family, files := range owners {
		if !families[family] {
			k.problem(Owners, files[0], "owns family %q, which has no fixtures", family)
		}
	}
	return nil
}

// owners finds, for each family, the files whose TestMain calls Main with it.
// It parses them itself: the test cache does not see what a child process reads.
func owners(fsys fs.FS) (map[string][]string, error) {
	found := make(map[string][]string)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		families, err := owned(fsys, name)
		for _, family := range families {
			found[family] = append(found[family], name)
		}
		return err
	})
	return found, err
}

// owned are the families that the TestMain in one file owns.
func owned(fsys fs.FS, name string) ([]string, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg := localName(file)
	var families []string
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Name.Name != "TestMain" || fn.Body == nil || pkg == "" {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if family, ok := mainCall(n, pkg); ok {
				families = append(families, family)
			}
			return true
		})
	}
	return families, nil
}

// localName is the name by which the file knows this package, empty if it does
// not import it.
func localName(file *ast.File) string {
	at := slices.IndexFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(importPath) })
	switch {
	case at < 0:
		return ""
	case file.Imports[at].Name != nil:
		return file.Imports[at].Name.Name
	}
	return path.Base(importPath)
}

// mainCall says whether n is PKG.Main(m, "FAMILY", ...).
func mainCall(n ast.Node, pkg string) (family string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Main" {
		return "", false
	}
	of, isIdent := sel.X.(*ast.Ident)
	lit, isLit := call.Args[1].(*ast.BasicLit)
	if !isIdent || of.Name != pkg || !isLit {
		return "", false
	}
	family, err := strconv.Unquote(lit.Value)
	return family, err == nil
}
