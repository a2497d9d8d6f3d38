package artifact_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const (
	blobA = "0123456789abcdef0123456789abcdef01234567"
	blobB = "89abcdef0123456789abcdef0123456789abcdef"
	// sha256sum of patch, by hand.
	patch       = "diff --git a/new b/new\n"
	patchSHA256 = "2373fe211a82d146bf0439af71fc4c0bc07d9c980d776694f29664e5545270d3"
)

// manifest is by hand, so that reader and writer cannot agree on a mistake.
const manifest = `{
  "schema": 1,
  "id": "9w3nbv6x1c",
  "project_id": "00112233445566778899aabbccddeeff",
  "kind": "checkpoint",
  "session": "4k8x2mzq0t",
  "revision": 2,
  "state": "applied",
  "root": "/state/projects/p/workspaces/4k8x2mzq0t/worktree",
  "base": "0123456789abcdef0123456789abcdef01234567",
  "fingerprint": "v1:abcdef",
  "files": [
    {
      "path": "gone",
      "old_mode": "100644",
      "old_hash": "0123456789abcdef0123456789abcdef01234567"
    },
    {
      "path": "new",
      "new_mode": "120000",
      "new_hash": "89abcdef0123456789abcdef0123456789abcdef",
      "size": 3
    },
    {
      "path": "tool.sh",
      "old_mode": "100644",
      "new_mode": "100755",
      "old_hash": "0123456789abcdef0123456789abcdef01234567",
      "new_hash": "0123456789abcdef0123456789abcdef01234567"
    }
  ],
  "patch_sha256": "2373fe211a82d146bf0439af71fc4c0bc07d9c980d776694f29664e5545270d3",
  "patch_size": 23,
  "created_at": 1750000000,
  "updated_at": 1750000300,
  "applied_at": 1750000300,
  "later": null
}
`

func want() *artifact.Manifest {
	return &artifact.Manifest{
		Schema: 1, ID: "9w3nbv6x1c", ProjectID: "00112233445566778899aabbccddeeff", Kind: artifact.Checkpoint,
		Session: "4k8x2mzq0t", Revision: 2, State: artifact.Applied,
		Root: "/state/projects/p/workspaces/4k8x2mzq0t/worktree", Base: blobA, Fingerprint: "v1:abcdef",
		Files: []artifact.File{
			{Path: "gone", OldMode: "100644", OldHash: blobA},
			{Path: "new", NewMode: "120000", NewHash: blobB, Unknown: jsontext.Value(`{"size":3}`)},
			{Path: "tool.sh", OldMode: "100644", NewMode: "100755", OldHash: blobA, NewHash: blobA},
		},
		PatchSHA256: patchSHA256, PatchSize: 23,
		CreatedAt: 1750000000, UpdatedAt: 1750000300, AppliedAt: 1750000300, Unknown: jsontext.Value(`{"later":null}`),
	}
}

func TestRead(t *testing.T) {
	got, err := artifact.Read(fstest.MapFS{"runs/9w3nbv6x1c/manifest.json": {Data: []byte(manifest)}}, "9w3nbv6x1c")
	require.NoError(t, err)
	require.NoError(t, got.Unknown.Compact())
	require.NoError(t, got.Files[1].Unknown.Compact())
	if diff := cmp.Diff(want(), got); diff != "" {
		t.Errorf("Read (-want +got)\n%s", diff)
	}
}

func TestEncode(t *testing.T) {
	got, err := want().Encode()
	require.NoError(t, err)
	if diff := cmp.Diff(manifest, string(got)); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ name, old, new, pointer string }{
		{"unknown kind", `"checkpoint"`, `"turn"`, "/kind"},
		{"unknown state", `"applied"`, `"merged"`, "/state"},
		{"no state", `"state": "applied",`, ``, "/state"},
		{"pending that was applied", `"applied"`, `"pending"`, "/applied_at"},
		{"applied at no time", `"applied_at": 1750000300,`, ``, "/applied_at"},
		{"discarded that is applied", `"applied_at"`, `"discarded_at"`, "/applied_at"},
		{"applied and discarded", `"later": null`, `"discarded_at": 5`, "/discarded_at"},
		{"id with a path", `"9w3nbv6x1c"`, `"../x"`, "/id"},
		{"session with a path", `"4k8x2mzq0t"`, `"../x"`, "/session"},
		{"project id with a path", `"00112233445566778899aabbccddeeff"`, `"a/b"`, "/project_id"},
		{"root with ..", `4k8x2mzq0t/worktree`, `4k8x2mzq0t/../worktree`, "/root"},
		{"base that is a name", `"base": "0123456789abcdef0123456789abcdef01234567"`, `"base": "HEAD"`, "/base"},
		{"fingerprint without a version", `"v1:abcdef"`, `":abcdef"`, "/fingerprint"},
		{"short hash of the patch", `"patch_sha256": "`, `"patch_sha256": "00`, "/patch_sha256"},
		{"size below zero", `"patch_size": 23`, `"patch_size": -1`, "/patch_size"},
		{"revision zero", `"revision": 2`, `"revision": 0`, "/revision"},
		{"time in text", `"created_at": 1750000000`, `"created_at": "2025-06-15T15:06:40Z"`, "/created_at"},
		{"no update", `"updated_at": 1750000300,`, ``, "/updated_at"},
		{"file that leads out", `"path": "gone"`, `"path": "../gone"`, "/files/0"},
		{"absolute file", `"path": "gone"`, `"path": "/gone"`, "/files/0"},
		{"file in git's folder", `"path": "gone"`, `"path": ".git/hooks/post-commit"`, "/files/0"},
		{"file in git's folder, spelled otherwise", `"path": "gone"`, `"path": "a/.GIT/config"`, "/files/0"},
		{"file of no kind", `"new_mode": "120000"`, `"new_mode": "160000"`, "/files/1"},
		{"file without a hash", `"new_hash": "89abcdef0123456789abcdef0123456789abcdef",`, ``, "/files/1"},
		{"hash without a file", `"old_mode": "100644",
      "old_hash"`, `"old_hash"`, "/files/0"},
		{"files out of order", `"path": "gone"`, `"path": "z"`, "/files/1/path"},
		{"the same file twice", `"path": "gone"`, `"path": "new"`, "/files/1/path"},
		{"files of another type", `"path": "gone"`, `"path": 1`, "/files/0/path"},
		{"duplicate", `"path": "gone"`, `"path": "gone", "path": "gone"`, "/files/0/path"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(manifest, test.old), "the text to replace")
			_, err := artifact.Parse("m", []byte(strings.Replace(manifest, test.old, test.new, 1)))
			var corrupt *readers.CorruptError
			require.ErrorAs(t, err, &corrupt)
			if diff := cmp.Diff(test.pointer, corrupt.Pointer); diff != "" {
				t.Errorf("Parse: %v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestParseTruncated(t *testing.T) {
	whole := strings.TrimSpace(manifest)
	for n := range len(whole) {
		_, err := artifact.Parse("m", []byte(whole[:n]))
		if corrupt := (*readers.CorruptError)(nil); !errors.As(err, &corrupt) {
			t.Errorf("the first %d bytes: %v, want a CorruptError", n, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	newer := strings.Replace(manifest, `"schema": 1`, `"schema": 2`, 1)
	for _, test := range []struct {
		name string
		fsys fstest.MapFS
		id   string
		want error
	}{
		{"missing", fstest.MapFS{}, "a", fs.ErrNotExist},
		{"id that leads out", fstest.MapFS{"manifest.json": {Data: []byte(manifest)}}, "..", fs.ErrInvalid},
		{"newer", fstest.MapFS{"runs/9w3nbv6x1c/manifest.json": {Data: []byte(newer)}}, "9w3nbv6x1c", readers.ErrNewer},
		{"symlink", fstest.MapFS{"runs/a/manifest.json": {Mode: fs.ModeSymlink, Data: []byte("b")}, "runs/a/b": {Data: []byte(manifest)}}, "a", readers.ErrNotRegular},
		{"too large", fstest.MapFS{"runs/a/manifest.json": {Data: make([]byte, readers.MaxDocument+1)}}, "a", readers.ErrTooLarge},
	} {
		if _, err := artifact.Read(test.fsys, test.id); !errors.Is(err, test.want) {
			t.Errorf("%s: Read = %v, want %v", test.name, err, test.want)
		}
	}
	var corrupt *readers.CorruptError
	_, err := artifact.Read(fstest.MapFS{"runs/a/manifest.json": {Data: []byte(manifest)}}, "a")
	require.ErrorAs(t, err, &corrupt, "a manifest in another's folder")
}

func TestReadPatch(t *testing.T) {
	name := "runs/9w3nbv6x1c/changes.patch"
	got, err := artifact.ReadPatch(fstest.MapFS{name: {Data: []byte(patch)}}, want())
	require.NoError(t, err)
	if diff := cmp.Diff(patch, string(got)); diff != "" {
		t.Errorf("ReadPatch (-want +got)\n%s", diff)
	}
	for _, other := range []string{"", patch[1:], patch + "\n", strings.ToUpper(patch)} {
		var corrupt *readers.CorruptError
		_, err := artifact.ReadPatch(fstest.MapFS{name: {Data: []byte(other)}}, want())
		require.ErrorAs(t, err, &corrupt, other)
	}
}

// FuzzParse looks for a panic, for an error without a name, and for a manifest
// that loses anything when it is written again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(manifest))
	f.Add([]byte(`{"schema":1,"files":[{"x":{}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := artifact.Parse("m", b)
		if err != nil {
			var corrupt *readers.CorruptError
			if !errors.As(err, &corrupt) && !errors.Is(err, readers.ErrNewer) {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		once, err := m.Encode()
		require.NoError(t, err)
		again, err := artifact.Parse("m", once)
		require.NoError(t, err)
		if diff := cmp.Diff(m, again, cmp.Transformer("compact", func(v jsontext.Value) string {
			v = v.Clone()
			_ = v.Canonicalize()
			return string(v)
		})); diff != "" {
			t.Fatalf("a rewrite changes the manifest (-read +read again)\n%s", diff)
		}
	})
}
