package artifacts_test

import (
	"bytes"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers/artifact"
)

// later is what another release put beside what is known.
const later = `{"n":12345678901234567890,"list":[null,1.50]}`

// What a release after or beside this one wrote into a manifest is kept where
// it is rewritten, to the last digit.
func TestUnknown(t *testing.T) {
	contracts.AnyPlace(t)
	for _, how := range []struct {
		id string
		do func(p place, t *testing.T) string
	}{
		{"r13.unknown", place.apply},
		{"r14.unknown", place.discard},
	} {
		t.Run(how.id, func(t *testing.T) {
			whole := func(s saved) bool { return s.applies() && !s.half }
			each(t, whole, func(t *testing.T, p place) {
				f := p.f
				b, err := fs.ReadFile(p.th.FS(t, "."), p.manifest())
				require.NoError(t, err)
				text := strings.Replace(string(b), `"schema"`, `"later": `+later+`, "schema"`, 1)
				text = strings.Replace(text, `"path"`, `"later": `+later+`, "path"`, 1)
				require.NoError(t, os.WriteFile(p.th.Path(p.manifest()), []byte(text), 0o600))

				f.Equal(t, how.id+".done", how.do(p, t), "none")
				var doc map[string]jsontext.Value
				var changed []map[string]jsontext.Value
				b, err = fs.ReadFile(p.th.FS(t, "."), p.manifest())
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(b, &doc))
				require.NoError(t, json.Unmarshal(doc["files"], &changed))
				f.Equal(t, how.id, compact(t, doc["later"]), later)
				f.Equal(t, how.id+".file", compact(t, changed[0]["later"]), later)
			})
		})
	}
}

// A manifest is written again in today's schema, with all that it held. What
// another release wrote into it, one of its files or its receipt is kept.
func TestRewrite(t *testing.T) {
	each(t, whatever, func(t *testing.T, p place) {
		want := p.said(t)
		p.edit(t, p.manifest(), `\A\{`, `{"later": `+later+`,`)
		kept := []string{"/later"}
		b, err := fs.ReadFile(p.th.FS(t, "."), p.manifest())
		require.NoError(t, err)
		for text, pointer := range map[string]string{`"files": [`: "/files/0/later", `"receipt": {`: "/receipt/later"} {
			if p.told.holds() && bytes.Contains(b, []byte(text)) {
				b = behind(text, `"`, `"later": `+later+`, "`)(t, b)
				kept = append(kept, pointer)
			}
		}
		require.NoError(t, os.WriteFile(p.th.Path(p.manifest()), b, 0o600))
		_, err = p.store.Update(t.Context(), p.run, func(m *artifact.Manifest) { m.Failure = "why" })
		p.f.Equal(t, "r20.manifest.rewrite", refusal(err), "none")
		b, err = fs.ReadFile(p.th.FS(t, "."), p.manifest())
		require.NoError(t, err)
		now := members(t, b)
		p.f.Equal(t, "r20.manifest.schema", now["/schema"], strconv.Itoa(today))
		for _, pointer := range kept {
			p.f.Equal(t, "r20.manifest.unknown", []string{now[pointer+"/n"], now[pointer+"/list/1"]}, []string{"12345678901234567890", "1.50"})
		}
		want.Failure, want.Revision, want.UpdatedAt = "why", want.Revision+1, p.at()
		got := p.get(t)
		got.Unknown = nil
		for i := range got.Files {
			got.Files[i].Unknown = nil
		}
		if got.Receipt != nil {
			got.Receipt.Unknown = nil
		}
		p.f.Equal(t, "r20.manifest.read", got, want)
	})
}

// A time is the same moment in whatever zone it is written, also a receipt's.
func TestZone(t *testing.T) {
	eachLooked(t, whatever, func(t *testing.T, p place) {
		want := p.said(t)
		b, err := want.Encode()
		require.NoError(t, err)
		abroad := time.FixedZone("", 12*60*60+45*60)
		moved := 0
		text := written.ReplaceAllStringFunc(string(b), func(at string) string {
			moved++
			moment, err := time.Parse(time.RFC3339, at)
			require.NoError(t, err)
			return moment.In(abroad).Format("2006-01-02T15:04:05.000Z07:00")
		})
		require.GreaterOrEqual(t, moved, 2)
		p.store.Docs = fstest.MapFS{artifact.ManifestFile(p.run): {Data: []byte(text)}}
		p.f.Equal(t, "r10.zone.elsewhere", p.get(t), want)
	})
}

// written is a time as it is written.
var written = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z`)

func compact(t *testing.T, v jsontext.Value) string {
	t.Helper()
	if v == nil {
		return "it is gone"
	}
	require.NoError(t, v.Compact())
	return string(v)
}
