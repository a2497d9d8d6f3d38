package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"slices"
)

// Line is a line of a file on which a statement begins.
type Line struct {
	File    string // from the folder of the tree
	Number  int    // from 1
	Package string // import path

	file *File
}

// Lines are those of all packages, in the order of the source.
func (t *Tree) Lines() []Line {
	var all []Line
	for _, p := range t.Packages() {
		for _, f := range p.Files {
			numbers := make(map[int]bool)
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.BlockStmt, *ast.LabeledStmt, *ast.EmptyStmt, *ast.CaseClause, *ast.CommClause, nil:
				case ast.Stmt:
					numbers[t.fset.PositionFor(n.Pos(), false).Line] = true
				}
				return true
			})
			for _, n := range slices.Sorted(maps.Keys(numbers)) {
				all = append(all, Line{f.rel(), n, p.Path, f})
			}
		}
	}
	return all
}

func (l Line) String() string { return fmt.Sprintf("%s:%d", l.File, l.Number) }

// Touches reports whether the mutant changes the line, or takes it away.
func (m *Mutant) Touches(l Line) bool {
	first := m.Line()
	last := first + bytes.Count(m.File.Text[m.Start:m.End], []byte("\n"))
	return m.File == l.file && first <= l.Number && l.Number <= last
}
