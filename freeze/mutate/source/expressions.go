package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

func (g *generator) condition(e ast.Expr) {
	text := g.file.text(e)
	g.replace("condition-negated", e, "!("+text+")")
	// What it reads stays used.
	g.replace("condition-removed", e, "false && ("+text+")")
	switch e := e.(type) {
	case *ast.BinaryExpr:
		// What turns the whole round is made already.
		if e.Op == token.EQL || e.Op == token.NEQ {
			g.compared(e)
			g.exprs([]ast.Expr{e.X, e.Y})
			return
		}
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			g.expr(e.X)
			return
		}
	}
	g.expr(e)
}

func (g *generator) exprs(list []ast.Expr) {
	for _, e := range list {
		g.expr(e)
	}
}

// swapped are operators that change places.
var swapped = map[token.Token]struct {
	to       token.Token
	operator string
}{
	token.LSS: {token.LEQ, "boundary"}, token.LEQ: {token.LSS, "boundary"},
	token.GTR: {token.GEQ, "boundary"}, token.GEQ: {token.GTR, "boundary"},
	token.EQL: {token.NEQ, "equality"}, token.NEQ: {token.EQL, "equality"},
	token.ADD: {token.SUB, "arithmetic"}, token.SUB: {token.ADD, "arithmetic"},
	token.MUL: {token.QUO, "arithmetic"}, token.QUO: {token.MUL, "arithmetic"},
}

// expr makes the mutants of an expression and of what it holds.
func (g *generator) expr(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			g.literal(n)
			return false
		case *ast.BinaryExpr:
			g.binary(n)
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				g.replace("not-removed", n, "("+g.file.text(n.X)+")")
			}
		case *ast.BasicLit:
			if n.Kind == token.INT {
				g.replace("constant", n, fmt.Sprintf("(%s + 1)", n.Value))
			}
		case *ast.Ident:
			g.boolean(n)
		case *ast.IndexExpr:
			g.lookUp(n)
		}
		return true
	})
}

// literal goes into a function literal.
func (g *generator) literal(l *ast.FuncLit) {
	fn := g.fn
	g.fn = l.Type
	g.block(l.Body)
	g.fn = fn
}

func (g *generator) binary(e *ast.BinaryExpr) {
	if g.file.pkg.info.Types[e].Value != nil {
		return
	}
	x, y := g.file.text(e.X), g.file.text(e.Y)
	switch e.Op {
	case token.LAND, token.LOR:
		neutral := "true || "
		if e.Op == token.LOR {
			neutral = "false && "
		}
		g.replace("operand-removed", e.X, "("+neutral+"("+x+"))")
		g.replace("operand-removed", e.Y, "("+neutral+"("+y+"))")
		return
	case token.ADD:
		if !number(g.file.pkg.info.TypeOf(e)) {
			return
		}
	}
	g.compared(e)
	if s, ok := swapped[e.Op]; ok {
		g.replace(s.operator, e, fmt.Sprintf("(%s %s %s)", x, s.to, y))
	}
}

// compared changes a string that something is compared with.
func (g *generator) compared(e *ast.BinaryExpr) {
	if e.Op != token.EQL && e.Op != token.NEQ {
		return
	}
	for _, side := range []ast.Expr{e.X, e.Y} {
		if lit, ok := side.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			g.replace("constant", lit, "("+lit.Value+` + "?")`)
		}
	}
}

func (g *generator) boolean(id *ast.Ident) {
	if o := g.file.pkg.info.Uses[id]; o == nil || o.Parent() != types.Universe {
		return
	}
	switch id.Name {
	case "true":
		g.replace("constant", id, "false")
	case "false":
		g.replace("constant", id, "true")
	}
}

// lookUp looks up in a map of the same type that is empty: what is indexed is
// sliced, so to say, to nothing.
func (g *generator) lookUp(e *ast.IndexExpr) {
	if m, ok := g.file.pkg.info.TypeOf(e.X).(*types.Map); ok {
		g.replace("look-up", e.X, "("+types.TypeString(m, g.qualifier)+")(nil)")
	}
}

// qualifier names packages as they usually are; where a file does not import
// one, the mutant does not compile and does not count.
func (g *generator) qualifier(p *types.Package) string {
	if p == g.file.pkg.types {
		return ""
	}
	return p.Name()
}

func number(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}
