package artifacts_test

import (
	"fmt"
	"testing"
)

// A pending run is discarded, and nothing but its manifest says so. One of
// which an apply was killed is half made, and is not.
func TestDiscard(t *testing.T) {
	each(t, saved.waits, func(t *testing.T, p place) {
		f := p.f
		if p.told.half {
			f.Equal(t, "r14.half", p.discard(t), fmt.Sprintf(`run %q: an apply of it was killed and left "README.md" in ".stint/apply"`, p.run))
			f.Unchanged(t)
			return
		}
		want := p.said(t)
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
		f.CheckSum(t, "r14.patch", p.patch(), p.told.patchSum())

		f.Settle(t)
		f.Equal(t, "r14.again", p.discard(t), fmt.Sprintf("run %q: it is discarded, and only a pending one, or an interrupted one that holds work, can be discarded", p.run))
		f.Unchanged(t)
		f.Equal(t, "r13.discarded", p.apply(t), fmt.Sprintf("run %q: it is discarded, and only a pending one, or an interrupted one that holds work, can be applied", p.run))
		f.Unchanged(t, p.tries()...)
	})
}
