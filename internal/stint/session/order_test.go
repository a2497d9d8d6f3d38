package session_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// Sessions of one second are in the order in which they were opened.
func TestDocumentsOfOneSecond(t *testing.T) {
	s := newStore(t)
	want := []string{"d", "b", "a", "c"}
	for i, id := range want {
		s.Now = func() time.Time { return time.UnixMilli(1_000_000 + int64(i)) }
		create(t, s, newDocument(s, id))
	}
	docs, _, err := s.Documents()
	require.NoError(t, err)
	var got []string
	for _, d := range docs {
		got = append(got, d.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Documents (-want +got)\n%s", diff)
	}
}
