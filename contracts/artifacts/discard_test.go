package artifacts_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

// A pending run is discarded, and nothing but its manifest says so. One of
// which an apply was killed is half made, and is not.
func TestDiscard(t *testing.T) {
	contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		p := thaw(t, f)
		if p.story.state != "pending" {
			return
		}
		if f.Scenario == "applying" {
			f.Equal(t, "r14.half", p.discard(t), fmt.Sprintf(`run %q: an apply of it was killed and left "README.md" in ".stint/apply"`, p.run))
			f.Unchanged(t)
			return
		}
		want := p.said(t, "show")
		want.State, want.Revision, want.UpdatedAt, want.DiscardedAt = "discarded", want.Revision+1, p.at(), p.at()
		got, err := p.store.Discard(t.Context(), p.main, p.run)
		f.Equal(t, "r14.discard", refusal(err), "none")
		stored, schema := p.stored(t)
		f.Equal(t, "r14.state", stored.State, want.State)
		f.Equal(t, "r14.manifest", stored, want)
		f.Equal(t, "r14.schema", schema, today)
		f.Equal(t, "r14.answer", got, want)
		f.Equal(t, "r14.read", p.get(t), want)
		f.Unchanged(t, p.manifest())
		f.CheckSum(t, "r14.patch", p.patch(), since(f.Release).sum)

		f.Settle(t)
		f.Equal(t, "r14.again", p.discard(t), fmt.Sprintf("run %q: it is discarded, and only a pending one, or an interrupted one that holds work, can be discarded", p.run))
		f.Unchanged(t)
		f.Equal(t, "r13.discarded", p.apply(t), fmt.Sprintf("run %q: it is discarded, and only a pending one, or an interrupted one that holds work, can be applied", p.run))
		f.Unchanged(t, p.tries()...)
	})
}

// What a release after or beside this one wrote into a manifest is kept where
// it is rewritten, to the last digit.
func TestUnknown(t *testing.T) {
	const later = `{"n":12345678901234567890,"list":[null,1.50]}`
	for _, how := range []struct {
		id string
		do func(p place, t *testing.T) string
	}{
		{"r13.unknown", place.apply},
		{"r14.unknown", place.discard},
	} {
		t.Run(how.id, func(t *testing.T) {
			contracts.Each(t, "artifacts", func(t *testing.T, f *contracts.Fixture) {
				t.Parallel()
				p := thaw(t, f)
				if !p.pending() || f.Scenario == "applying" {
					return
				}
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

func compact(t *testing.T, v jsontext.Value) string {
	t.Helper()
	if v == nil {
		return "it is gone"
	}
	require.NoError(t, v.Compact())
	return string(v)
}
