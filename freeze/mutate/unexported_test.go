package mutate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A tree that is being copied is left where it is when the run is interrupted.
func TestCopiedInterrupted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	s, err := newScratch()
	require.NoError(t, err)
	defer func() { require.NoError(t, s.remove()) }()
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	site := site{dir: dir, scratch: s}
	_, err = site.copied(ctx, "copy")
	require.Equal(t, interrupted, err)
	require.NoFileExists(t, filepath.Join(s.dir, "copy", "file"))
}

// A run removes what a killed one has left, and not what another one has.
func TestScratchOfKilledRuns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	running, err := newScratch()
	require.NoError(t, err)
	defer func() { require.NoError(t, running.remove()) }()
	var left []string
	for _, parent := range []string{os.TempDir(), filepath.Dir(running.memory)} {
		dir, err := os.MkdirTemp(parent, "fzm1.")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
		left = append(left, dir)
	}
	other := filepath.Join(os.TempDir(), "fzm1-1")
	require.NoError(t, os.Mkdir(other, 0o755))

	s, err := newScratch()
	require.NoError(t, err)
	require.NoError(t, s.remove())
	for _, dir := range left {
		require.NoDirExists(t, dir)
	}
	for _, dir := range []string{running.dir, running.memory, other} {
		require.DirExists(t, dir)
	}
}
