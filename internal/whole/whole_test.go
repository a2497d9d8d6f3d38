package whole_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/whole"
)

func names(t *testing.T, dir string) (all []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func content(t *testing.T, file string) string {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page")
	for _, text := range []string{"first", "2nd"} {
		require.NoError(t, whole.Write(file, []byte(text)))
		require.Equal(t, text, content(t, file))
	}
	require.Equal(t, []string{"page"}, names(t, dir))
	require.Error(t, whole.Write(filepath.Join(dir, "no", "page"), nil))
}

// Who has the old file open, or a hard link to it, has the old file still.
func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	file, old := filepath.Join(dir, "page"), filepath.Join(dir, "old")
	require.NoError(t, whole.Write(file, []byte("first")))
	require.NoError(t, os.Link(file, old))
	require.NoError(t, whole.Write(file, []byte("second")))
	require.Equal(t, "first", content(t, old))
}

// Where another file cannot take the place, the one that is there stays.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page")
	require.NoError(t, os.Mkdir(file, 0o755))
	require.Error(t, whole.Write(file, []byte("text")))
	require.Equal(t, []string{"page"}, names(t, dir))
}

func TestWriteInto(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "page"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, []byte("a longer first"), 0o644))
	require.NoError(t, os.Symlink("page", link))
	require.NoError(t, whole.Write(link, []byte("second")))
	require.Equal(t, "second", content(t, file))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.Equal(t, os.ModeSymlink, info.Mode().Type())
}
