package registry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// GoProxy is a folder as GOPROXY=file:// takes one.
type GoProxy struct{ Dir string }

// Publish adds a version of a module.
func (g GoProxy) Publish(t testing.TB, path, version string, files map[string]string) {
	t.Helper()
	src := t.TempDir()
	for name, text := range files {
		file := filepath.Join(src, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	to := filepath.Join(g.Dir, filepath.FromSlash(path), "@v")
	require.NoError(t, os.MkdirAll(to, 0o755))
	archive, err := os.Create(filepath.Join(to, version+".zip"))
	require.NoError(t, err)
	defer archive.Close()
	require.NoError(t, zip.CreateFromDir(archive, module.Version{Path: path, Version: version}, src))
	require.NoError(t, os.WriteFile(filepath.Join(to, version+".mod"), []byte(files["go.mod"]), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(to, version+".info"), []byte(`{"Version":"`+version+`","Time":"2026-01-01T00:00:00Z"}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(to, "list"), []byte(version+"\n"), 0o644))
}

// URL is what GOPROXY takes.
func (g GoProxy) URL() string { return "file://" + g.Dir }
