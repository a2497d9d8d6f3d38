package artifacts_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// damage is a way in which a manifest is not what a release wrote.
type damage struct {
	id    string
	spoil func(t *testing.T, b []byte) []byte
	want  string // name of the error
}

var damages = []damage{
	{"r19.manifest.newer", editing(`"schema": \d+`, `"schema": 999`), "newer: 999"},
	{"r19.manifest.newer-types", func(t *testing.T, b []byte) []byte {
		return editing(`"state": "\w+"`, `"state": {"is": "done"}`)(t, editing(`"schema": \d+`, `"schema": 999`)(t, b))
	}, "newer: 999"},
	{"r19.manifest.empty", func(*testing.T, []byte) []byte { return nil }, "corrupt at "},
	{"r19.manifest.blank", func(*testing.T, []byte) []byte { return []byte(" \n") }, "corrupt at "},
	{"r19.manifest.half", func(_ *testing.T, b []byte) []byte { return b[:bytes.Index(b, []byte(`"kind": "`))+10] }, "corrupt at /kind"},
	{"r19.manifest.duplicate", editing(`"state": "\w+",`, "${0}${0}"), "corrupt at /state"},
	{"r19.manifest.duplicate-in-file", editing(`"path": "README.md",`, "${0}${0}"), "corrupt at /files/0/path"},
	{"r19.manifest.state", editing(`"state": "\w+"`, `"state": "merged"`), "corrupt at /state"},
	{"r19.manifest.no-state", editing(`"state": "\w+",`, ""), "corrupt at /state"},
	{"r19.manifest.kind", editing(`"kind": "\w+"`, `"kind": "review"`), "corrupt at /kind"},
	{"r19.manifest.schema-type", editing(`"schema": (\d+)`, `"schema": "$1"`), "corrupt at /schema"},
	{"r19.manifest.files-type", editing(`"path": "README.md"`, `"path": 1`), "corrupt at /files/0/path"},
	{"r19.manifest.time-type", editing(`"created_at": (\S+),`, `"created_at": [$1],`), "corrupt at /created_at"},
	{"r19.manifest.no-time", editing(`"created_at": \S+,`, ""), "corrupt at /created_at"},
	{"r19.manifest.revision", editing(`"revision": \d+`, `"revision": 0`), "corrupt at /revision"},
	{"r19.manifest.folder", editing(`"id": "\w+"`, `"id": "another"`), "corrupt at /id"},
	{"r19.manifest.id-path", editing(`"id": "\w+"`, `"id": "../another"`), "corrupt at /id"},
	{"r19.manifest.project", editing(`"project_id": "\w+"`, `"project_id": "another"`), "another project_id"},
	{"r19.manifest.root", editing(`"root": "[^"]*"`, `"root": "/state/../etc"`), "corrupt at /root"},
	{"r19.manifest.root-relative", editing(`"root": "[^"]*"`, `"root": "worktree"`), "corrupt at /root"},
	{"r19.manifest.base", editing(`"base": "\w+"`, `"base": "--output=x"`), "corrupt at /base"},
	{"r19.manifest.file-out", editing(`"path": "README.md"`, `"path": "../README.md"`), "corrupt at /files/0"},
	{"r19.manifest.file-absolute", editing(`"path": "README.md"`, `"path": "/README.md"`), "corrupt at /files/0"},
	{"r19.manifest.file-git", editing(`"path": "README.md"`, `"path": ".GIT/config"`), "corrupt at /files/0"},
	{"r19.manifest.file-mode", editing(`"path": "README.md",\s*"old_mode": "100644"`, `"path": "README.md", "old_mode": "160000"`), "corrupt at /files/0"},
	{"r19.manifest.sum", editing(`"patch_sha256": "`, "${0}00"), "corrupt at /patch_sha256"},
	{"r19.manifest.larger", func(_ *testing.T, b []byte) []byte {
		return append(bytes.Clone(b), bytes.Repeat([]byte(" "), readers.MaxDocument+1-len(b))...)
	}, "too large"},
}

func editing(pattern, to string) func(*testing.T, []byte) []byte {
	re := regexp.MustCompile(pattern)
	return func(t *testing.T, b []byte) []byte {
		t.Helper()
		require.Len(t, re.FindAll(b, -1), 1, "places that match %q in\n%s", pattern, b)
		return re.ReplaceAll(b, []byte(to))
	}
}

// neighbour is the id of a second run.
const neighbour = "neighbour"

// settle gives the run a neighbour, which is the same run under another id.
func (p place) settle(t *testing.T) {
	t.Helper()
	b, err := fs.ReadFile(p.th.FS(t, "."), p.manifest())
	require.NoError(t, err)
	dir := p.th.Path(path.Join(p.state, "runs", neighbour))
	require.NoError(t, os.Mkdir(dir, 0o700))
	text := strings.Replace(string(b), `"id": "`+p.run+`"`, `"id": "`+neighbour+`"`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text), 0o600))
}

// refuses holds every way to a run that does not read against the name of the
// error. Nothing is written, and the neighbour is still listed.
func (p place) refuses(t *testing.T, id, want string) {
	t.Helper()
	p.f.Settle(t)
	_, err := p.store.Get(p.run)
	p.f.Equal(t, id, named(err), want)
	all, skipped, err := p.store.Manifests()
	require.NoError(t, err)
	var listed []string
	for _, m := range all {
		listed = append(listed, m.ID)
	}
	p.f.Equal(t, id+".neighbours", listed, []string{neighbour})
	p.f.Equal(t, id+".unreadable", reasons(skipped), []string{want + ": " + p.th.Path(p.manifest())})
	_, err = p.store.Apply(t.Context(), p.main, p.run)
	p.f.Equal(t, id+".apply", named(err), want)
	_, err = p.store.Discard(t.Context(), p.main, p.run)
	p.f.Equal(t, id+".discard", named(err), want)
	p.f.Unchanged(t, p.state+"/apply.lock")
}

func reasons(skipped []document.Skipped) []string {
	var all []string
	for _, s := range skipped {
		all = append(all, named(s.Err)+": "+s.Path)
	}
	return all
}

func TestDamage(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		p.settle(t)
		name := p.th.Path(p.manifest())
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, d := range damages {
			require.NoError(t, os.WriteFile(name, d.spoil(t, whole), 0o600))
			p.refuses(t, d.id, d.want)
		}
		require.NoError(t, os.WriteFile(name, whole, 0o600))
		_, err = p.store.Get("../" + path.Base(p.state) + "/runs/" + p.run)
		f.Equal(t, "r19.manifest.id", named(err), "not found")
	})
}

// A symlink in the place of a manifest or of its folder is not followed, not
// even to one that reads.
func TestLinked(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		p.settle(t)
		name := p.th.Path(p.manifest())
		require.NoError(t, link(name, name+".aside"))
		p.refuses(t, "r19.manifest.symlink", "not regular")
		require.NoError(t, os.Rename(name+".aside", name))
		dir, aside := filepath.Dir(name), p.th.Path("home/aside")
		require.NoError(t, os.Rename(dir, aside))
		require.NoError(t, os.Symlink(aside, dir))
		p.refuses(t, "r19.manifest.symlink-folder", "not regular")
	})
}

// Without a manifest there is no run: it is written last.
func TestMissing(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		require.NoError(t, os.Remove(p.th.Path(p.manifest())))
		f.Settle(t)
		_, err := p.store.Get(p.run)
		f.Equal(t, "r19.manifest.missing", named(err), "not found")
		all, skipped, err := p.store.Manifests()
		require.NoError(t, err)
		f.Equal(t, "r19.manifest.missing.list", len(all)+len(skipped), 0)
		f.Unchanged(t)
	})
}

// Cut at each byte, neither a manifest nor a patch is taken for a whole one.
func TestCut(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.made {
			return
		}
		manifest, err := fs.ReadFile(p.th.FS(t, "."), p.manifest())
		require.NoError(t, err)
		var wrong []string
		for n := range len(manifest) - 1 { // without the newline at its end, it is whole
			if _, err := artifact.Parse("cut", manifest[:n]); !strings.HasPrefix(named(err), "corrupt at ") {
				wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
			}
		}
		f.Equal(t, "r19.truncated", wrong, []string(nil))

		patch, err := fs.ReadFile(p.th.FS(t, "."), p.patch())
		require.NoError(t, err)
		m := p.said(t, "show")
		for n := range patch {
			name := artifact.PatchFile(m.ID)
			if _, err := artifact.ReadPatch(fstest.MapFS{name: {Data: patch[:n]}}, m); named(err) != "corrupt at " {
				wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
			}
		}
		f.Equal(t, "r19.truncated.patch", wrong, []string(nil))
	})
}

// A patch that makes other files than the manifest says is not applied, though
// its sum is right.
func TestOtherFiles(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if !p.pending() {
			return
		}
		name := p.th.Path(p.manifest())
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		fewer := editing(`(?s),\s*\{\s*"path": "tool.sh".*?\}`, "")(t, whole)
		require.NoError(t, os.WriteFile(name, fewer, 0o600))
		f.Settle(t)
		f.Equal(t, "r19.files", p.apply(t), fmt.Sprintf("run %q: not applied: the patch makes other files than its manifest lists", p.run))
		f.Unchanged(t, p.tries()...)
	})
}
