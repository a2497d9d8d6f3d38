package sessions_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// A document is written again in today's schema, with all that it held, and
// what a later release puts beside it is kept.
func TestRewrite(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		r := stint(t, f, th)
		for _, s := range script(t, f) {
			of := s.said(t, f)
			name := th.Path(documentOf(t, th, of.ID))
			rewrite := func(id string, want said) {
				t.Helper()
				h, err := r.Sessions.Hold(t.Context(), of.ID)
				require.NoError(t, err)
				defer h.Release()
				require.NoError(t, h.Update(func(d *doc.Document) { d.Failure = "why" }))
				want.Failure, want.Updated = "why", later(f).UTC().Format(layout)
				f.Equal(t, id, read(h.Document), want)
			}
			want := of.document()
			want.Revision++
			rewrite("r20.rewrite", want)
			f.Equal(t, "r20.schema", parse[printed](t, of.ID, stored(t, th, of.ID)).Schema, 2)
			edit(t, name, `\A{`, `{"later": {"b": [1, 2]},`)
			edit(t, name, `"paths": {`, `"paths": {"later": 1.50,`)
			edit(t, name, `"tmux": {`, `"tmux": {"later": null,`)
			want.Revision++
			rewrite("r20.again", want)
			f.Equal(t, "r20.unknown", unknown(t, stored(t, th, of.ID)), []string{`{"b":[1,2]}`, `1.50`, `null`})
		}
	})
}

// unknown are the fields that no reader knows: of the document, of its paths
// and of tmux.
func unknown(t *testing.T, b []byte) []string {
	t.Helper()
	type fields = map[string]jsontext.Value
	top := parse[fields](t, "document", b)
	var values []string
	for _, in := range []fields{top, parse[fields](t, "paths", top["paths"]), parse[fields](t, "tmux", top["tmux"])} {
		values = append(values, compact(in["later"]))
	}
	return values
}

// compact is a value without white space, or why there is none.
func compact(v jsontext.Value) string {
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return "error: " + err.Error()
	}
	return string(v)
}

// A time is the same moment in whatever zone it is written.
func TestZone(t *testing.T) {
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		r := stint(t, f, th)
		for _, s := range script(t, f) {
			of := s.said(t, f)
			d, err := r.Sessions.Get(of.ID)
			require.NoError(t, err)
			b, err := d.Encode()
			require.NoError(t, err)
			name := th.Path(documentOf(t, th, of.ID))
			require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(b), `"`+of.Created+`"`, `"`+elsewhere(t, of.Created)+`"`)), 0o600))
			onDisk := parse[map[string]jsontext.Value](t, of.ID, stored(t, th, of.ID))
			require.Contains(t, string(onDisk["created_at"]), "+12:45")
			d, err = r.Sessions.Get(of.ID)
			require.NoError(t, err)
			f.Equal(t, "r5.zone", read(d), of.document())
		}
	})
}

// elsewhere is a moment as it is written far from UTC.
func elsewhere(t *testing.T, at string) string {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, at)
	require.NoError(t, err)
	return moment.In(time.FixedZone("", 12*3600+45*60)).Format(layout)
}
