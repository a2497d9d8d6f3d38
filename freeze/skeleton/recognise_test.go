package skeleton_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/skeleton"
)

const (
	mainGo    = "package main\n\nfunc main() {}\n"
	ignoredGo = "//go:build ignore\n\n" + mainGo
	module    = "module example.com/tools/v3\n"
)

// project writes the files of one.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func TestRecognise(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		choice string
		want   string // what it is, the program, and the last line but one of the words of its build
		err    string
	}{
		{"command in the root", map[string]string{"go.mod": module, "main.go": mainGo}, "", "Go module example.com/tools/v3: tools: .", ""},
		{"only command", map[string]string{"go.mod": module, "cmd/one/main.go": mainGo, "lib.go": "package tools\n"}, "", "Go module example.com/tools/v3: one: ./cmd/one", ""},
		{"command like the module", map[string]string{"go.mod": module, "cmd/one/main.go": mainGo, "cmd/tools/main.go": mainGo}, "", "Go module example.com/tools/v3: tools: ./cmd/tools", ""},
		{"chosen command", map[string]string{"go.mod": module, "cmd/one/main.go": mainGo, "cmd/tools/main.go": mainGo}, "one", "Go module example.com/tools/v3: one: ./cmd/one", ""},
		{"several commands", map[string]string{"go.mod": module, "cmd/one/main.go": mainGo, "two/main.go": mainGo}, "", "", "go.mod: there are several programs: one, two; choose one with --name"},
		{"no such command", map[string]string{"go.mod": module, "main.go": mainGo}, "x", "", `go.mod: there is no program "x", there is tools`},
		{"what go does not build", map[string]string{
			"go.mod": module, "cmd/one/main.go": mainGo, "gen.go": ignoredGo, "testdata/a/main.go": mainGo, "internal/b/main.go": mainGo,
			"_c/main.go": mainGo, "other/go.mod": module, "other/main.go": mainGo, "vendor/d/main.go": mainGo,
		}, "", "Go module example.com/tools/v3: one: ./cmd/one", ""},
		{"no module", map[string]string{"go.mod": "go 1.21\n"}, "", "", "go.mod: names no module"},
		{"library", map[string]string{"go.mod": module, "lib.go": "package tools\n"}, "", "", "holds no Go module with a command"},
		{
			"library with a program of npm", map[string]string{"go.mod": module, "lib.go": "package tools\n", "package.json": `{"name": "@a/web", "bin": "x.js"}`}, "",
			`npm package @a/web: web: tar -xzf "$(npm pack --silent --ignore-scripts)"; chmod 755 package/x.js; mv package "$1/lib"; ln -s lib/x.js "$1/web"`, "",
		},
		{
			"npm with everything", map[string]string{"package-lock.json": "{}", "package.json": `{"name": "web", "bin": {"a": "./bin/a.js"}, "scripts": {"build": "tsc"}, "dependencies": {"b": "1"}}`}, "",
			`npm package web: a: npm ci --no-audit --no-fund --ignore-scripts; npm run build; npm prune --omit=dev --no-audit --no-fund --ignore-scripts; tar -xzf "$(npm pack --silent --ignore-scripts)"; [ ! -d node_modules ] || cp -R node_modules package/; chmod 755 package/bin/a.js; mv package "$1/lib"; ln -s lib/bin/a.js "$1/a"`, "",
		},
		{
			"npm with dependencies", map[string]string{"package.json": `{"name": "web", "bin": "a.js", "dependencies": {"b": "1"}}`}, "",
			`npm package web: web: npm install --no-package-lock --no-audit --no-fund --ignore-scripts --omit=dev; tar -xzf "$(npm pack --silent --ignore-scripts)"; [ ! -d node_modules ] || cp -R node_modules package/; chmod 755 package/a.js; mv package "$1/lib"; ln -s lib/a.js "$1/web"`, "",
		},
		{
			"npm with what it may depend on", map[string]string{"package.json": `{"name": "web", "bin": "a.js", "optionalDependencies": {"b": "1"}}`}, "",
			`npm package web: web: npm install --no-package-lock --no-audit --no-fund --ignore-scripts --omit=dev; tar -xzf "$(npm pack --silent --ignore-scripts)"; [ ! -d node_modules ] || cp -R node_modules package/; chmod 755 package/a.js; mv package "$1/lib"; ln -s lib/a.js "$1/web"`, "",
		},
		{"npm with a bin that is no path", map[string]string{"package.json": `{"name": "web", "bin": "a.js; rm x"}`}, "", "", `bin "web": "a.js; rm x" is no path of the package`},
		{"npm with a bin outside", map[string]string{"package.json": `{"name": "web", "bin": "../a.js"}`}, "", "", `bin "web": "../a.js" is no path of the package`},
		{"npm with an odd name", map[string]string{"package.json": `{"name": "web", "bin": {"a b": "a.js"}}`}, "", "", `package.json: "a b" is no name of a program`},
		{"command below a folder that is no text", map[string]string{"go.mod": module, "\xff/one/main.go": mainGo}, "", "", `go.mod: the command that builds it holds "./\xff/one", which is no text in UTF-8`},
		{"broken package.json", map[string]string{"package.json": `{`}, "", "", "package.json: "},
		{
			"cargo", map[string]string{"Cargo.toml": "[package]\nname = \"crab\"\n", "src/main.rs": ""}, "",
			crabBuild("Cargo package crab: crab", "", "crab"), "",
		},
		{
			"cargo with a lock", map[string]string{"Cargo.toml": "[package]\nname = \"crab\"\n[[bin]]\nname = \"claw\"\n", "Cargo.lock": "", "src/lib.rs": ""}, "",
			crabBuild("Cargo package crab: claw", " --locked", "claw"), "",
		},
		{"cargo with a name of its own for its main", map[string]string{"Cargo.toml": "[package]\nname = \"crab-find\"\n[[bin]]\nname = \"crab\"\npath = \"./src/main.rs\"\n", "src/main.rs": ""}, "", crabBuild("Cargo package crab-find: crab", "", "crab"), ""},
		{"cargo with a program in a folder", map[string]string{"Cargo.toml": "[package]\nname = \"crab\"\n", "src/lib.rs": "", "src/bin/claw/main.rs": "", "src/bin/claw/more.rs": "", "src/bin/none/more.rs": ""}, "", crabBuild("Cargo package crab: claw", "", "claw"), ""},
		{"cargo with a path for what it finds itself", map[string]string{"Cargo.toml": "[package]\nname = \"crab\"\n[[bin]]\nname = \"claw\"\npath = \"src/bin/b.rs\"\n", "src/bin/b.rs": ""}, "", crabBuild("Cargo package crab: claw", "", "claw"), ""},
		{"several of cargo", map[string]string{"Cargo.toml": "[package]\nname = \"crab\"\n", "src/bin/a.rs": "", "src/bin/b.rs": ""}, "", "", "Cargo.toml: there are several programs: a, b; choose one with --name"},
		{"python without a function", map[string]string{"pyproject.toml": "[project]\nname = \"p\"\nscripts = { p = \"p\" }\n"}, "", "", `the script "p" is "p", no function like package.module:main`},
		{"nothing", nil, "", "", "holds no Go module with a command, Cargo package or Python project with a program, or npm package with a bin; say --command CMD, which leaves the program in {bin}, and --name NAME"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := skeleton.Recognise(project(t, tt.files), tt.choice)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			build := d.Build[len(d.Build)-1]
			if build == "{bin}" {
				build = strings.ReplaceAll(strings.TrimSpace(d.Build[2]), "\n", "; ")
			}
			if diff := cmp.Diff(tt.want, d.What+": "+d.Name+": "+build); diff != "" {
				t.Errorf("Recognise (-want +got)\n%s", diff)
			}
		})
	}
}

// crabBuild is how Cargo builds a program.
func crabBuild(what, locked, program string) string {
	return what + `: export CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=/source"; cargo build --release` + locked +
		" --target-dir target --bin " + program + "; cp target/release/" + program + ` "$1/"`
}

func TestRecognisePoetry(t *testing.T) {
	both, err := skeleton.Recognise(project(t, map[string]string{"pyproject.toml": "[project]\nname = \"p\"\nscripts = {p = \"p:main\", q = \"p:more\"}\n[tool.poetry]\nname = \"p\"\n"}), "")
	require.NoError(t, err)
	require.Equal(t, "Python project p", both.What)
	d, err := skeleton.Recognise(project(t, map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"p\"\n[tool.poetry.scripts]\np = \"p.q:main\"\n"}), "")
	require.NoError(t, err)
	require.Equal(t, "Python project p", d.What)
	require.Contains(t, d.Build[2], "\nfrom p.q import main as main\n")
}

func TestWriteAllOrNothing(t *testing.T) {
	dir := project(t, map[string]string{"there": "mine"})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "old"), 0o755))
	err := skeleton.Write(dir, []skeleton.File{{Path: "new/deep/file", Text: "x"}, {Path: "new/file", Text: "x"}, {Path: "old/new/file", Text: "x"}, {Path: "there", Text: "theirs"}})
	require.ErrorIs(t, err, os.ErrExist)
	require.NoDirExists(t, filepath.Join(dir, "new"))
	require.NoDirExists(t, filepath.Join(dir, "old", "new"))
	require.DirExists(t, filepath.Join(dir, "old"), "it was there before")
	text, err := os.ReadFile(filepath.Join(dir, "there"))
	require.NoError(t, err)
	require.Equal(t, "mine", string(text))

	// A link out of the project is not followed.
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "fixtures")))
	require.Error(t, skeleton.Write(dir, []skeleton.File{{Path: "fixtures/a", Text: "x"}}))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// What a user does can be a line of a script, or is refused.
func TestFirst(t *testing.T) {
	for _, tt := range []struct {
		first skeleton.First
		err   string
	}{
		{skeleton.First{Args: []string{"add", "a'b # c", "&x", "& ", ""}, View: "list --json 'a b' # all"}, ""},
		{skeleton.First{Args: []string{"add", "a\nb"}}, `"a\nb": a line of a scenario cannot hold a line's end`},
		{skeleton.First{Args: []string{"add", "\xff"}}, `"\xff": a scenario is text in UTF-8`},
		{skeleton.First{View: "list \xff"}, `"list \xff": a scenario is text in UTF-8`},
		{skeleton.First{View: "list\rall"}, `"list\rall": a line of a scenario cannot hold a line's end`},
		{skeleton.First{View: "it's"}, `--view "it's" is no line of a script`},
		{skeleton.First{Args: []string{"add", "&"}}, `"&": as the last word of a line it would run the program in the background`},
		{skeleton.First{Args: []string{"add", "&name&"}}, `"&name&": as the last word of a line it would run the program in the background`},
	} {
		err := tt.first.Check()
		if tt.err == "" {
			require.NoError(t, err, "%q", tt.first)
		} else {
			require.ErrorContains(t, err, tt.err)
		}
	}
}

// A freeze.toml holds any command as it was given, or is not begun.
func TestConfigOfOddCommands(t *testing.T) {
	for _, command := range []string{
		"install a {bin}/a", "install a {bin}/a\n# two lines\n", "\n{bin}", "{bin} '''\n", "{bin} \"\\\t\x7f", "{bin}\n\x01\x7f", "{bin} \r\n", "{bin} \u2028é",
	} {
		d, err := skeleton.Command("a", command)
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, skeleton.Write(dir, d.Files(skeleton.First{}, "latest")))
		cfg, err := config.Load(filepath.Join(dir, config.Name))
		require.NoError(t, err, "%q", command)
		require.Equal(t, []string{"sh", "-euc", command}, cfg.Provider.Build)
	}
	for _, odd := range []string{"{bin} \xff", "{bin} \x00"} {
		_, err := skeleton.Command("a", odd)
		require.ErrorContains(t, err, "the command that builds it holds "+strconv.Quote(odd)+", which ")
	}
}

// The words of a command are the same ones in the script.
func TestScenarioWords(t *testing.T) {
	first := skeleton.First{Args: []string{"add", "it's", "$HOME", "a  b", "", "#x", "tab\there"}}
	text := skeleton.Scenario("note", first, nil, "{project}")
	_, line, _ := strings.Cut(text, "\n")
	require.Equal(t, "exec note add 'it''s' '$HOME' 'a  b' '' '#x' 'tab\there'\n", line)
	text = skeleton.Scenario("note", skeleton.First{}, []string{"--version"}, "{home}/.local/my state")
	require.True(t, strings.HasSuffix(text, "\nexec note --version\nmkdir $HOME/'.local/my state'\ncp stdout $HOME/'.local/my state'/said.txt\n"), text)
}
