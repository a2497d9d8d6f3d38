// Package registry makes registries of packages for tests: of Go modules and of
// npm packages, which go and npm install from as from any other.
package registry

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// NPM is a registry of npm's, of packages that npm itself has packed.
type NPM struct {
	URL string

	mu       sync.Mutex
	packages map[string]map[string]any // documents by name
	tarballs map[string][]byte         // by path
	asked    []string
}

// NewNPM starts a registry, and skips where npm is not, also in make check,
// which does not install it: npm brings a whole language along.
func NewNPM(t testing.TB) *NPM {
	t.Helper()
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT TESTED: the provider npm, since there is no %s on this machine; install it to have it tested", program)
		}
	}
	r := &NPM{packages: map[string]map[string]any{}, tarballs: map[string][]byte{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

// ServeHTTP answers npm.
func (r *NPM) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := strings.TrimPrefix(req.URL.Path, "/")
	r.asked = append(r.asked, path)
	if tarball, ok := r.tarballs[path]; ok {
		_, _ = w.Write(tarball)
		return
	}
	document, ok := r.packages[path]
	if !ok {
		http.Error(w, `{"error":"not found"}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document)
}

// Integrity is what the registry states of a version.
func (r *NPM) Integrity(name, version string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.manifest(name, version)["dist"].(map[string]any)["integrity"].(string)
}

// Age leaves a version the SHA-1 that old packages have, and no other hash.
func (r *NPM) Age(name, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.manifest(name, version)["dist"].(map[string]any), "integrity")
}

func (r *NPM) manifest(name, version string) map[string]any {
	return r.packages[name]["versions"].(map[string]any)[version].(map[string]any)
}

// Asked returns what was asked for since it was called last, as paths.
func (r *NPM) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := r.asked
	r.asked = nil
	return asked
}

// packed is what npm pack says of a package, and its tarball.
type packed struct {
	Name, Version, Filename, Integrity, Shasum string

	tarball []byte
}

// packs keeps what was packed: npm takes a second for each.
var packs sync.Map

func pack(t testing.TB, files map[string]string) packed {
	t.Helper()
	if p, ok := packs.Load(fmt.Sprint(files)); ok {
		return p.(packed)
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	cmd := exec.Command("npm", "pack", "--json", "--ignore-scripts")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(dir, "cache"))
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []packed
	require.NoError(t, json.Unmarshal(out, &all))
	require.Len(t, all, 1)
	p := all[0]
	p.tarball, err = os.ReadFile(filepath.Join(dir, p.Filename))
	require.NoError(t, err)
	packs.Store(fmt.Sprint(files), p)
	return p
}

// Publish packs a package and adds it to the registry, as of a day.
func (r *NPM) Publish(t testing.TB, day string, files map[string]string) (integrity string) {
	t.Helper()
	p := pack(t, files)
	var manifest map[string]any
	require.NoError(t, json.Unmarshal([]byte(files["package.json"]), &manifest))
	r.mu.Lock()
	defer r.mu.Unlock()
	at := p.Name + "/-/" + p.Filename
	manifest["dist"] = map[string]any{"tarball": r.URL + "/" + at, "integrity": p.Integrity, "shasum": p.Shasum}
	r.tarballs[at] = p.tarball
	if r.packages[p.Name] == nil {
		r.packages[p.Name] = map[string]any{"name": p.Name, "versions": map[string]any{}, "time": map[string]any{}, "dist-tags": map[string]any{}}
	}
	document := r.packages[p.Name]
	document["versions"].(map[string]any)[p.Version] = manifest
	document["time"].(map[string]any)[p.Version] = day + "T12:00:00.000Z"
	document["dist-tags"].(map[string]any)["latest"] = p.Version
	return p.Integrity
}

// Swap publishes another content under a version that is out, as an attacker
// or a careless mirror would. The registry states its hash.
func (r *NPM) Swap(t testing.TB, name, version, from, to string) {
	t.Helper()
	manifest := r.manifest(name, version)
	at := strings.TrimPrefix(manifest["dist"].(map[string]any)["tarball"].(string), r.URL+"/")
	files := untar(t, r.tarballs[at])
	for file, text := range files {
		files[file] = strings.ReplaceAll(text, from, to)
	}
	r.Publish(t, "2026-01-01", files)
}

func untar(t testing.TB, data []byte) map[string]string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	files := map[string]string{}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return files
		}
		require.NoError(t, err)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[strings.TrimPrefix(header.Name, "package/")] = string(text)
	}
}
