package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/stretchr/testify/require"
)

func TestDamagedCache(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, build string)
	}{
		{"byte flipped", func(t *testing.T, build string) { overwrite(t, build+"/bin/notes", "#!/bin/sh\necho notes 1.0.1\n") }},
		{"program cut", func(t *testing.T, build string) { overwrite(t, build+"/bin/notes", "") }},
		{"program removed", func(t *testing.T, build string) { require.NoError(t, os.Remove(build+"/bin/notes")) }},
		{"program added", func(t *testing.T, build string) { overwrite(t, build+"/bin/more", "") }},
		{"mode lost", func(t *testing.T, build string) { require.NoError(t, os.Chmod(build+"/bin/notes", 0o644)) }},
		{"record removed", func(t *testing.T, build string) { require.NoError(t, os.Remove(build+"/build.json")) }},
		{"record cut", func(t *testing.T, build string) { overwrite(t, build+"/build.json", "{") }},
		{"record of another", func(t *testing.T, build string) {
			record, err := os.ReadFile(build + "/build.json")
			require.NoError(t, err)
			overwrite(t, build+"/build.json", strings.Replace(string(record), `"v1.0.0"`, `"v1.0.1"`, 1))
		}},
		{"record newer", func(t *testing.T, build string) { overwrite(t, build+"/build.json", `{"more":1}`) }},
		{"a file in its place", func(t *testing.T, build string) {
			require.NoError(t, os.RemoveAll(build))
			overwrite(t, build, "")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSubject(t)
			build := filepath.Dir(s.obtain(t, s.v1).Dir)
			tt.damage(t, build)
			b := s.obtain(t, s.v1)
			require.False(t, b.Cached)
			require.Equal(t, "notes 1.0.0\n", programOf(t, b))
			require.Contains(t, s.log.String(), "v1.0.0: build again, the cached one is damaged: ")
			require.True(t, s.obtain(t, s.v1).Cached)
			s.nothingHalf(t)
		})
	}
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// TestCancelWhileWaiting: another freeze makes the build, and the user does not
// want to wait for it.
func TestCancelWhileWaiting(t *testing.T) {
	s := newSubject(t)
	key := filepath.Base(filepath.Dir(s.obtain(t, s.v1).Dir))
	require.NoError(t, os.RemoveAll(filepath.Join(s.cache(), "builds")))
	unlock, err := lockedfile.MutexAt(filepath.Join(s.cache(), "lock", key)).Lock()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = s.provider(t).Obtain(ctx, s.v1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	unlock()
	require.False(t, s.obtain(t, s.v1).Cached, "the lock is free again")
}
