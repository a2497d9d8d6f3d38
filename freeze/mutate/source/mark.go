package source

import (
	"go/ast"
	"go/token"
)

// mark returns where in the changed file a statement can stand that runs just
// before what is changed. Both texts are asked: where a case of a switch is
// taken away, only the one before shows that the whole switch is changed.
func (c *Change) mark(changed *ast.File) (at int, ok bool) {
	t := c.File.pkg.tree
	before, ok := t.place(c.File.ast, c.Start, c.End)
	if !ok {
		return 0, false
	}
	after, ok := t.place(changed, c.Start, c.Start+len(c.New))
	// Up to its start both texts are the same.
	return min(before, after, c.Start), ok
}

// place returns where in a file a statement can stand that runs just before
// what lies between two offsets: before the statement that holds it in the
// innermost list of statements that holds it.
func (t *Tree) place(file ast.Node, from, to int) (at int, ok bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || t.offset(n.Pos()) > to || t.offset(n.End()) < from {
			return n == file
		}
		for _, l := range t.lists(n) {
			if l.from <= from && to <= l.to {
				at, ok = l.before(t, from), true
			}
		}
		return true
	})
	return at, ok
}

// statements is a list of them, and the region of the file that it fills.
type statements struct {
	from, to int
	list     []ast.Stmt
}

func (s statements) before(t *Tree, at int) int {
	for _, stmt := range s.list {
		if t.offset(stmt.End()) > at {
			return t.offset(stmt.Pos())
		}
	}
	return at
}

// lists returns the lists of statements right below a node.
func (t *Tree) lists(n ast.Node) []statements {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return []statements{t.block(n)}
	case *ast.SwitchStmt:
		return t.clauses(n.Body)
	case *ast.TypeSwitchStmt:
		return t.clauses(n.Body)
	case *ast.SelectStmt:
		return t.clauses(n.Body)
	}
	return nil
}

func (t *Tree) block(b *ast.BlockStmt) statements {
	if len(b.List) > 0 {
		switch b.List[0].(type) {
		case *ast.CaseClause, *ast.CommClause:
			return statements{from: 1} // holds nothing: no statement can stand between clauses
		}
	}
	return statements{t.offset(b.Lbrace) + 1, t.offset(b.Rbrace), b.List}
}

// clauses are the bodies of the cases of a switch or select.
func (t *Tree) clauses(b *ast.BlockStmt) []statements {
	var all []statements
	for i, clause := range b.List {
		to := t.offset(b.Rbrace)
		if i+1 < len(b.List) {
			to = t.offset(b.List[i+1].Pos())
		}
		colon, list := clauseBody(clause)
		all = append(all, statements{t.offset(colon) + 1, to, list})
	}
	return all
}

func clauseBody(s ast.Stmt) (colon token.Pos, list []ast.Stmt) {
	switch c := s.(type) {
	case *ast.CaseClause:
		return c.Colon, c.Body
	case *ast.CommClause:
		return c.Colon, c.Body
	}
	return token.NoPos, nil
}
