package source

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is a change that was made up.
type Mutant struct {
	*Change
	// ID is PACKAGE.FUNC/OPERATOR/HASH/N: where it is (the package from the top
	// of the module, where it is not there), what it does, the text of the
	// statement that it changes, and its number among those that are the same
	// up to here. It stays what it is when lines move.
	ID string
}

// Operators are the ways to make up a mutant; docs/mutation.md says what each
// does.
func Operators() []string {
	return []string{
		"condition-negated",
		"condition-removed",
		"operand-removed",
		"not-removed",
		"boundary",
		"equality",
		"arithmetic",
		"constant",
		"look-up",
		"early-return",
		"assignment-skipped",
		"call-skipped",
		"error-dropped",
		"error-invented",
		"loop-skipped",
		"case-removed",
		"tag-renamed",
	}
}

// Mutants makes up the mutants of all packages, in the order of the source.
func (t *Tree) Mutants() []*Mutant {
	var all []*Mutant
	count := make(map[string]int)
	for _, p := range t.Packages() {
		for _, f := range p.Files {
			g := &generator{file: f}
			for _, d := range f.ast.Decls {
				g.decl(d)
			}
			slices.SortStableFunc(g.made, func(a, b made) int { return a.start - b.start })
			for _, m := range g.made {
				id := t.id(p, m)
				count[id]++
				all = append(all, &Mutant{f.change(m.start, m.end, m.text), fmt.Sprintf("%s/%d", id, count[id])})
			}
		}
	}
	return all
}

func (t *Tree) id(p *Package, m made) string {
	pkg := strings.TrimPrefix(strings.TrimPrefix(p.Path, t.module.Path), "/")
	if pkg != "" {
		pkg += "."
	}
	// Space says nothing: a statement may be indented.
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(m.statement), " ")))
	return fmt.Sprintf("%s%s/%s/%s", pkg, m.in, m.operator, hex.EncodeToString(sum[:4]))
}

// Compare orders mutants as the source does.
func (m *Mutant) Compare(other *Mutant) int {
	return cmp.Or(strings.Compare(m.File.Name, other.File.Name), m.Start-other.Start, strings.Compare(m.ID, other.ID))
}

// Before and After show what is changed, on one line.
func (m *Mutant) Before() string { return oneLine(m.File.Text[m.Start:m.End]) }
func (m *Mutant) After() string  { return oneLine([]byte(m.New)) }

func oneLine(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// Package is the import path of its package.
func (m *Mutant) Package() string { return m.File.pkg.Path }

// Place is FILE:LINE, from the folder of the tree.
func (m *Mutant) Place() string { return fmt.Sprintf("%s:%d", m.File.rel(), m.Line()) }

// rel is the name of the file from the folder of the tree.
func (f *File) rel() string {
	name, err := filepath.Rel(f.pkg.tree.Dir, f.Name)
	if err != nil {
		return f.Name
	}
	return filepath.ToSlash(name)
}

// made is a mutant that is about to be one.
type made struct {
	start, end     int
	text, operator string
	in, statement  string
}

// generator makes up the mutants of a file.
type generator struct {
	file      *File
	in        string        // the declaration
	fn        *ast.FuncType // of the innermost function
	statement ast.Node
	made      []made
}

func (g *generator) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil {
			return
		}
		g.in, g.fn, g.statement = funcName(d), d.Type, d.Type
		g.early(d)
		g.block(d.Body)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			g.spec(spec)
		}
	}
}

// add makes one.
func (g *generator) add(operator string, start, end int, text string) {
	g.made = append(g.made, made{start, end, text, operator, g.in, g.file.text(g.statement)})
}

// replace replaces a node.
func (g *generator) replace(operator string, n ast.Node, text string) {
	t := g.file.pkg.tree
	g.add(operator, t.offset(n.Pos()), t.offset(n.End()), text)
}

// before puts text before a place.
func (g *generator) before(operator string, at int, text string) { g.add(operator, at, at, text) }
