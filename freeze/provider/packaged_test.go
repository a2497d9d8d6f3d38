package provider_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
	"github.com/freeze-contracts/permafrost/freeze/provider"
	"github.com/stretchr/testify/require"
)

// packaged is a subject whose releases are packages of some registry.
type packaged struct {
	dir string
	cfg *config.Config
	env []string
	log strings.Builder
}

func (s *packaged) provider(t *testing.T, cache string, env ...string) *provider.Provider {
	t.Helper()
	p, err := provider.New(s.cfg, append(slices.Clone(s.env), env...), filepath.Join(s.dir, cache), &s.log)
	require.NoError(t, err)
	return p
}

func (s *packaged) pin(t *testing.T) ledger.Release {
	t.Helper()
	r, err := s.provider(t, "cache").Pin(t.Context(), ledger.Release{Version: "v1.0.0", Date: "2026-01-02"})
	require.NoError(t, err, "log: %s", s.log.String())
	return r
}

func (s *packaged) obtain(t *testing.T, cache string, r ledger.Release, env ...string) *provider.Build {
	t.Helper()
	b, err := s.provider(t, cache, env...).Obtain(t.Context(), r)
	require.NoError(t, err, "log: %s", s.log.String())
	return b
}
