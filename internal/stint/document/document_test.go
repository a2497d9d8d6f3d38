package document_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a", "b", "doc.json")
	for _, content := range []string{"first", "second", ""} {
		require.NoError(t, document.Write(name, []byte(content), 0o600))
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		if diff := cmp.Diff(content, string(got)); diff != "" {
			t.Errorf("Write (-want +got)\n%s", diff)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, entries, 1, "beside the document")
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{name: 0o600, filepath.Join(dir, "a"): 0o700 | os.ModeDir, filepath.Join(dir, "a", "b"): 0o700 | os.ModeDir} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode(), path)
	}
}

// What a killed process left must neither be in the way nor lead elsewhere.
func TestWriteOverLeftovers(t *testing.T) {
	dir := t.TempDir()
	name, left := filepath.Join(dir, "doc.json"), filepath.Join(dir, ".doc.json.new")
	victim := filepath.Join(dir, "victim")
	require.NoError(t, os.WriteFile(victim, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(victim, left))
	require.NoError(t, document.Write(name, []byte("new"), 0o600))
	for path, want := range map[string]string{name: "new", victim: "mine"} {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(got), path)
	}
	require.NoFileExists(t, left)
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, document.Write(filepath.Join(file, "doc"), nil, 0o600), "a file is in its place")
	folder := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "full"), 0o700))
	require.Error(t, document.Write(folder, []byte("x"), 0o600))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "what a failed write left")
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a", "lock")
	first, err := document.Acquire(t.Context(), name, document.Patience)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = document.Acquire(ctx, name, document.Patience)
	require.ErrorIs(t, err, context.DeadlineExceeded, "a lock that is held")

	second := make(chan error)
	go func() {
		lock, err := document.Acquire(t.Context(), name, document.Patience)
		if err == nil {
			lock.Release()
		}
		second <- err
	}()
	first.Release()
	require.NoError(t, <-second)
	require.FileExists(t, name, "the lock file stays")
}

// A lock goes with the folder that its holder removes; who waited for it has that
// of the folder as it is then, and nobody else can have the same.
func TestLockThatWasRemoved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run", "lock")
	synctest.Test(t, func(t *testing.T) {
		first, err := document.Acquire(t.Context(), name, document.Patience)
		require.NoError(t, err)
		made, there := make(chan *document.Lock), make(chan error)
		go func() {
			lock, _ := document.Acquire(t.Context(), name, document.Patience)
			made <- lock
		}()
		go func() {
			_, err := document.AcquireIn(t.Context(), name, document.Patience)
			there <- err
		}()
		synctest.Wait() // Both have the file open.
		require.NoError(t, os.RemoveAll(filepath.Dir(name)))
		first.Release()
		second := <-made
		require.NotNil(t, second)
		require.True(t, document.Busy(name))
		require.ErrorIs(t, <-there, fs.ErrNotExist)
		second.Release()
	})
}

func TestAcquireInNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := document.AcquireIn(t.Context(), filepath.Join(dir, "lock"), document.Patience)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, dir)
}

func TestBusy(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	require.False(t, document.Busy(name))
	require.NoFileExists(t, name)
	lock, err := document.Acquire(t.Context(), name, document.Patience)
	require.NoError(t, err)
	require.True(t, document.Busy(name))
	lock.Release()
	require.False(t, document.Busy(name))
}

func TestLockGivesUp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	synctest.Test(t, func(t *testing.T) {
		first, err := document.Acquire(t.Context(), name, document.Patience)
		require.NoError(t, err)
		defer first.Release()
		began := time.Now()
		_, err = document.Acquire(t.Context(), name, document.Patience)
		require.ErrorIs(t, err, document.ErrLocked)
		require.InDelta(t, 10, time.Since(began).Seconds(), 0.1)
	})
}
