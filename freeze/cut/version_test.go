package cut_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program of another version is frozen under no release's name.
func TestVersionIsAsked(t *testing.T) {
	dir := demo(t)
	put(t, dir, "freeze.toml", strings.Replace(read(t, dir, "freeze.toml"), "version_args = []", `version_args = ["version"]`, 1))
	put(t, dir, "demo.sh", strings.Replace(read(t, dir, "demo.sh"), "\n", "\n[ \"$1\" != version ] || { echo demo v1.0.1; exit; }\n", 1))
	r := add(t, open(t, dir), "v1.0.0")
	const want = "the program says that it is v1.0.1, so it is not frozen as v1.0.0"
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("freezing v1.0.0: got %v, want %q", err, want)
	}
	require.NoDirExists(t, filepath.Join(dir, "fixtures", "notes"))
}

// A program that does not say its version and end is stopped.
func TestVersionCheckEnds(t *testing.T) {
	for _, tt := range []struct{ name, version, want string }{
		{"hangs", "sleep 60", `release v1.0.0: "demo version": has not ended after 10s; see version_args in freeze.toml`},
		{"floods", "while :; do echo demo v1.0.0 of a long line; done", `release v1.0.0: "demo version": printed more than 65536 bytes; see version_args in freeze.toml`},
		{"floods its errors", "while :; do echo demo v1.0.0 of a long line >&2; done", `release v1.0.0: "demo version": printed more than 65536 bytes; see version_args in freeze.toml`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := demo(t)
			put(t, dir, "freeze.toml", strings.NewReplacer("version_args = []", `version_args = ["version"]`, `tools = ["mkdir"]`, `tools = ["mkdir", "sleep"]`).Replace(read(t, dir, "freeze.toml")))
			put(t, dir, "demo.sh", "#!/bin/sh\nif [ \"$1\" = version ]; then "+tt.version+"; fi\n"+strings.TrimPrefix(read(t, dir, "demo.sh"), "#!/bin/sh\n"))
			began := time.Now()
			r := add(t, open(t, dir), "v1.0.0")
			require.ErrorContains(t, r.Err(), tt.want)
			require.Less(t, time.Since(began), 30*time.Second)
		})
	}
}
