package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// invented is an error, by nothing that would have to be imported.
const invented = `func() (err error) { defer func() { err, _ = recover().(error) }(); var none *int; _ = *none; return }()`

func (g *generator) early(d *ast.FuncDecl) {
	text := "return; "
	if r := d.Type.Results; r != nil && len(r.List) > 0 && len(r.List[0].Names) == 0 {
		var zero []string
		for _, field := range r.List {
			zero = append(zero, "*new("+g.file.text(field.Type)+")")
		}
		text = "return " + strings.Join(zero, ", ") + "; "
	}
	if len(d.Body.List) > 0 {
		g.before("early-return", g.file.pkg.tree.offset(d.Body.Lbrace)+1, " "+text)
	}
}

// block makes the mutants of the statements of a block.
func (g *generator) block(b *ast.BlockStmt) { g.statements(b.List) }

func (g *generator) statements(list []ast.Stmt) {
	for _, s := range list {
		g.stmt(s)
	}
}

func (g *generator) stmt(s ast.Stmt) {
	outer := g.statement
	defer func() { g.statement = outer }()
	g.statement = s
	switch s := s.(type) {
	case *ast.BlockStmt:
		g.block(s)
	case *ast.LabeledStmt:
		g.stmt(s.Stmt)
	case *ast.IfStmt:
		g.ifStmt(s)
	case *ast.ForStmt:
		g.forStmt(s)
	case *ast.RangeStmt:
		g.statement = s.X
		g.expr(s.X)
		g.loop(s.Body)
	case *ast.SwitchStmt:
		g.switchStmt(s)
	case *ast.TypeSwitchStmt:
		g.cases(s.Body)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			g.statements(c.(*ast.CommClause).Body)
		}
	case *ast.ReturnStmt:
		g.returns(s)
	case *ast.AssignStmt:
		g.assign(s)
	case *ast.IncDecStmt:
		g.replace("assignment-skipped", s, "")
	case *ast.ExprStmt:
		if _, ok := s.X.(*ast.CallExpr); ok {
			g.replace("call-skipped", s, "")
		}
		g.expr(s.X)
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && s.Decl.(*ast.GenDecl).Tok == token.VAR {
				g.exprs(v.Values)
			}
			return true
		})
	case *ast.DeferStmt:
		g.expr(s.Call)
	case *ast.GoStmt:
		g.expr(s.Call)
	case *ast.SendStmt:
		g.expr(s.Value)
	}
}

func (g *generator) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		g.stmt(s.Init)
	}
	g.statement = s.Cond
	g.condition(s.Cond)
	g.block(s.Body)
	if s.Else != nil {
		g.stmt(s.Else)
	}
}

func (g *generator) forStmt(s *ast.ForStmt) {
	if s.Init != nil {
		g.stmt(s.Init)
	}
	if s.Cond != nil {
		g.statement = s.Cond
		g.expr(s.Cond)
	}
	if s.Post != nil {
		g.statement = s.Post
		g.stmt(s.Post)
	}
	g.loop(s.Body)
}

func (g *generator) loop(b *ast.BlockStmt) {
	g.statement = b
	if len(b.List) > 0 {
		g.before("loop-skipped", g.file.pkg.tree.offset(b.Lbrace)+1, " break; ")
	}
	g.block(b)
}

func (g *generator) switchStmt(s *ast.SwitchStmt) {
	if s.Init != nil {
		g.stmt(s.Init)
	}
	if s.Tag != nil {
		g.statement = s.Tag
		g.expr(s.Tag)
	} else {
		for _, c := range s.Body.List {
			g.statement = c
			g.exprs(c.(*ast.CaseClause).List)
		}
	}
	g.cases(s.Body)
}

func (g *generator) cases(b *ast.BlockStmt) {
	for _, clause := range b.List {
		c := clause.(*ast.CaseClause)
		g.statement = c
		g.replace("case-removed", c, "")
		g.statements(c.Body)
	}
}

func (g *generator) assign(s *ast.AssignStmt) {
	if s.Tok != token.DEFINE && !blank(s.Lhs) {
		at := g.file.pkg.tree.offset
		g.add("assignment-skipped", at(s.Lhs[0].Pos()), at(s.Rhs[0].Pos()), strings.Repeat("_, ", len(s.Lhs)-1)+"_ = ")
	}
	g.exprs(s.Rhs)
}

func blank(list []ast.Expr) bool {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

func (g *generator) returns(s *ast.ReturnStmt) {
	for _, e := range s.Results {
		tv := g.file.pkg.info.Types[e]
		switch {
		case tv.IsNil() && g.returnsError(s, e):
			g.replace("error-invented", e, invented)
		case !tv.IsNil() && tv.Type != nil && types.Implements(tv.Type, errorType) && g.returnsError(s, e):
			g.replace("error-dropped", e, "nil")
		}
	}
	g.exprs(s.Results)
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// returnsError reports whether a result of the innermost function, in whose
// place e stands, is declared as an error.
func (g *generator) returnsError(s *ast.ReturnStmt, e ast.Expr) bool {
	if g.fn.Results == nil || len(s.Results) != g.fn.Results.NumFields() {
		return false
	}
	at := 0
	for _, field := range g.fn.Results.List {
		for range max(1, len(field.Names)) {
			if s.Results[at] == e {
				id, ok := field.Type.(*ast.Ident)
				return ok && id.Name == "error"
			}
			at++
		}
	}
	return false
}

// tagName is the name in a tag: `json:"name,omitzero"`.
var tagName = regexp.MustCompile(`:"([^",]+)`)

func (g *generator) spec(spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		g.in = s.Name.Name
		ast.Inspect(s, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				g.tag(field)
			}
			return true
		})
	case *ast.ValueSpec:
		g.in, g.statement = s.Names[0].Name, s
		for _, v := range s.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.INT {
				g.replace("constant", lit, fmt.Sprintf("(%s + 1)", lit.Value))
			}
		}
	}
}

func (g *generator) tag(field *ast.Field) {
	g.statement = field
	at := tagName.FindStringSubmatchIndex(field.Tag.Value)
	if at == nil || field.Tag.Value[at[2]:at[3]] == "-" {
		return
	}
	start := g.file.pkg.tree.offset(field.Tag.Pos())
	g.add("tag-renamed", start+at[3], start+at[3], "_renamed")
}
