package source

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A function with switches:
//
//	func (s *Store) Get(id string) (v Value, err error) { if switches.On(7) {
//		return func(s *Store, id string) (v Value, err error) { the changed body }(s, id) }
//		the body as it is
//
// The changed body has the parameters of the function as its own, so that what
// it declares and what it captures is as in the function, and labels do not
// meet. What a function literal cannot stand for is built alone.

// insertion is text that goes into a file.
type insertion struct {
	at   int
	text string
}

// insert makes the insertions, those at one place in their order.
func insert(text []byte, all []insertion) []byte {
	slices.SortStableFunc(all, func(a, b insertion) int { return a.at - b.at })
	var out bytes.Buffer
	at := 0
	for _, i := range all {
		out.Write(text[at:i.at])
		out.WriteString(i.text)
		at = i.at
	}
	out.Write(text[at:])
	return out.Bytes()
}

// ticks counts the turns of all loops below a node.
func (t *Tree) ticks(n ast.Node, runtime string) []insertion {
	var all []insertion
	ast.Inspect(n, func(n ast.Node) bool {
		switch l := n.(type) {
		case *ast.ForStmt:
			all = append(all, insertion{t.offset(l.Body.Lbrace) + 1, " " + runtime + ".Tick();"})
		case *ast.RangeStmt:
			all = append(all, insertion{t.offset(l.Body.Lbrace) + 1, " " + runtime + ".Tick();"})
		}
		return true
	})
	return all
}

// runtimeName is what the package of the switches is called in a file: a name
// that the file does not contain.
func runtimeName(text []byte) string {
	name := "switches_"
	for bytes.Contains(text, []byte(name)) {
		name += "_"
	}
	return name
}

// importing is the import of the package of the switches, on the line of the
// package clause.
func (t *Tree) importing(f *ast.File, name string) insertion {
	return insertion{t.offset(f.Name.End()), fmt.Sprintf("; import %s %q", name, t.switchesPath())}
}

func (t *Tree) switchesPath() string { return t.module.Path + "/" + switchesDir }

// changed is the whole file with the change made, marked where it is reached,
// and with loops counted; marked says whether it could be.
func (c *Change) changed(number int, name string) (text []byte, marked bool, err error) {
	t := c.File.pkg.tree
	text = c.text()
	f, err := t.parse(c.File.Name, text)
	if err != nil {
		return nil, false, err
	}
	var all []insertion
	if c.fn != nil {
		if at, ok := c.mark(f); ok {
			all, marked = append(all, insertion{at, fmt.Sprintf(";%s.Reached(%d); ", name, number)}), true
		}
	}
	all = append(all, t.ticks(f, name)...)
	if len(all) > 0 {
		all = append(all, t.importing(f, name))
	}
	return insert(text, all), marked, nil
}

// switchOf is the text that goes to the beginning of the function's body.
func (c *Change) switchOf(number int, name string) (string, error) {
	if c.fn == nil {
		return "", errors.New("lies outside of functions")
	}
	if what := bound(c.fn.Body); what != "" {
		return "", fmt.Errorf("%s calls %s, which must be called from the function itself", funcName(c.fn), what)
	}
	text, _, err := c.changed(number, name)
	if err != nil {
		return "", err
	}
	t := c.File.pkg.tree
	f, err := t.parse(c.File.Name, text)
	if err != nil {
		return "", err
	}
	fn := sameFunc(c.File.ast, c.fn, f)
	if fn == nil {
		return "", errors.New("changes which functions there are")
	}
	body := string(text[t.offset(fn.Body.Lbrace):t.offset(fn.Body.Rbrace)])
	params, args := c.File.params(c.fn)
	results, back := "", "; return"
	if r := c.fn.Type.Results; r != nil {
		results, back = c.File.text(r)+" ", ""
	}
	call := fmt.Sprintf("func(%s) %s%s\n}(%s)", params, results, c.File.line(c.fn.Body.Lbrace)+body, args)
	if back == "" {
		call = "return " + call
	}
	return fmt.Sprintf(" if %s.On(%d) { %s%s }; %s", name, number, call, back, c.File.line(c.fn.Body.Lbrace+1)), nil
}

// line tells the compiler that what follows stands at a place of the file.
func (f *File) line(pos token.Pos) string {
	at := f.pkg.tree.fset.PositionFor(pos, false)
	return fmt.Sprintf("/*line %s:%d:%d*/", f.Name, at.Line, at.Column)
}

func (f *File) text(n ast.Node) string {
	t := f.pkg.tree
	return string(f.Text[t.offset(n.Pos()):t.offset(n.End())])
}

// params is the receiver and the parameters of a function that have a name, as
// they are declared and as they are passed on.
func (f *File) params(fn *ast.FuncDecl) (declared, passed string) {
	var fields []*ast.Field
	if fn.Recv != nil {
		fields = append(fields, fn.Recv.List...)
	}
	var decls, args []string
	for _, field := range append(fields, fn.Type.Params.List...) {
		more := ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			more = "..."
		}
		for _, n := range field.Names {
			if n.Name != "_" {
				decls = append(decls, n.Name+" "+f.text(field.Type))
				args = append(args, n.Name+more)
			}
		}
	}
	return strings.Join(decls, ", "), strings.Join(args, ", ")
}

// sameFunc finds a function again in the file with the change made.
func sameFunc(before *ast.File, fn *ast.FuncDecl, after *ast.File) *ast.FuncDecl {
	i := slices.IndexFunc(before.Decls, func(d ast.Decl) bool { return d == ast.Decl(fn) })
	// The import of the switches is a declaration more.
	i += len(after.Decls) - len(before.Decls)
	if i < 0 || i >= len(after.Decls) {
		return nil
	}
	found, ok := after.Decls[i].(*ast.FuncDecl)
	if !ok || found.Body == nil || funcName(found) != funcName(fn) {
		return nil
	}
	return found
}

// bound names a call in the body, outside of function literals, that means
// something else in one.
func bound(body *ast.BlockStmt) string {
	what := ""
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
				what = "recover"
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Caller" || sel.Sel.Name == "Callers") {
				what = sel.Sel.Name
			}
		}
		return true
	})
	return what
}
