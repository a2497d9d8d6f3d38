package cli_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/registry"
)

// An npm package that depends on another and has to be built: with a lock and
// without, both are beside the program when it is frozen.
func TestInitOfNPMDependencies(t *testing.T) {
	requireTmux(t)
	npm := registry.NewNPM(t)
	npm.Publish(t, "2026-01-01", map[string]string{
		"package.json": `{"name": "says", "version": "1.0.0", "main": "says.js"}`,
		"says.js":      "module.exports = (s) => 'says ' + s;\n",
	})
	for _, locked := range []bool{false, true} {
		dir := t.TempDir()
		p := packaged{dir: dir, env: []string{"npm_config_registry=" + npm.URL, "npm_config_cache=" + filepath.Join(dir, ".git", "npm"), "npm_config_fetch_retries=0"}}
		p.write(t, "package.json", `{"name": "notes", "version": "1.0.0", "bin": "dist/cli.js", "files": ["dist"],
			"scripts": {"build": "mkdir dist && cp cli.js dist/"}, "dependencies": {"says": "^1.0.0"}}`)
		p.write(t, ".gitignore", "node_modules\ndist\n")
		p.write(t, "cli.js", `#!/usr/bin/env node
const text = require('says')(process.argv[3]);
if (process.argv[2] === '--version') {
	console.log('1.0.0');
} else {
	require('fs').writeFileSync(process.env.HOME + '/notes', text);
}
`)
		p.run(t, "git", "init", "-q")
		if locked {
			p.run(t, "npm", "install", "--package-lock-only")
		}
		p.run(t, "git", "add", "-A")
		p.run(t, "git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "v1.0.0")
		p.run(t, "git", "tag", "v1.0.0")
		_, err := p.freeze("init", "--", "add", "milk")
		require.NoError(t, err)
		want := "npm install --no-package-lock"
		if locked {
			want = "npm ci"
		}
		require.Contains(t, p.read(t, "freeze.toml"), want)
		if !locked {
			continue // init has built it, and run it in a box
		}
		out, err := p.freeze("v1.0.0")
		require.NoError(t, err)
		require.Equal(t, "v1.0.0: 1 frozen\n", out)
		require.Equal(t, "says milk", p.read(t, "fixtures/state/v1.0.0/first/tree/home/notes"))
		require.Contains(t, p.read(t, "fixtures/state/v1.0.0/bindings.json"), `"lib/node_modules": "`)
	}
}

func (p packaged) run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Environ(), p.env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %q: %s", name, args, out)
}
