package readers_test

import (
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

type dated struct {
	At readers.Time `json:"at,omitzero"`
}

func TestTimeIsRead(t *testing.T) {
	noon := readers.Time{Time: time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)}
	for _, test := range []struct {
		doc  string
		want readers.Time
		err  string
	}{
		{doc: `{"at": "2025-06-15T12:00:00.000Z"}`, want: noon},
		{doc: `{"at": "2025-06-15T12:00:00Z"}`, want: noon},
		{doc: `{"at": "2025-06-15T14:30:00+02:30"}`, want: noon},
		{doc: `{"at": "2025-06-14T22:00:00.000-14:00"}`, want: noon},
		{doc: `{"at": "2025-06-15T12:00:00.0009999Z"}`, want: noon},
		{doc: `{"at": "2025-06-15T12:00:00.25Z"}`, want: readers.Time{Time: noon.Add(250 * time.Millisecond)}},
		{doc: `{"at": "0001-01-01T00:00:01Z"}`, want: readers.Time{Time: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)}},
		{doc: `{}`},

		{doc: `{"at": null}`, err: `null is no time of RFC 3339`},
		{doc: `{"at": 1750000000}`, err: `1750000000 is no time of RFC 3339`},
		{doc: `{"at": ""}`, err: `"" is no time of RFC 3339`},
		{doc: `{"at": "2025-06-15T12:00:00"}`, err: `"2025-06-15T12:00:00" is no time of RFC 3339`},
		{doc: `{"at": "2025-06-15 12:00:00Z"}`, err: `"2025-06-15 12:00:00Z" is no time of RFC 3339`},
		{doc: `{"at": "2025-02-29T12:00:00Z"}`, err: `"2025-02-29T12:00:00Z" is no time of RFC 3339`},
		{doc: `{"at": "10000-01-01T00:00:00Z"}`, err: `"10000-01-01T00:00:00Z" is no time of RFC 3339`},
		{doc: `{"at": "9999-12-31T23:59:59-00:01"}`, err: `"9999-12-31T23:59:59-00:01" is no time of RFC 3339`},
		{doc: `{"at": "0001-01-01T00:00:00+00:01"}`, err: `"0001-01-01T00:00:00+00:01" is no time of RFC 3339`},
		// It would read as a time that has not come.
		{doc: `{"at": "0001-01-01T00:00:00Z"}`, err: `"0001-01-01T00:00:00Z" is no time of RFC 3339`},
	} {
		t.Run(test.doc, func(t *testing.T) {
			var got dated
			err := readers.Decode("doc.json", []byte(test.doc), &got)
			if test.err != "" {
				var corrupt *readers.CorruptError
				require.ErrorAs(t, err, &corrupt)
				require.Equal(t, "/at", corrupt.Pointer)
				require.EqualError(t, corrupt.Err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, time.UTC, got.At.Location())
			if diff := cmp.Diff(dated{test.want}, got); diff != "" {
				t.Errorf("Decode (-want +got)\n%s", diff)
			}
		})
	}
}

func TestTimeIsWritten(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	for _, test := range []struct {
		at   readers.Time
		want string // empty: refused
	}{
		{readers.Time{}, "{}\n"},
		{readers.At(time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)), "{\n  \"at\": \"2025-06-15T12:00:00.000Z\"\n}\n"},
		{readers.At(time.Date(2025, 6, 15, 12, 0, 0, 120_999_999, east)), "{\n  \"at\": \"2025-06-15T10:00:00.120Z\"\n}\n"},
		{readers.Time{Time: time.Date(2025, 6, 15, 1, 0, 0, 7_000_000, east)}, "{\n  \"at\": \"2025-06-14T23:00:00.007Z\"\n}\n"},
		{readers.At(time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)), "{\n  \"at\": \"9999-12-31T23:59:59.999Z\"\n}\n"},
		{readers.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), ""},
		{readers.Time{Time: time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("west", -2*60*60))}, ""},
		{readers.At(time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC)), ""},
	} {
		got, err := readers.Encode(dated{test.at})
		if (err != nil) != (test.want == "") {
			t.Errorf("Encode(%v): %v", test.at, err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("Encode(%v) (-want +got)\n%s", test.at, diff)
		}
	}
}

// The caller of it is told, and not only that of Encode, which finds nothing
// written.
func TestTimeIsNotWritten(t *testing.T) {
	_, err := readers.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)).MarshalJSON()
	require.EqualError(t, err, "the year 10000 has no place in RFC 3339")
}

// A message about a time that is not there does not speak of the year 1.
func TestTimeInMessages(t *testing.T) {
	for _, test := range []struct {
		at   readers.Time
		want string
	}{
		{readers.Time{}, ""},
		{readers.Time{Time: time.Date(2025, 6, 15, 1, 0, 0, 7_000_000, time.FixedZone("east", 2*60*60))}, "2025-06-14T23:00:00.007Z"},
	} {
		if diff := cmp.Diff(test.want, test.at.String()); diff != "" {
			t.Errorf("String (-want +got)\n%s", diff)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, test := range []struct {
		unix int64
		want string // empty: refused
	}{
		{0, "{}\n"},
		{1, "{\n  \"at\": \"1970-01-01T00:00:01.000Z\"\n}\n"},
		{1750000000, "{\n  \"at\": \"2025-06-15T15:06:40.000Z\"\n}\n"},
		{253402300799, "{\n  \"at\": \"9999-12-31T23:59:59.000Z\"\n}\n"},
		{253402300800, ""},
		{-1, ""},
		{-62135596800, ""}, // the zero time.Time
	} {
		err := readers.Check("doc", []readers.Field{readers.IsSeconds("/at", test.unix)})
		if test.want == "" {
			var corrupt *readers.CorruptError
			require.ErrorAs(t, err, &corrupt, test.unix)
			require.Equal(t, "/at", corrupt.Pointer)
			continue
		}
		require.NoError(t, err)
		got, err := readers.Encode(dated{readers.Seconds(test.unix)})
		require.NoError(t, err)
		if diff := cmp.Diff(test.want, string(got)); diff != "" {
			t.Errorf("Seconds(%d) (-want +got)\n%s", test.unix, diff)
		}
	}
}
