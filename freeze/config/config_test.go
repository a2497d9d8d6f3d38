package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const whole = `[subject]
name = "diary"
version_args = ["--version"]

[provider]
kind = "git"
repo = "../diary.git"
toolchain = ["go", "version"]
build = ["go", "build", "-o", "{bin}/diary", "./cmd/diary"]
env = { CGO_ENABLED = "0" }

[box]
tools = ["git", "sh"]
tmux = true
env = { EDITOR = "{home}/ed" }

[stand_in.codex]
file = "codex.sh"

[family.sessions]
roots = ["{home}/.local/state/diary", "{project}"]

[family.project]
roots = ["{project}"]

[[binding]]
family = "sessions"
file = "**/session.json"
pointer = "/fingerprint"
kind = "derived"
derive = "fingerprint"
inputs = ["{project}", "view/head/stdout"]

[[binding]]
family = "sessions"
file = "**/key"
kind = "opaque"
pattern = "^[0-9a-f]{64}$"

[derive.fingerprint]
command = ["sh", "derive.sh", "{version}"]

[[secret_ok]]
file = "**/session.json"
pointer = "/token"
reason = "made up for the scenario"

[mutate]
packages = ["./readers/..."]
suites = ["./contracts/..."]
regressions = "contracts/mutations"

[read]
scripts = "contracts/read"
`

// wholeProvider is the provider of whole.
const wholeProvider = `kind = "git"
repo = "../diary.git"
toolchain = ["go", "version"]
build = ["go", "build", "-o", "{bin}/diary", "./cmd/diary"]
env = { CGO_ENABLED = "0" }`

// load writes text as a freeze.toml, beside the scripts it may name.
func load(t *testing.T, text string) (*config.Config, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "codex.sh"), nil, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	path := filepath.Join(dir, config.Name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return config.Load(path)
}

func TestLoad(t *testing.T) {
	got, err := load(t, whole)
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(got.Dir), "Dir is %q", got.Dir)
	want := &config.Config{
		Dir:     got.Dir,
		Subject: config.Subject{Name: "diary", VersionArgs: []string{"--version"}},
		Provider: config.Provider{
			Kind:      config.Git,
			Repo:      "../diary.git",
			Toolchain: []string{"go", "version"},
			Build:     []string{"go", "build", "-o", "{bin}/diary", "./cmd/diary"},
			Env:       map[string]string{"CGO_ENABLED": "0"},
		},
		Box:     config.Box{Tools: []string{"git", "sh"}, Tmux: true, Env: map[string]string{"EDITOR": "{home}/ed"}},
		StandIn: map[string]config.StandIn{"codex": {File: "codex.sh"}},
		Family: map[string]config.Family{
			"sessions": {Roots: []string{"{home}/.local/state/diary", "{project}"}},
			"project":  {Roots: []string{"{project}"}},
		},
		Binding: []config.Binding{
			{Family: "sessions", File: "**/session.json", Pointer: "/fingerprint", Kind: "derived", Derive: "fingerprint", Inputs: []string{"{project}", "view/head/stdout"}},
			{Family: "sessions", File: "**/key", Kind: "opaque", Pattern: "^[0-9a-f]{64}$"},
		},
		Derive:   map[string]config.Derive{"fingerprint": {Command: []string{"sh", "derive.sh", "{version}"}}},
		SecretOK: []config.SecretOK{{File: "**/session.json", Pointer: "/token", Reason: "made up for the scenario"}},
		Mutate: config.Mutate{
			Packages: []string{"./readers/..."}, Suites: []string{"./contracts/..."}, Regressions: "contracts/mutations",
		},
		Read: config.Read{Scripts: "contracts/read"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load (-want +got)\n%s", diff)
	}
}

// TestLoadErrors changes one line of a good file and expects the complaint
// about it, with its place.
func TestLoadErrors(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"unknown key", `tmux = true`, `tmucks = true`, `14:1: box.tmucks: unknown key, known here: tools, tmux, env`},
		{"unknown table", `[mutate]`, `[mutant]`, `48:2: mutant: unknown key`},
		{"wrong type", `tmux = true`, `tmux = "yes"`, `14:1: box.tmux: wrong type: wants true or false, not a string`},
		{"no TOML", `tmux = true`, `tmux = yes`, `14:8: unexpected character`},

		{"subject missing", "name = \"diary\"\n", ``, `1:2: subject.name: missing`},
		{"subject empty", `"diary"`, `" "`, `2:1: subject.name: empty`},
		{"subject path", `name = "diary"`, `name = "bin/diary"`, `2:1: subject.name: "bin/diary" is no file name`},
		{"subject dots", `name = "diary"`, `name = ".."`, `2:1: subject.name: ".." is no file name`},
		{"no version_args", "version_args = [\"--version\"]\n", ``, `1:2: subject.version_args: missing: the arguments that print the version, [] if nothing does`},
		{"version_args placeholder", `"--version"`, `"{version}"`, `3:17: subject.version_args[0]: {version}: there are no placeholders here`},

		{"provider missing", `kind = "git"`, ``, `5:2: provider.kind: missing: git, go, npm or command`},
		{"provider kind", `kind = "git"`, `kind = "cargo"`, `6:1: provider.kind: "cargo" is no provider, it is git, go, npm or command`},
		{"provider repo", `kind = "git"`, `kind = "command"`, `7:1: provider.repo: only the provider git has a repository`},
		{"repo empty", `"../diary.git"`, `""`, `7:1: provider.repo: empty: leave it out`},
		{"repo placeholder", `"../diary.git"`, `"{home}/diary"`, `7:1: provider.repo: {home}: there are no placeholders here`},
		{"build missing", `build = ["go", "build", "-o", "{bin}/diary", "./cmd/diary"]`, ``, `5:2: provider.build: missing`},
		{"build empty", `build = ["go", "build", "-o", "{bin}/diary", "./cmd/diary"]`, `build = []`, `9:1: provider.build: empty`},
		{"build without bin", `"{bin}/diary"`, `"diary"`, `9:1: provider.build: names {bin} nowhere`},
		{"build placeholder", `"./cmd/diary"]`, `"{home}"]`, `9:46: provider.build[4]: {home} is no placeholder here, only {bin} {version}`},
		{"build unknown placeholder", `"./cmd/diary"]`, `"{comit}"]`, `9:46: provider.build[4]: {comit} is no placeholder here`},
		{"build NUL", `"./cmd/diary"]`, `"\u0000"]`, `9:46: provider.build[4]: "\x00" holds a NUL`},
		{"toolchain placeholder", `["go", "version"]`, `["go", "{bin}"]`, `8:20: provider.toolchain[1]: {bin}: there are no placeholders here`},
		{"provider env name", `CGO_ENABLED =`, `"A=B" =`, `10:9: provider.env."A=B": "A=B" is no name of a variable`},
		{"provider env value", `CGO_ENABLED = "0"`, `A = "{project}"`, `10:9: provider.env.A: {project} is no placeholder here, only {bin} {version}`},

		{"git with package", `repo = "../diary.git"`, `package = "example.com/diary"`, `7:1: provider.package: only the providers go and npm install a package`},
		{"git with commands", `repo = "../diary.git"`, `commands = ["."]`, `7:1: provider.commands: only the provider go has commands`},
		{"git with scripts", `repo = "../diary.git"`, `scripts = true`, `7:1: provider.scripts: only the provider npm has scripts`},
		{"go with build", wholeProvider, `kind = "go"` + "\n" + `build = ["make"]`, `7:1: provider.build: the provider go needs none, it installs provider.package`},
		{"go with repo", wholeProvider, `kind = "go"` + "\n" + `repo = "../diary.git"`, `7:1: provider.repo: only the provider git has a repository`},
		{"go without package", wholeProvider, `kind = "go"`, `5:2: provider.package: missing`},
		{"go package", wholeProvider, `kind = "go"` + "\n" + `package = "-diary"`, `7:1: provider.package: "-diary" is no path of a Go module`},
		{"go package with version", wholeProvider, `kind = "go"` + "\n" + `package = "example.com/diary@v1.0.0"`, `7:1: provider.package: "example.com/diary@v1.0.0" is no path of a Go module`},
		{"go with scripts", wholeProvider, `kind = "go"` + "\npackage = \"example.com/diary\"\nscripts = true", `8:1: provider.scripts: only the provider npm has scripts`},
		{"go without command", wholeProvider, `kind = "go"` + "\npackage = \"example.com/diary\"\ncommands = []", `8:1: provider.commands: empty`},
		{"go command outside", wholeProvider, `kind = "go"` + "\npackage = \"example.com/diary\"\ncommands = [\"../x\"]", `8:13: provider.commands[0]: "../x" is no folder of the module`},
		{"go command as a package", wholeProvider, `kind = "go"` + "\npackage = \"example.com/diary\"\ncommands = [\".\", \"./cmd/x\"]", `8:18: provider.commands[1]: "./cmd/x" is no folder of the module`},
		{"npm package", wholeProvider, `kind = "npm"` + "\n" + `package = "file:../diary"`, `7:1: provider.package: "file:../diary" is no name of an npm package`},
		{"npm option", wholeProvider, `kind = "npm"` + "\n" + `package = "--global"`, `7:1: provider.package: "--global" is no name of an npm package`},
		{"npm with commands", wholeProvider, `kind = "npm"` + "\npackage = \"@me/diary\"\ncommands = [\".\"]", `8:1: provider.commands: only the provider go has commands`},

		{"tool path", `"sh"]`, `"/bin/sh"]`, `13:17: box.tools[1]: "/bin/sh" is no file name`},
		{"tool is subject", `"sh"]`, `"diary"]`, `13:17: box.tools[1]: "diary" is the subject`},
		{"tool tmux", `"sh"]`, `"tmux"]`, `13:17: box.tools[1]: tmux is not linked into a box: say tmux = true`},
		{"tool twice", `"sh"]`, `"git"]`, `13:17: box.tools[1]: "git" is listed twice`},
		{"box env owned", `EDITOR =`, `XDG_DATA_HOME =`, `15:9: box.env.XDG_DATA_HOME: the box sets XDG_DATA_HOME itself`},
		{"box env placeholder", `{home}/ed`, `{root}/ed`, `15:9: box.env.EDITOR: {root} is no placeholder here, only {bin} {home} {project} {version}`},

		{"stand-in missing", `file = "codex.sh"`, `file = "other.sh"`, `18:1: stand_in.codex.file: "other.sh": stat `},
		{"stand-in folder", `file = "codex.sh"`, `file = "folder"`, `18:1: stand_in.codex.file: "folder" is no regular file`},
		{"stand-in outside", `file = "codex.sh"`, `file = "../codex.sh"`, `18:1: stand_in.codex.file: "../codex.sh" leads out of the folder of freeze.toml`},
		{"stand-in without file", `file = "codex.sh"`, ``, `17:11: stand_in.codex.file: missing`},
		{"stand-in slash", `[stand_in.codex]`, `[stand_in."a/b"]`, `17:11: stand_in."a/b": "a/b" is no file name`},
		{"stand-in subject", `[stand_in.codex]`, `[stand_in.diary]`, `17:11: stand_in.diary: "diary" is the subject`},
		{"stand-in tmux", `[stand_in.codex]`, `[stand_in.tmux]`, `17:11: stand_in.tmux: nothing stands in for tmux`},
		{"stand-in and tool", `[stand_in.codex]`, `[stand_in.git]`, `17:11: stand_in.git: "git" is in box.tools too`},

		{"family scenarios", `[family.project]`, `[family.scenarios]`, `23:9: family.scenarios: a family cannot be named "scenarios"`},
		{"family slash", `[family.project]`, `[family."a/b"]`, `23:9: family."a/b": "a/b" is no name`},
		{"family upper case", `[family.project]`, `[family.Project]`, `23:9: family.Project: "Project" is no name`},
		{"family dot", `[family.project]`, `[family.".a"]`, `23:9: family.".a": ".a" is no name`},
		{"family empty", `[family.project]`, `[family.""]`, `23:9: family."": "" is no name`},
		{"no roots", "[family.project]\nroots = [\"{project}\"]", `[family.project]`, `23:9: family.project.roots: missing`},
		{"root outside", `"{home}/.local/state/diary"`, `"/var/lib"`, `21:10: family.sessions.roots[0]: "/var/lib" is not below {home} or {project}`},
		{"root up", `"{home}/.local/state/diary"`, `"{home}/../x"`, `21:10: family.sessions.roots[0]: "{home}/../x" is not below`},
		{"root glued", `"{home}/.local/state/diary"`, `"{home}x"`, `21:10: family.sessions.roots[0]: "{home}x" is not below`},
		{"root bin", `"{home}/.local/state/diary"`, `"{bin}"`, `21:10: family.sessions.roots[0]: {bin} is no placeholder here, only {home} {project}`},
		{"root trailing slash", `"{home}/.local/state/diary"`, `"{home}/"`, `21:10: family.sessions.roots[0]: "{home}/" is not below`},
		{"roots nested", `"{home}/.local/state/diary"`, `"{project}/a"`, `21:25: family.sessions.roots[1]: "{project}" and "{project}/a" lie inside of one another`},

		{"binding family", `family = "sessions"`, `family = "sesions"`, `27:1: binding[0].family: there is no family "sesions", there is project, sessions`},
		{"binding without family", `family = "sessions"`, ``, `26:3: binding[0].family: missing`},
		{"binding without file", `file = "**/session.json"`, ``, `26:3: binding[0].file: missing`},
		{"binding glob", `"**/session.json"`, `"**/[a"`, `28:1: binding[0].file: "**/[a": syntax error in pattern`},
		{"binding absolute", `"**/session.json"`, `"/home/a"`, `28:1: binding[0].file: "/home/a" can match nothing`},
		{"binding placeholder", `"**/session.json"`, `"{home}/a"`, `28:1: binding[0].file: {home}: there are no placeholders here`},
		{"binding pointer", `"/fingerprint"`, `"fingerprint"`, `29:1: binding[0].pointer: "fingerprint" is no JSON pointer`},
		{"binding pointer escape", `"/fingerprint"`, `"/a~2"`, `29:1: binding[0].pointer: "/a~2" is no JSON pointer`},
		{"binding kind", `kind = "derived"`, `kind = "time"`, `30:1: binding[0].kind: "time" is no kind that can be declared, those are derived, decimal`},
		{"binding without kind", `kind = "derived"`, ``, `26:3: binding[0].kind: missing`},
		{"binding without derive", `derive = "fingerprint"`, ``, `26:3: binding[0].derive: missing`},
		{"binding needless derive", `kind = "derived"`, `kind = "host"`, `31:1: binding[0].derive: only a binding of kind derived has a derivation`},
		{"binding derive", `derive = "fingerprint"`, `derive = "a b"`, `31:1: binding[0].derive: "a b" is no name`},
		{"binding input", `"view/head/stdout"`, `"/etc/passwd"`, `32:24: binding[0].inputs[1]: "/etc/passwd" is neither below {home} or {project} nor a path of a box`},
		{"binding input placeholder", `"view/head/stdout"`, `"{root}"`, `32:24: binding[0].inputs[1]: {root} is no placeholder here, only {home} {project}`},
		{"binding needless inputs", "kind = \"derived\"\nderive = \"fingerprint\"", `kind = "host"`, `31:1: binding[0].inputs: only a binding of kind derived has a derivation`},
		{"binding special pointer", `"/fingerprint"`, `"#mode"`, `29:1: binding[0].pointer: "#mode" is no JSON pointer`},
		{"binding empty pattern", `derive = "fingerprint"`, "derive = \"fingerprint\"\npattern = \"\"", `32:1: binding[0].pattern: empty`},
		{"binding pattern", `"^[0-9a-f]{64}$"`, `"("`, "38:1: binding[1].pattern: error parsing regexp: missing closing )"},
		{"binding without pattern", `pattern = "^[0-9a-f]{64}$"`, ``, `34:3: binding[1].pattern: missing`},
		{"binding without layout", "kind = \"opaque\"\npattern = \"^[0-9a-f]{64}$\"", `kind = "date"`, `34:3: binding[1].layout: missing`},
		{"binding layout", "kind = \"opaque\"\npattern = \"^[0-9a-f]{64}$\"", "kind = \"date\"\nlayout = \"Jan 2\"", `38:1: binding[1].layout: "Jan 2" tells no day of a year`},
		{"binding needless layout", `kind = "opaque"`, "kind = \"opaque\"\nlayout = \"2006-01-02\"", `38:1: binding[1].layout: only a binding of kind date has a layout`},
		{"binding needless pattern", `kind = "opaque"`, `kind = "uid"`, `38:1: binding[1].pattern: only a binding of kind opaque or derived has a pattern`},
		{"binding twice", `file = "**/key"`, "file = \"**/session.json\"\npointer = \"/fingerprint\"", `34:3: binding[1]: the same family, file and pointer as binding[0]`},

		{"derive name", `[derive.fingerprint]`, `[derive."a/b"]`, `40:9: derive."a/b": "a/b" is no name`},
		{"derive command", `command = ["sh", "derive.sh", "{version}"]`, ``, `40:9: derive.fingerprint.command: missing`},
		{"derive placeholder", `"derive.sh", "{version}"`, `"{bin}/x"`, `41:18: derive.fingerprint.command[1]: {bin} is no placeholder here, only {version}`},
		{"secret reason", `reason = "made up for the scenario"`, ``, `43:3: secret_ok[0].reason: missing`},
		{"secret pointer", `"/token"`, `"token"`, `45:1: secret_ok[0].pointer: "token" is no JSON pointer`},
		{"secret file", `[[secret_ok]]`, `[[secret_ok]]` + "\nreason = \"r\"\n[[secret_ok]]", `43:3: secret_ok[0].file: missing`},
		{"mutate packages", `packages = ["./readers/..."]`, ``, `48:2: mutate.packages: missing`},
		{"mutate suites", `suites = ["./contracts/..."]`, `suites = []`, `50:1: mutate.suites: empty`},
		{"mutate empty", "packages = [\"./readers/...\"]\nsuites = [\"./contracts/...\"]\nregressions = \"contracts/mutations\"", ``, `48:2: mutate.regressions: missing`},
		{"mutate outside", `"contracts/mutations"`, `"/tmp/mutations"`, `51:1: mutate.regressions: "/tmp/mutations" leads out`},
		{"read scripts", `scripts = "contracts/read"`, ``, `53:2: read.scripts: missing`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, whole, tt.old)
			_, err := load(t, strings.Replace(whole, tt.old, tt.new, 1))
			var e *config.Error
			require.ErrorAs(t, err, &e)
			require.ErrorContains(t, err, config.Name+":"+tt.want)
		})
	}
}

func TestLoadOfPackages(t *testing.T) {
	for _, want := range []config.Provider{
		{Kind: config.Go, Package: "example.com/diary/v2", Commands: []string{".", "cmd/diary"}, Env: map[string]string{"GOFLAGS": "-tags=x"}},
		{Kind: config.NPM, Package: "@me/diary", Scripts: true, Toolchain: []string{"node", "--version"}},
		{Kind: config.NPM, Package: "diary.js"},
	} {
		text := "kind = \"" + string(want.Kind) + "\"\npackage = \"" + want.Package + "\"\n"
		for _, more := range []struct {
			given bool
			line  string
		}{
			{want.Commands != nil, `commands = [".", "cmd/diary"]`},
			{want.Env != nil, `env = { GOFLAGS = "-tags=x" }`},
			{want.Scripts, `scripts = true`},
			{want.Toolchain != nil, `toolchain = ["node", "--version"]`},
		} {
			if more.given {
				text += more.line + "\n"
			}
		}
		got, err := load(t, strings.Replace(whole, wholeProvider, text, 1))
		require.NoError(t, err)
		if diff := cmp.Diff(want, got.Provider); diff != "" {
			t.Errorf("Load (-want +got)\n%s", diff)
		}
	}
}

func TestLoadWithoutFamily(t *testing.T) {
	text, _, _ := strings.Cut(whole, "[family.sessions]")
	_, err := load(t, text)
	require.ErrorContains(t, err, "freeze.toml: family: missing: at least one [family.NAME] with its roots")
}

func TestLoadMissingFile(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), config.Name))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "write one, or name another with --config")
}

func TestExpand(t *testing.T) {
	p := config.Places{Bin: "/b", Home: "/h", Project: "/p", Version: "v1.2.3"}
	for in, want := range map[string]string{
		"{bin}/x":                "/b/x",
		"{home}:{project}":       "/h:/p",
		"v{version}-{version}":   "v1.2.3-1.2.3",
		"${HOME} {} {bin} {Bin}": "${HOME} {} /b {Bin}",
		"":                       "",
	} {
		if got := p.Expand(in); got != want {
			t.Errorf("Expand(%q) = %q, want %q", in, got, want)
		}
	}
	// A value that holds a placeholder itself is not expanded again.
	odd := config.Places{Bin: "/tmp/{home}", Home: "/h"}
	if diff := cmp.Diff([]string{"/tmp/{home}", "/h"}, odd.ExpandAll([]string{"{bin}", "{home}"})); diff != "" {
		t.Errorf("ExpandAll (-want +got)\n%s", diff)
	}
}
