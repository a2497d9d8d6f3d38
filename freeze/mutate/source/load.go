// Package source edits Go packages without writing to them: it finds what an
// edit is of, judges by the type checker whether the edited package compiles,
// and renders packages in which each edit is a switch, for the go command's
// -overlay. It runs no test, and no program but go list.
package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
)

// Tree is the packages that edits are made of, as they are on disk.
type Tree struct {
	Dir string // relative file names are meant from here

	module   module
	fset     *token.FileSet
	packages map[string]*Package // by folder
	matched  map[string]bool     // the patterns that name any
	importer types.Importer
}

type module struct {
	Path, Dir, GoVersion string
}

// Package is one package, without its tests.
type Package struct {
	Path  string
	Files []*File

	tree  *Tree
	types *types.Package
	info  *types.Info
}

// File is one source file of a package.
type File struct {
	Name string // absolute
	Text []byte

	pkg *Package
	ast *ast.File
}

// listed is what go list says about a package.
type listed struct {
	ImportPath, Dir, Export string
	DepOnly                 bool
	GoFiles, CgoFiles       []string
	Match                   []string // the patterns that name it
	Module                  *module
	Error                   *struct{ Err string }
}

// Load reads, parses and checks packages. The patterns are those of the go
// command, meant from dir; env is its environment.
func Load(ctx context.Context, dir string, env []string, patterns ...string) (*Tree, error) {
	all, err := list(ctx, dir, env, patterns)
	if err != nil {
		return nil, err
	}
	t := &Tree{Dir: dir, fset: token.NewFileSet(), packages: make(map[string]*Package), matched: make(map[string]bool)}
	exports := make(map[string]string)
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	imports := importer.ForCompiler(t.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("package %s is not among what is imported so far", path)
		}
		return os.Open(exports[path])
	})
	t.importer = withSwitches{imports, t}
	for _, l := range all {
		// What is not there is noticed when it is asked for.
		if l.DepOnly || l.Error != nil && len(l.GoFiles) == 0 {
			continue
		}
		if err := t.add(l); err != nil {
			return nil, fmt.Errorf("package %s: %w", l.ImportPath, err)
		}
		for _, pattern := range l.Match {
			t.matched[pattern] = true
		}
	}
	return t, nil
}

func list(ctx context.Context, dir string, env, patterns []string) ([]listed, error) {
	cmd := exec.Command("go", slices.Concat([]string{"list", "-e", "-export", "-deps",
		"-json=ImportPath,Dir,Export,DepOnly,GoFiles,CgoFiles,Match,Module,Error", "--"}, patterns)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := process.Output(ctx, cmd)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %s", bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, l)
	}
}

func (t *Tree) add(l listed) error {
	switch {
	case l.Error != nil && l.Module == nil:
		return errors.New(l.Error.Err)
	case l.Module == nil:
		return errors.New("belongs to no module")
	case t.module.Dir != "" && t.module.Dir != l.Module.Dir:
		return fmt.Errorf("is in module %s, and others are in %s: mutate one module at a time", l.Module.Path, t.module.Path)
	case len(l.CgoFiles) > 0:
		return errors.New("uses cgo, which is not checked here")
	}
	t.module = *l.Module
	p := &Package{Path: l.ImportPath, tree: t}
	for _, name := range l.GoFiles {
		f := &File{Name: filepath.Join(l.Dir, name), pkg: p}
		var err error
		if f.Text, err = os.ReadFile(f.Name); err != nil {
			return err
		}
		if f.ast, err = t.parse(f.Name, f.Text); err != nil {
			return err
		}
		p.Files = append(p.Files, f)
	}
	p.info = &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object), Defs: make(map[*ast.Ident]types.Object)}
	var err error
	p.types, err = p.check(nil, p.info)
	t.packages[l.Dir] = p
	return err
}

func (t *Tree) parse(name string, text []byte) (*ast.File, error) {
	return parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
}

// check checks the package with one file replaced, and returns the first error.
func (p *Package) check(replaced *ast.File, info *types.Info) (*types.Package, error) {
	var files []*ast.File
	for _, f := range p.Files {
		if replaced != nil && p.tree.name(replaced) == f.Name {
			files = append(files, replaced)
		} else {
			files = append(files, f.ast)
		}
	}
	conf := p.config()
	return conf.Check(p.Path, p.tree.fset, files, info)
}

// name is the file that a tree was parsed under, whatever line comments say.
func (t *Tree) name(f *ast.File) string { return t.fset.PositionFor(f.FileStart, false).Filename }

func (t *Tree) offset(pos token.Pos) int { return t.fset.PositionFor(pos, false).Offset }

// File returns the file of that name, absolute or from the folder of the tree.
func (t *Tree) File(name string) (*File, bool) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(t.Dir, filepath.FromSlash(name))
	}
	p := t.packages[filepath.Dir(name)]
	if p == nil {
		return nil, false
	}
	i := slices.IndexFunc(p.Files, func(f *File) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return p.Files[i], true
}

// Matched reports whether a pattern names a package that is there.
func (t *Tree) Matched(pattern string) bool { return t.matched[pattern] }

// Packages returns the packages, sorted by path.
func (t *Tree) Packages() []*Package {
	var all []*Package
	for _, p := range t.packages {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return all
}
