package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/registry"
)

// packaged is a project whose releases are packages of a registry.
type packaged struct {
	dir, pkg string
	env      []string
	// offline refuses the network.
	offline string
	// integrity is what the registry states of v1.0.0.
	integrity string
	// change has the registry serve another v1.0.0, to whoever has kept none.
	change func() (cold string)
}

// A release that is a package is cut with the hash that its registry states,
// frozen again without a network, and refused once it is another.
func TestPackages(t *testing.T) {
	requireTmux(t)
	for name, project := range map[string]func(t *testing.T, dir string) packaged{"go": goPackaged, "npm": npmPackaged} {
		t.Run(name, func(t *testing.T) {
			p := project(t, t.TempDir())
			p.write(t, "fixtures/scenarios/notes/add.txtar", "exec notes add milk\n")

			_, err := p.freeze("v1.1.0", "--add")
			require.ErrorContains(t, err, `release "v1.1.0": `)
			_, err = p.freeze("v1.0.0", "--add", "--integrity", "h1:other")
			require.ErrorContains(t, err, "has the integrity "+p.integrity+", not h1:other")
			require.NoFileExists(t, filepath.Join(p.dir, "fixtures", "releases.toml"))

			out, err := p.freeze("v1.0.0", "--add")
			require.NoError(t, err)
			require.Equal(t, "v1.0.0: 1 frozen\n", out)
			require.Contains(t, p.read(t, "fixtures/releases.toml"), "package = \""+p.pkg+"\"\nintegrity = \""+p.integrity+"\"\n")
			if name == "npm" {
				require.Regexp(t, `(?m)^integrity = .*\ndependencies = "[0-9a-f]{64}"\nbefore = "[0-9T:-]+Z"\ndate = `, p.read(t, "fixtures/releases.toml"))
			}
			require.Contains(t, p.read(t, "fixtures/notes/v1.0.0/bindings.json"), p.integrity)

			require.NoError(t, os.RemoveAll(filepath.Join(p.dir, "cache")))
			p.env = append(p.env, p.offline)
			out, err = p.freeze("v1.0.0")
			require.NoError(t, err)
			require.Equal(t, "v1.0.0: 1 identical\n", out)
			out, err = p.freeze("v1.0.0", "--json")
			require.NoError(t, err)
			require.Contains(t, out, fmt.Sprintf("\"package\": %q,\n      \"integrity\": %q,\n", p.pkg, p.integrity))
			require.Contains(t, out, `"cached": true`)
			require.NoError(t, os.RemoveAll(filepath.Join(p.dir, "cache")))
			p.env = append(p.env[:len(p.env)-1], p.change())
			_, err = p.freeze("v1.0.0")
			require.ErrorContains(t, err, "and the ledger pins "+p.integrity+": a version that is out keeps its content")
		})
	}
}

func goPackaged(t *testing.T, dir string) packaged {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	proxy := registry.GoProxy{Dir: filepath.Join(dir, "proxy")}
	publish := func(more string) {
		proxy.Publish(t, "example.com/notes", "v1.0.0", map[string]string{
			"go.mod":            "module example.com/notes\n\ngo 1.21\n",
			"cmd/notes/main.go": goNotes + more,
		})
	}
	publish("")
	modules := "GOMODCACHE=" + filepath.Join(dir, "modules")
	p := packaged{
		dir: dir, pkg: "example.com/notes", offline: "GOPROXY=off",
		env: []string{"GOCACHE=" + strings.TrimSpace(string(cache)), "GOPROXY=" + proxy.URL(), "GOSUMDB=off", modules},
	}
	p.change = func() string {
		publish("// changed\n")
		return "GOMODCACHE=" + filepath.Join(dir, "cold")
	}
	t.Cleanup(func() { // go makes its modules read-only
		out, err := exec.Command("chmod", "-R", "u+w", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
	cmd := exec.Command("go", "mod", "download", "-json", "example.com/notes@v1.0.0")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), p.env...)
	out, err := cmd.Output()
	require.NoError(t, err)
	_, sum, _ := strings.Cut(string(out), `"Sum": "`)
	p.integrity, _, _ = strings.Cut(sum, `"`)
	p.write(t, "freeze.toml", fmt.Sprintf(packagedConfig, "kind = \"go\"\npackage = \"example.com/notes\"\ncommands = [\"cmd/notes\"]", ""))
	return p
}

func npmPackaged(t *testing.T, dir string) packaged {
	npm := registry.NewNPM(t)
	publish := func(more string) string {
		return npm.Publish(t, "2026-01-01", map[string]string{
			"package.json": `{"name": "@me/notes", "version": "1.0.0", "bin": {"notes": "cli.js"}}`,
			"cli.js":       "#!/usr/bin/env node\nrequire('./lib/notes.js');\n",
			"lib/notes.js": npmNotes + more,
		})
	}
	p := packaged{
		dir: dir, pkg: "@me/notes", offline: "npm_config_offline=true", integrity: publish(""),
		env: []string{"npm_config_registry=" + npm.URL, "npm_config_cache=" + filepath.Join(dir, "npm"), "npm_config_fetch_retries=0"},
	}
	p.change = func() string {
		publish("// changed\n")
		return "npm_config_cache=" + filepath.Join(dir, "cold")
	}
	p.write(t, "freeze.toml", fmt.Sprintf(packagedConfig, "kind = \"npm\"\npackage = \"@me/notes\"", `"node"`))
	return p
}

func (p packaged) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func (p packaged) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// freeze returns what freeze says on standard output, and as an error what it
// says beside it when it fails.
func (p packaged) freeze(args ...string) (string, error) {
	cmd := freezeCommand(p.dir, filepath.Join(p.dir, "cache"), append(args, "--quiet")...)
	cmd.Env = append(cmd.Env, p.env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%w: %s", err, stderr.String())
	}
	return stdout.String(), nil
}

const packagedConfig = `[subject]
name = "notes"
version_args = ["--version"]

[provider]
%s

[box]
tools = [%s]

[family.notes]
roots = ["{home}"]
`

const goNotes = `package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
)

func main() {
	if os.Args[1] == "--version" {
		info, _ := debug.ReadBuildInfo()
		os.Stdout.WriteString("notes " + info.Main.Version + "\n")
		return
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("HOME"), "notes"), []byte(os.Args[2]+"\n"), 0o600); err != nil {
		panic(err)
	}
}
`

const npmNotes = `const fs = require('fs');
if (process.argv[2] === '--version') {
	console.log('notes', require('../package.json').version);
} else {
	fs.writeFileSync(process.env.HOME + '/notes', process.argv[3] + '\n');
}
`
