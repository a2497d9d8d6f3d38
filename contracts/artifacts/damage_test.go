package artifacts_test

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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

// damages are of any manifest.
var damages = []damage{
	{"r19.manifest.newer", editing(`"schema": \d+`, `"schema": 999`), "newer: 999"},
	{"r19.manifest.newer-types", func(t *testing.T, b []byte) []byte {
		return editing(`"state": "\w+"`, `"state": {"is": "done"}`)(t, editing(`"schema": \d+`, `"schema": 999`)(t, b))
	}, "newer: 999"},
	{"r19.manifest.empty", func(*testing.T, []byte) []byte { return nil }, "corrupt at "},
	{"r19.manifest.blank", func(*testing.T, []byte) []byte { return []byte(" \n") }, "corrupt at "},
	{"r19.manifest.half", func(_ *testing.T, b []byte) []byte { return b[:bytes.Index(b, []byte(`"kind": "`))+10] }, "corrupt at /kind"},
	{"r19.manifest.duplicate", editing(`"state": "\w+",`, "${0}${0}"), "corrupt at /state"},
	{"r19.manifest.state", editing(`"state": "\w+"`, `"state": "merged"`), "corrupt at /state"},
	{"r19.manifest.state-case", editing(`"state": "\w`, `${0}X`), "corrupt at /state"},
	{"r19.manifest.state-empty", editing(`"state": "\w+"`, `"state": ""`), "corrupt at /state"},
	{"r19.manifest.state-null", editing(`"state": "\w+"`, `"state": null`), "corrupt at /state"},
	{"r19.manifest.state-type", editing(`"state": "\w+"`, `"state": 2`), "corrupt at /state"},
	{"r19.manifest.no-state", editing(`"state": "\w+",`, ""), "corrupt at /state"},
	{"r19.manifest.kind", editing(`"kind": "\w+"`, `"kind": "review"`), "corrupt at /kind"},
	{"r19.manifest.kind-empty", editing(`"kind": "\w+"`, `"kind": ""`), "corrupt at /kind"},
	{"r19.manifest.no-kind", editing(`"kind": "\w+",`, ""), "corrupt at /kind"},
	{"r19.manifest.schema-type", editing(`"schema": (\d+)`, `"schema": "$1"`), "corrupt at /schema"},
	{"r19.manifest.time-type", editing(`"created_at": (\S+),`, `"created_at": [$1],`), "corrupt at /created_at"},
	{"r19.manifest.time-text", editing(`"created_at": (\S+),`, `"created_at": "yesterday",`), "corrupt at /created_at"},
	{"r19.manifest.no-time", editing(`"created_at": \S+,`, ""), "corrupt at /created_at"},
	{"r19.manifest.revision", editing(`"revision": \d+`, `"revision": 0`), "corrupt at /revision"},
	{"r19.manifest.folder", editing(`"id": "\w+"`, `"id": "another"`), "corrupt at /id"},
	{"r19.manifest.id-path", editing(`"id": "\w+"`, `"id": "../another"`), "corrupt at /id"},
	{"r19.manifest.project", editing(`"project_id": "\w+"`, `"project_id": "another"`), "another project_id"},
	{"r19.manifest.root", editing(`"root": "[^"]*"`, `"root": "/state/../etc"`), "corrupt at /root"},
	{"r19.manifest.root-relative", editing(`"root": "[^"]*"`, `"root": "worktree"`), "corrupt at /root"},
	{"r19.manifest.base", editing(`"base": "\w+",(\s*"fingerprint")`, `"base": "--output=x",$1`), "corrupt at /base"},
}

// damagesOfWork are of one that has files and a patch.
var damagesOfWork = []damage{
	{"r19.manifest.duplicate-in-file", ofFirst(`"path": "[^"]+",`, "${0}${0}"), "corrupt at /files/0/path"},
	{"r19.manifest.files-type", ofFirst(`"path": "[^"]+"`, `"path": 1`), "corrupt at /files/0/path"},
	{"r19.manifest.file-out", ofFirst(`"path": "`, `"path": "../`), "corrupt at /files/0"},
	{"r19.manifest.file-absolute", ofFirst(`"path": "`, `"path": "/`), "corrupt at /files/0"},
	{"r19.manifest.file-git", ofFirst(`"path": "[^"]+"`, `"path": ".GIT/config"`), "corrupt at /files/0"},
	{"r19.manifest.file-mode", ofFirst(`_mode": "\d+"`, `_mode": "160000"`), "corrupt at /files/0"},
	{"r19.manifest.sum", editing(`"patch_sha256": "(\w+",\s*"patch_size")`, `"patch_sha256": "00$1`), "corrupt at /patch_sha256"},
}

// damagesOfReceipt are of one that was applied and says so twice.
var damagesOfReceipt = []damage{
	{"r19.manifest.receipt-base", ofReceipt(`"base": "\w`, `"base": "`+strings.Repeat("0", 40)+`", "was": "`), "corrupt at /receipt/base"},
	{"r19.manifest.receipt-tree", ofReceipt(`"tree": "\w+"`, `"tree": "HEAD"`), "corrupt at /receipt/tree"},
	{"r19.manifest.receipt-no-tree", ofReceipt(`"tree": "\w+",`, ``), "corrupt at /receipt/tree"},
	{"r19.manifest.receipt-sum", ofReceipt(`"patch_sha256": "\w+"`, `"patch_sha256": "`+strings.Repeat("0", 64)+`"`), "corrupt at /receipt/patch_sha256"},
	{"r19.manifest.receipt-time", ofReceipt(`"applied_at": "\d`, `"applied_at": "1`), "corrupt at /receipt/applied_at"},
	{"r19.manifest.receipt-no-time", ofReceipt(`,\s*"applied_at": "[^"]+"`, ``), "corrupt at /receipt/applied_at"},
	{"r19.manifest.receipt-state", func(t *testing.T, b []byte) []byte {
		return editing(`"state": "applied"`, `"state": "pending"`)(t, editing(`"patch_size": (\d+),\s*"applied_at": "[^"]+"`, `"patch_size": $1`)(t, b))
	}, "corrupt at /receipt"},
	{"r19.manifest.receipt-type", editing(`(?s)"receipt": (\{.*?\})`, `"receipt": [$1]`), "corrupt at /receipt"},
}

func editing(pattern, to string) func(*testing.T, []byte) []byte {
	re := regexp.MustCompile(pattern)
	return func(t *testing.T, b []byte) []byte {
		t.Helper()
		require.Len(t, re.FindAll(b, -1), 1, "places that match %q in\n%s", pattern, b)
		return re.ReplaceAll(b, []byte(to))
	}
}

// ofFirst edits the first file, and ofReceipt the receipt.
func ofFirst(pattern, to string) func(*testing.T, []byte) []byte {
	return behind(`"files": [`, pattern, to)
}

func ofReceipt(pattern, to string) func(*testing.T, []byte) []byte {
	return behind(`"receipt": {`, pattern, to)
}

// behind edits the first place that matches behind a text.
func behind(text, pattern, to string) func(*testing.T, []byte) []byte {
	re := regexp.MustCompile(pattern)
	return func(t *testing.T, b []byte) []byte {
		t.Helper()
		before, rest, found := bytes.Cut(b, []byte(text))
		at := re.FindIndex(rest)
		require.True(t, found && at != nil, "no place that matches %q behind %q in\n%s", pattern, text, b)
		return slices.Concat(before, []byte(text), rest[:at[0]], re.ReplaceAll(rest[at[0]:at[1]], []byte(to)), rest[at[1]:])
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
	before := fileAt(t, p.th.Path(p.manifest()))
	_, err := p.store.Get(p.run)
	p.f.Equal(t, id, named(err), want)
	all, skipped, err := p.store.Manifests()
	require.NoError(t, err)
	var listed []string
	for _, m := range all {
		listed = append(listed, m.ID)
	}
	slices.Sort(listed)
	p.f.Equal(t, id+".neighbours", listed, p.others())
	p.f.Equal(t, id+".unreadable", reasons(skipped), []string{want + ": " + p.th.Path(p.manifest())})
	_, err = p.store.Apply(t.Context(), p.main, p.run)
	p.f.Equal(t, id+".apply", named(err), want)
	_, err = p.store.Discard(t.Context(), p.main, p.run)
	p.f.Equal(t, id+".discard", named(err), want)
	p.f.Equal(t, id+".bytes", fileAt(t, p.th.Path(p.manifest())), before)
}

var seed = maphash.MakeSeed()

// fileAt tells what lies at a path from anything else, of whatever size: by its
// type and mode, the time of the last write to it, and its bytes.
func fileAt(t *testing.T, name string) string {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		return named(err)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	if info.Mode().IsRegular() {
		f, err := os.Open(name)
		require.NoError(t, err)
		defer f.Close()
		_, err = io.CopyBuffer(&h, struct{ io.Reader }{f}, make([]byte, min(info.Size()+1, 64<<10)))
		require.NoError(t, err)
	}
	return fmt.Sprint(info.Mode(), info.ModTime(), h.Sum64())
}

// others are the ids of all runs but the one that is looked at.
func (p place) others() []string {
	all := append(slices.DeleteFunc(slices.Clone(p.ids), func(id string) bool { return id == p.run }), neighbour)
	slices.Sort(all)
	return all
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
	each(t, whatever, func(t *testing.T, p place) {
		of := slices.Clone(damages)
		if p.told.holds() {
			of = append(of, damagesOfWork...)
		}
		if p.said(t).Receipt != nil {
			of = append(of, damagesOfReceipt...)
		}
		p.settle(t)
		p.f.Settle(t)
		name := p.th.Path(p.manifest())
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, d := range of {
			require.NoError(t, os.WriteFile(name, d.spoil(t, whole), 0o600))
			p.refuses(t, d.id, d.want)
		}
		require.NoError(t, os.Truncate(name, readers.MaxDocument+1))
		p.refuses(t, "r19.manifest.larger", "too large")
		require.NoError(t, os.WriteFile(name, whole, 0o600))
		p.f.Unchanged(t, p.state+"/apply.lock", p.manifest())
		_, err = p.store.Get("../" + path.Base(p.state) + "/runs/" + p.run)
		p.f.Equal(t, "r19.manifest.id", named(err), "not found")
	})
}

// A symlink in the place of a manifest or of its folder is not followed, not
// even to one that reads.
func TestLinked(t *testing.T) {
	contracts.AnyPlace(t)
	each(t, whatever, func(t *testing.T, p place) {
		p.settle(t)
		name := p.th.Path(p.manifest())
		require.NoError(t, link(name, name+".aside"))
		p.f.Settle(t)
		p.refuses(t, "r19.manifest.symlink", "not regular")
		p.f.Unchanged(t, p.state+"/apply.lock")
		require.NoError(t, os.Rename(name+".aside", name))
		dir, aside := filepath.Dir(name), p.th.Path("home/aside")
		require.NoError(t, os.Rename(dir, aside))
		require.NoError(t, os.Symlink(aside, dir))
		p.f.Settle(t)
		p.refuses(t, "r19.manifest.symlink-folder", "not regular")
		p.f.Unchanged(t, p.state+"/apply.lock")
	})
}

// Without a manifest there is no run: it is written last.
func TestMissing(t *testing.T) {
	each(t, whatever, func(t *testing.T, p place) {
		require.NoError(t, os.Remove(p.th.Path(p.manifest())))
		p.f.Settle(t)
		_, err := p.store.Get(p.run)
		p.f.Equal(t, "r19.manifest.missing", named(err), "not found")
		all, skipped, err := p.store.Manifests()
		require.NoError(t, err)
		p.f.Equal(t, "r19.manifest.missing.list", len(all)+len(skipped), len(p.ids)-1)
		p.f.Unchanged(t)
	})
}

// Cut at each byte, neither a manifest nor a patch is taken for a whole one.
func TestCut(t *testing.T) {
	contracts.AnyPlace(t)
	eachLooked(t, whatever, func(t *testing.T, p place) {
		manifest, err := fs.ReadFile(p.th.FS(t, "."), p.manifest())
		require.NoError(t, err)
		var wrong []string
		for n := range len(manifest) - 1 { // without the newline at its end, it is whole
			if _, err := artifact.Parse("cut", manifest[:n]); !strings.HasPrefix(named(err), "corrupt at ") {
				wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
			}
		}
		p.f.Equal(t, "r19.truncated", wrong, []string(nil))
		if !p.told.holds() {
			return
		}
		patch, err := fs.ReadFile(p.th.FS(t, "."), p.patch())
		require.NoError(t, err)
		m := p.said(t)
		for n := range patch {
			name := artifact.PatchFile(m.ID)
			if _, err := artifact.ReadPatch(fstest.MapFS{name: {Data: patch[:n]}}, m); named(err) != "corrupt at " {
				wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
			}
		}
		p.f.Equal(t, "r19.truncated.patch", wrong, []string(nil))
	})
}

// A patch that makes other files than the manifest says is not applied, though
// its sum is right.
func TestOtherFiles(t *testing.T) {
	contracts.AnyPlace(t)
	listed := func(s saved) bool { return s.applies() && s.work["link"].Mode != "" }
	each(t, listed, func(t *testing.T, p place) {
		name := p.th.Path(p.manifest())
		whole, err := os.ReadFile(name)
		require.NoError(t, err)
		fewer := editing(`(?s),\s*\{\s*"path": "link".*?\}`, "")(t, whole)
		require.NoError(t, os.WriteFile(name, fewer, 0o600))
		p.f.Settle(t)
		p.f.Equal(t, "r19.files", p.apply(t), fmt.Sprintf("run %q: not applied: the patch makes other files than its manifest lists", p.run))
		p.f.Unchanged(t, p.tries()...)
	})
}
