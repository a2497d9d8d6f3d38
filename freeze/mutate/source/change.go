package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
)

// Edit replaces one text of one declaration.
type Edit struct {
	File string // absolute or from the folder of the tree
	Decl string // Name, Type.Method, or the name of a type, variable or constant
	Find string // occurs in the declaration exactly once

	Replace string
}

// StaleError is an edit that has no place in the source as it is now.
type StaleError struct{ Why string }

func (e *StaleError) Error() string { return e.Why }

// CompileError is an edit under which the package does not compile.
type CompileError struct{ Message string }

func (e *CompileError) Error() string { return e.Message }

// Change is an edit in its place: the bytes of a file from Start to End become
// New.
type Change struct {
	File       *File
	Start, End int
	New        string

	fn *ast.FuncDecl // the function whose body it lies in, or nil
}

// Locate finds what an edit is of, or returns a *StaleError.
func (t *Tree) Locate(e Edit) (*Change, error) {
	f, ok := t.File(e.File)
	if !ok {
		return nil, &StaleError{fmt.Sprintf("%s: no such file in the packages that this system builds", e.File)}
	}
	decl := f.decl(e.Decl)
	if decl == nil {
		return nil, &StaleError{fmt.Sprintf("%s: declares no %s", e.File, e.Decl)}
	}
	from, to := t.offset(decl.Pos()), t.offset(decl.End())
	text := f.Text[from:to]
	switch n := bytes.Count(text, []byte(e.Find)); {
	case n == 0:
		return nil, &StaleError{fmt.Sprintf("%s: %s does not contain the text to find", e.File, e.Decl)}
	case n > 1:
		return nil, &StaleError{fmt.Sprintf("%s: %s contains the text to find %d times", e.File, e.Decl, n)}
	}
	// What is equal at both ends is no part of the change: what lies before it
	// may be reached without it.
	before, after := common(e.Find, e.Replace)
	start := from + bytes.Index(text, []byte(e.Find)) + before
	return f.change(start, start+len(e.Find)-before-after, e.Replace[before:len(e.Replace)-after]), nil
}

// common returns the lengths of the equal beginnings and ends of two texts,
// which do not overlap.
func common(a, b string) (before, after int) {
	for before < len(a) && before < len(b) && a[before] == b[before] {
		before++
	}
	for after < len(a)-before && after < len(b)-before && a[len(a)-1-after] == b[len(b)-1-after] {
		after++
	}
	return before, after
}

func (f *File) change(start, end int, text string) *Change {
	c := &Change{File: f, Start: start, End: end, New: text}
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if t := f.pkg.tree; t.offset(fn.Body.Lbrace) < start && end <= t.offset(fn.Body.Rbrace) {
			c.fn = fn
		}
	}
	return c
}

// decl finds a declaration at the top of the file.
func (f *File) decl(name string) ast.Node {
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if funcName(d) == name {
				// Without its comment.
				return &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type, Body: d.Body}
			}
		case *ast.GenDecl:
			if spec := specOf(d, name); spec != nil {
				return spec
			}
		}
	}
	return nil
}

// funcName is Name or Type.Name.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.ParenExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

func specOf(d *ast.GenDecl, name string) ast.Node {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.Name == name {
				return s
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.Name == name {
					return s
				}
			}
		}
	}
	return nil
}

// text is the whole file with the change made.
func (c *Change) text() []byte {
	return []byte(string(c.File.Text[:c.Start]) + c.New + string(c.File.Text[c.End:]))
}

// InFunc reports whether the change lies in the body of a function, where it
// can be a switch and be marked when it is reached.
func (c *Change) InFunc() bool { return c.fn != nil }

// Func is the name of the function that the change lies in, or empty.
func (c *Change) Func() string {
	if c.fn == nil {
		return ""
	}
	return funcName(c.fn)
}

// Line is where the change begins, counted from 1.
func (c *Change) Line() int { return 1 + bytes.Count(c.File.Text[:c.Start], []byte("\n")) }

// Check returns a *CompileError if the package does not compile with the change.
func (c *Change) Check() error {
	t := c.File.pkg.tree
	file, err := t.parse(c.File.Name, c.text())
	if err == nil {
		_, err = c.File.pkg.check(file, nil)
	}
	if err != nil {
		return &CompileError{strings.TrimPrefix(err.Error(), t.Dir+"/")}
	}
	return nil
}
