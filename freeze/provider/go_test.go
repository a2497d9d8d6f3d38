package provider_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/stretchr/testify/require"
)

// TestGoProgram builds a Go program as freeze.toml would have it, twice into
// caches of their own: from a clone with a tag and from a linked work tree.
func TestGoProgram(t *testing.T) {
	s := newSubject(t)
	r := ledger.Release{Version: "v3.0.0", Commit: s.commit(t, map[string]string{
		"go.mod":            "module example.com/notes\n\ngo 1.21\n",
		"cmd/notes/main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"runtime\"\n)\n\nfunc main() { fmt.Println(\"notes 3.0.0\", runtime.Version()) }\n",
	})}
	s.cfg.Provider = config.Provider{
		Kind:      config.Git,
		Toolchain: []string{"go", "version"},
		Build:     []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", "{bin}/notes", "./cmd/notes"},
		Env:       map[string]string{"CGO_ENABLED": "0"},
	}
	git(t, s.repo, "worktree", "add", "-q", "--detach", "../linked")
	git(t, s.repo, "tag", "v3.0.0")

	version, err := exec.Command("go", "version").Output()
	require.NoError(t, err)
	toolchain := strings.TrimSpace(string(version))
	var sums []string
	for _, dir := range []string{"repo", "linked"} {
		s.cfg.Dir = filepath.Join(s.dir, dir)
		p, err := provider.New(s.cfg, os.Environ(), filepath.Join(s.dir, "cache of "+dir), &s.log)
		require.NoError(t, err)
		b, err := p.Obtain(t.Context(), r)
		require.NoError(t, err, "log: %s", s.log.String())
		require.False(t, b.Cached)
		require.Equal(t, toolchain, b.Toolchain)
		require.Equal(t, "notes 3.0.0 "+strings.Fields(toolchain)[2]+"\n", programOf(t, b))
		sums = append(sums, b.Programs["notes"])
	}
	require.Equal(t, sums[0], sums[1])
}

// TestGoToolchainIsHeld: the release's go.mod does not choose another
// toolchain than the recorded one, and env outranks both.
func TestGoToolchainIsHeld(t *testing.T) {
	s := newSubject(t)
	show := []string{"sh", "-c", `cp notes "$1/notes"; echo "GOTOOLCHAIN=$GOTOOLCHAIN"`, "build", "{bin}"}
	for _, tt := range []struct {
		toolchain string
		env       map[string]string
		want      string
	}{
		{"go version go1.26.8 linux/amd64", nil, "GOTOOLCHAIN=go1.26.8\n"},
		{"go version go1.26.8 linux/amd64", map[string]string{"GOTOOLCHAIN": "local"}, "GOTOOLCHAIN=local\n"},
		{"go version devel go1.27-abcdef linux/amd64", nil, "GOTOOLCHAIN=\n"},
		{"rustc 1.80.0", nil, "GOTOOLCHAIN=\n"},
	} {
		s.log.Reset()
		s.cfg.Provider = config.Provider{Kind: config.Git, Build: show, Env: tt.env, Toolchain: []string{"echo", tt.toolchain}}
		s.obtain(t, s.v1)
		require.Contains(t, s.log.String(), tt.want, tt.toolchain)
	}
}
