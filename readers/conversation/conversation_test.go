package conversation_test

import (
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/conversation"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// want is testdata/v1.json.
func want() *conversation.Document {
	end := readers.Time{Time: time.Date(2025, 6, 15, 15, 11, 40, 250e6, time.UTC)}
	return &conversation.Document{
		Head: readers.Head{
			Schema: 1, ID: "c0nv", ProjectID: "00112233445566778899aabbccddeeff", Revision: 4,
			CreatedAt: readers.Time{Time: time.Date(2025, 6, 15, 15, 6, 40, 0, time.UTC)}, UpdatedAt: end,
		},
		State: conversation.Closed, Harness: "claude", Session: "4k8x2mzq0t", ProviderSession: "an agent's own name",
		Runs: []string{"r1", "r2"}, ClosedAt: end, Unknown: jsontext.Value(`{"later":"x"}`),
	}
}

func TestReadAndEncode(t *testing.T) {
	doc, err := os.ReadFile("testdata/v1.json")
	require.NoError(t, err)
	got, err := conversation.Read(fstest.MapFS{"conversations/c0nv.json": {Data: doc}}, "c0nv")
	require.NoError(t, err)
	require.NoError(t, got.Unknown.Compact())
	if diff := cmp.Diff(want(), got); diff != "" {
		t.Errorf("Read (-want +got)\n%s", diff)
	}
	b, err := want().Encode()
	require.NoError(t, err)
	if diff := cmp.Diff(string(doc), string(b)); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
}

// One that was just begun has no run, and its list is there.
func TestEncodeBegun(t *testing.T) {
	at := readers.Time{Time: time.Date(2025, 6, 15, 15, 6, 40, 0, time.UTC)}
	got, err := (&conversation.Document{
		Head:  readers.Head{ID: "c0nv", ProjectID: "p", Revision: 1, CreatedAt: at, UpdatedAt: at},
		State: conversation.Open, Harness: "claude",
	}).Encode()
	require.NoError(t, err)
	const want = `{
  "schema": 1,
  "id": "c0nv",
  "project_id": "p",
  "revision": 1,
  "created_at": "2025-06-15T15:06:40.000Z",
  "updated_at": "2025-06-15T15:06:40.000Z",
  "state": "open",
  "harness": "claude",
  "runs": []
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
}
