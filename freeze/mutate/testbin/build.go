// Package testbin builds test binaries once, runs one test of one in a process
// of its own, and reads from its output what failed first. It does not know
// what a mutant is.
package testbin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
)

// Builder builds test binaries of one tree.
type Builder struct {
	Dir     string   // where the go command runs
	Env     []string // its environment
	Overlay string   // a file for -overlay, or empty
	Link    string   // for -ldflags
	Cover   []string // packages whose coverage is measured, or none
}

// Binary is the compiled tests of a package.
type Binary struct {
	Path    string // of the program
	Dir     string // of the package, where its tests run
	Package string // import path
}

// NoTestsError is a package that cannot be tested.
type NoTestsError struct{ Package, Why string }

func (e *NoTestsError) Error() string { return e.Package + ": " + e.Why }

// Find returns the folder and the import path of the one package that a
// pattern names, or a *NoTestsError.
func (b Builder) Find(ctx context.Context, pattern string) (dir, importPath string, err error) {
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles,Error", "--", pattern)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	out, err := process.Output(ctx, cmd)
	if ctx.Err() != nil {
		return "", "", context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", "", &NoTestsError{pattern, string(bytes.TrimSpace(exit.Stderr))}
	}
	if err != nil {
		return "", "", err
	}
	var l struct {
		Dir, ImportPath           string
		TestGoFiles, XTestGoFiles []string
		Error                     *struct{ Err string }
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	if err := dec.Decode(&l); err != nil {
		return "", "", &NoTestsError{pattern, "no such package"}
	}
	switch {
	case dec.More():
		return "", "", &NoTestsError{pattern, "more than one package"}
	case len(l.TestGoFiles)+len(l.XTestGoFiles) > 0:
		return l.Dir, l.ImportPath, nil
	case l.Error != nil:
		return "", "", &NoTestsError{pattern, l.Error.Err}
	}
	return "", "", &NoTestsError{pattern, "has no tests"}
}

// Suite is a package with tests.
type Suite struct {
	Package string // import path
	Name    string
	Dir     string
	Module  string // the folder of its module, or empty
	// Imports are all packages that its tests are built of.
	Imports map[string]bool
	// Main says whether it has a TestMain.
	Main bool
}

// Suites returns the packages with tests that patterns name: those of the first
// pattern first, each once.
func (b Builder) Suites(ctx context.Context, patterns []string) ([]Suite, error) {
	var all []Suite
	for _, pattern := range patterns {
		text, err := b.list(ctx, "-json=ImportPath,Name,Dir,Module,TestGoFiles,XTestGoFiles", "--", pattern)
		if err != nil {
			return nil, err
		}
		for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
			var l struct {
				ImportPath, Name, Dir     string
				Module                    struct{ Dir string }
				TestGoFiles, XTestGoFiles []string
			}
			if err := dec.Decode(&l); err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			files := append(l.TestGoFiles, l.XTestGoFiles...)
			if len(files) == 0 || slices.ContainsFunc(all, func(s Suite) bool { return s.Package == l.ImportPath }) {
				continue
			}
			suite := Suite{Package: l.ImportPath, Name: l.Name, Dir: l.Dir, Module: l.Module.Dir, Imports: make(map[string]bool), Main: hasMain(l.Dir, files)}
			imports, err := b.list(ctx, "-deps", "-test", "-f", "{{or .ForTest .ImportPath}} {{.ImportPath}}", "--", l.ImportPath)
			if err != nil {
				return nil, err
			}
			for _, i := range strings.Fields(string(imports)) {
				suite.Imports[i] = true
			}
			all = append(all, suite)
		}
	}
	return all, nil
}

// hasMain reports whether one of the files has a TestMain, or may have: what
// does not parse is told when it is built.
func hasMain(dir string, files []string) bool {
	return slices.ContainsFunc(files, func(name string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		return err != nil || slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && fn.Recv == nil && fn.Name.Name == "TestMain"
		})
	})
}

// list returns what go list prints.
func (b Builder) list(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	out, err := process.Output(ctx, cmd)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %s", bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// Build builds the tests of a package as a program in the folder out.
func (b Builder) Build(ctx context.Context, pattern, out string) (*Binary, error) {
	dir, importPath, err := b.Find(ctx, pattern)
	if err != nil {
		return nil, err
	}
	return b.BuildFound(ctx, dir, importPath, out)
}

// BuildFound is Build of what Find returned: go list takes a good part of the
// time of a small build.
func (b Builder) BuildFound(ctx context.Context, dir, importPath, out string) (*Binary, error) {
	bin := &Binary{Path: filepath.Join(out, "test"), Dir: dir, Package: importPath}
	// Without debugging symbols linking takes half of the time; vet has seen
	// the tree before.
	args := []string{"test", "-c", "-vet=off", "-o", bin.Path, "-ldflags=-s -w " + b.Link}
	if b.Overlay != "" {
		args = append(args, "-overlay="+b.Overlay)
	}
	if len(b.Cover) > 0 {
		args = append(args, "-cover", "-coverpkg="+strings.Join(b.Cover, ","))
	}
	cmd := exec.Command("go", append(args, importPath)...)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	said, err := process.Output(ctx, cmd)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, &BuildError{importPath, string(bytes.TrimSpace(append(exit.Stderr, said...)))}
	}
	return bin, err
}

// BuildError is what the go command says of tests that do not compile.
type BuildError struct{ Package, Output string }

func (e *BuildError) Error() string {
	return fmt.Sprintf("the tests of %s do not build:\n%s", e.Package, e.Output)
}

// First is the first complaint of the compiler.
func (e *BuildError) First() string {
	for line := range strings.Lines(e.Output) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return line
		}
	}
	return "does not build"
}

// GoFlags adds the overlay and the linker's flags to the environment, so that
// what a test builds of this tree is what is tested.
func (b Builder) GoFlags() []string {
	if b.Overlay == "" {
		return b.Env
	}
	// Vet goes to the folders of packages, and that of the switches is on no disk.
	flags := value(b.Env, "GOFLAGS") + " -vet=off " + strconv.Quote("-overlay="+b.Overlay) + " " + strconv.Quote("-ldflags="+b.Link)
	return append(slices.Clone(b.Env), "GOFLAGS="+flags)
}
