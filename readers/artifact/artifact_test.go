package artifact_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

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

func at(minute, second, millisecond int) readers.Time {
	return readers.Time{Time: time.Date(2025, 6, 15, 15, minute, second, millisecond*1e6, time.UTC)}
}

// want is testdata/v2.json.
func want() *artifact.Manifest {
	return &artifact.Manifest{
		Head: readers.Head{
			Schema: 2, ID: "9w3nbv6x1c", ProjectID: "00112233445566778899aabbccddeeff", Revision: 2,
			CreatedAt: at(6, 40, 0), UpdatedAt: at(11, 40, 250),
		},
		Kind: artifact.Turn, Session: "4k8x2mzq0t", Conversation: "c0nv", ProviderSession: "an agent's own name",
		Harness: "codex", Prompt: "say \"hi\"\nand go", Exit: new(int), State: artifact.Applied,
		Root: "/state/projects/p/workspaces/4k8x2mzq0t/worktree", Base: blobA, Fingerprint: "v1:abcdef",
		Files: []artifact.File{
			{Path: "gone", OldMode: "100644", OldHash: blobA},
			{Path: "new", NewMode: "120000", NewHash: blobB, Unknown: jsontext.Value(`{"size":3}`)},
			{Path: "tool.sh", OldMode: "100644", NewMode: "100755", OldHash: blobA, NewHash: blobA},
		},
		PatchSHA256: patchSHA256, PatchSize: 23, StartedAt: at(6, 41, 0), FinishedAt: at(7, 40, 100), AppliedAt: at(11, 40, 249),
		Receipt: &artifact.Receipt{
			Base: blobA, Tree: "76543210fedcba9876543210fedcba9876543210", PatchSHA256: patchSHA256, AppliedAt: at(11, 40, 249),
			Unknown: jsontext.Value(`{"by":"hand"}`),
		},
		Failure: "none of it", Unknown: jsontext.Value(`{"later":null}`),
	}
}

// wantV1 is testdata/v1.json, in the shape of today.
func wantV1() *artifact.Manifest {
	m := want()
	m.Kind, m.Conversation, m.ProviderSession, m.Harness, m.Prompt, m.Exit = artifact.Checkpoint, "", "", "", "", nil
	m.UpdatedAt, m.AppliedAt, m.StartedAt, m.FinishedAt = at(11, 40, 0), at(11, 40, 0), readers.Time{}, readers.Time{}
	m.Receipt, m.Failure = nil, ""
	return m
}

// running is testdata/running.json.
func running() *artifact.Manifest {
	return &artifact.Manifest{
		Head: readers.Head{
			Schema: 2, ID: "7h1s0ne", ProjectID: "00112233445566778899aabbccddeeff", Revision: 1,
			CreatedAt: at(6, 40, 0), UpdatedAt: at(6, 40, 0),
		},
		Kind: artifact.Turn, Harness: "codex", Prompt: "go", State: artifact.Running,
		Root: "/state/projects/p/workspaces/7h1s0ne/worktree", Base: blobA, Fingerprint: "v1:abcdef", Files: []artifact.File{},
	}
}

var compact = cmp.Transformer("compact", func(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Compact()
	return string(v)
})

func TestRead(t *testing.T) {
	for name, want := range map[string]*artifact.Manifest{"v1.json": wantV1(), "v2.json": want(), "running.json": running()} {
		b, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		got, err := artifact.Read(fstest.MapFS{artifact.ManifestFile(want.ID): {Data: b}}, want.ID)
		require.NoError(t, err)
		if diff := cmp.Diff(want, got, compact); diff != "" {
			t.Errorf("Read(%s) (-want +got)\n%s", name, diff)
		}
	}
}

// What is written is of today's schema, whatever was read.
func TestEncode(t *testing.T) {
	for name, m := range map[string]*artifact.Manifest{"v2.json": want(), "running.json": running()} {
		today, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		m.Schema = 1
		got, err := m.Encode()
		require.NoError(t, err)
		if diff := cmp.Diff(string(today), string(got)); diff != "" {
			t.Errorf("Encode, %s (-want +got)\n%s", name, diff)
		}
		require.Equal(t, 1, m.Schema, "of what was encoded")
	}
}

// One that v0.1.2 applied has no receipt, and can be written nonetheless.
func TestEncodeV1(t *testing.T) {
	b, err := wantV1().Encode()
	require.NoError(t, err)
	got, err := artifact.Parse("m", b)
	require.NoError(t, err)
	if diff := cmp.Diff(wantV1(), got, compact); diff != "" {
		t.Errorf("Parse(Encode) (-want +got)\n%s", diff)
	}
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
	_, err = artifact.ReadPatch(fstest.MapFS{}, want())
	require.ErrorIs(t, err, fs.ErrNotExist)
	var corrupt *readers.CorruptError
	longer := want()
	longer.PatchSize++
	_, err = artifact.ReadPatch(fstest.MapFS{name: {Data: []byte(patch)}}, longer)
	require.ErrorAs(t, err, &corrupt)
}
