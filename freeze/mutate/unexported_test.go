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
