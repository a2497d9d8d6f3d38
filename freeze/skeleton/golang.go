package skeleton

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func goModule(dir, name string) (*Draft, error) {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	modulePath := modfile.ModulePath(data)
	if modulePath == "" {
		return nil, errors.New("names no module")
	}
	base := programOf(modulePath)
	folders, err := goCommands(dir, base)
	if err != nil {
		return nil, err
	}
	program, err := choose(slices.Sorted(maps.Keys(folders)), name, base)
	if err != nil {
		return nil, err
	}
	return &Draft{
		What:      "Go module " + modulePath,
		Name:      program,
		Toolchain: []string{"go", "version"},
		Build:     []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", "{bin}/" + program, folders[program]},
		BuildEnv:  map[string]string{"CGO_ENABLED": "0"},
		Setup:     "", // go is there for freeze itself
	}, nil
}

// programOf is what go calls the program of a package.
func programOf(pkg string) string {
	if prefix, _, ok := module.SplitPathVersion(pkg); ok {
		pkg = prefix
	}
	return path.Base(pkg)
}

// goCommands finds the folders with a main package, by the name of the
// program. Of two with the same name the one nearer to the top is meant.
func goCommands(dir, base string) (map[string]string, error) {
	folders := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if rel != "." && notBuilt(file, d.Name()) {
			return fs.SkipDir
		}
		pkg, err := build.Default.ImportDir(file, 0)
		if err != nil || !pkg.IsCommand() {
			return nil // no package, or none of this system
		}
		name, folder := base, "."
		if rel != "." {
			folder = "./" + filepath.ToSlash(rel)
			name = path.Base(folder)
		}
		if other, ok := folders[name]; !ok || strings.Count(folder, "/") < strings.Count(other, "/") {
			folders[name] = folder
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("its commands: %w", err)
	}
	return folders, nil
}

// notBuilt reports whether go leaves a folder out of ./..., or whether its
// commands are tools of the project rather than its programs.
func notBuilt(file, name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || slices.Contains([]string{"testdata", "vendor", "internal", "examples", "node_modules"}, name) {
		return true
	}
	_, err := os.Stat(filepath.Join(file, "go.mod"))
	return err == nil
}
