package cut_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
