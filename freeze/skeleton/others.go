package skeleton

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/pelletier/go-toml/v2"
)

func npm(dir, name string) (*Draft, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var p struct {
		Name         string            `json:"name"`
		Bin          any               `json:"bin"`
		Scripts      map[string]any    `json:"scripts"`
		Dependencies map[string]string `json:"dependencies"`
		Optional     map[string]string `json:"optionalDependencies"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	base := path.Base(p.Name)
	bins := map[string]string{}
	switch bin := p.Bin.(type) {
	case string:
		bins[base] = bin
	case map[string]any:
		for name, file := range bin {
			bins[name], _ = file.(string)
		}
	}
	program, err := choose(sorted(bins), name, base)
	if err != nil {
		return nil, err
	}
	file := path.Clean(bins[program])
	if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/-]*$`).MatchString(file) || !filepath.IsLocal(file) {
		return nil, fmt.Errorf("bin %q: %q is no path of the package that can be written into a command", program, bins[program])
	}
	_, built := p.Scripts["build"]
	return &Draft{
		What:      "npm package " + p.Name,
		Name:      program,
		Toolchain: []string{"node", "--version"},
		Build:     []string{"sh", "-euc", npmBuild(dir, program, file, built, len(p.Dependencies)+len(p.Optional) > 0), "build", "{bin}"},
		Setup:     setup("actions/setup-node@v4", "node-version: lts/*"),
	}, nil
}

// npmBuild lays out what npm would publish, with what it depends on beside it.
func npmBuild(dir, program, file string, built, depends bool) string {
	install := "npm install --no-package-lock --no-audit --no-fund --ignore-scripts"
	if _, err := os.Stat(filepath.Join(dir, "package-lock.json")); err == nil {
		install = "npm ci --no-audit --no-fund --ignore-scripts"
	}
	var lines []string
	switch {
	case built:
		lines = append(lines, install, "npm run build")
		if depends {
			lines = append(lines, "npm prune --omit=dev --no-audit --no-fund --ignore-scripts")
		}
	case depends:
		lines = append(lines, install+" --omit=dev")
	}
	lines = append(lines, `tar -xzf "$(npm pack --silent --ignore-scripts)"`)
	if depends {
		lines = append(lines, "[ ! -d node_modules ] || cp -R node_modules package/")
	}
	lines = append(lines,
		"chmod 755 package/"+file,
		`mv package "$1/lib"`,
		fmt.Sprintf(`ln -s lib/%s "$1/%s"`, file, program))
	return strings.Join(lines, "\n") + "\n"
}

func cargo(dir, name string) (*Draft, error) {
	var c struct {
		Package struct {
			Name string `toml:"name"`
		} `toml:"package"`
		Bin []struct {
			Name string `toml:"name"`
			Path string `toml:"path"`
		} `toml:"bin"`
	}
	if err := readTOML(filepath.Join(dir, "Cargo.toml"), &c); err != nil {
		return nil, err
	}
	// By the file with its main. Cargo finds some itself; what names such a file
	// renames the program.
	found, err := cargoFinds(dir, c.Package.Name)
	if err != nil {
		return nil, err
	}
	var programs []string
	for _, b := range c.Bin {
		programs = append(programs, b.Name)
		delete(found, path.Clean(filepath.ToSlash(b.Path)))
	}
	programs = slices.AppendSeq(programs, maps.Values(found))
	slices.Sort(programs)
	program, err := choose(slices.Compact(programs), name, c.Package.Name)
	if err != nil {
		return nil, err
	}
	locked := ""
	if _, err := os.Stat(filepath.Join(dir, "Cargo.lock")); err == nil {
		locked = " --locked"
	}
	return &Draft{
		What:      "Cargo package " + c.Package.Name,
		Name:      program,
		Toolchain: []string{"rustc", "--version"},
		// The folder of the build must not be in the program. It may have a blank,
		// which divides RUSTFLAGS.
		Build: []string{"sh", "-euc", fmt.Sprintf(`export CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=/source"
cargo build --release%s --target-dir target --bin %s
cp target/release/%s "$1/"
`, locked, program, program), "build", "{bin}"},
	}, nil
}

// cargoFinds are the programs that Cargo finds without being told, by the file
// with their main.
func cargoFinds(dir, pkg string) (map[string]string, error) {
	found := map[string]string{}
	for pattern, name := range map[string]func(file string) string{
		"src/main.rs":       func(string) string { return pkg },
		"src/bin/*.rs":      func(file string) string { return strings.TrimSuffix(path.Base(file), ".rs") },
		"src/bin/*/main.rs": func(file string) string { return path.Base(path.Dir(file)) },
	} {
		files, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if n := name(file); n != "" {
				found[file] = n
			}
		}
	}
	return found, nil
}

func python(dir, name string) (*Draft, error) {
	var p struct {
		Project struct {
			Name    string            `toml:"name"`
			Scripts map[string]string `toml:"scripts"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Name    string         `toml:"name"`
				Scripts map[string]any `toml:"scripts"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if err := readTOML(filepath.Join(dir, "pyproject.toml"), &p); err != nil {
		return nil, err
	}
	scripts := maps.Clone(p.Project.Scripts)
	if scripts == nil {
		scripts = map[string]string{}
	}
	for name, entry := range p.Tool.Poetry.Scripts {
		if entry, ok := entry.(string); ok {
			scripts[name] = entry
		}
	}
	project := cmp.Or(p.Project.Name, p.Tool.Poetry.Name)
	program, err := choose(sorted(scripts), name, project)
	if err != nil {
		return nil, err
	}
	entry := regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.]*):([A-Za-z_][A-Za-z0-9_]*)$`).FindStringSubmatch(strings.TrimSpace(scripts[program]))
	if entry == nil {
		return nil, fmt.Errorf("the script %q is %q, no function like package.module:main", program, scripts[program])
	}
	return &Draft{
		What:      "Python project " + project,
		Name:      program,
		Toolchain: []string{"python3", "-c", "import sys; print(sys.executable, sys.version)"},
		Build:     []string{"sh", "-euc", fmt.Sprintf(pythonBuild, program, entry[1], entry[2], program), "build", "{bin}"},
		BoxEnv:    map[string]string{"PYTHONDONTWRITEBYTECODE": "1"},
		Setup:     setup("actions/setup-python@v5", "python-version: 3.x"),
	}, nil
}

// pythonBuild leaves a program that runs on the python3 of the machine that
// builds it: a version manager's python3 is a script that finds nothing in a
// box. What pip notes of the folder it installed from is left out.
const pythonBuild = `python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$1/lib" .
rm -rf "$1/lib/bin" "$1"/lib/*.dist-info/direct_url.json "$1"/lib/*.dist-info/RECORD
cat >"$1/%s" <<END
#!$(python3 -c 'import sys; print(sys.executable)')
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from %s import %s as main
sys.exit(main())
END
chmod 755 "$1/%s"
`

func readTOML(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return toml.Unmarshal(data, into)
}
