package binding_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// FuzzRebind writes any bytes with the box's root in them in two boxes. What
// Find takes must go to another root and come back to the very same bytes, and
// what stands there must be what the program would have written.
func FuzzRebind(f *testing.F) {
	s := newSubject(rootA, 1)
	for _, e := range s.run.Entries {
		f.Add(e.Path, bytes.ReplaceAll(e.Data, []byte(rootA), []byte("ROOT")))
	}
	f.Add("p/a.json", []byte(`{"a":"ROOT","b":["ROOT/x",1,"\u002f"]}`))
	f.Add("p/a.toml", []byte("a = 'ROOT'\n[[b]]\nc = {d = \"ROOT\"}\n"))
	f.Add("p/.git", []byte("gitdir: ROOT/.git/worktrees/x\n"))
	f.Add("p/odd", []byte("%ROOT\\ROOT%2FROOT\\u00ROOT\x1b[0mROOT"))
	f.Add("p/b64", []byte(b64("ROOT")+" ROOT"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if name == "" || bytes.IndexByte([]byte(name), 0) >= 0 {
			return
		}
		write := func(root string) *binding.Run {
			full := bytes.ReplaceAll(data, []byte("ROOT"), []byte(root))
			return &binding.Run{Root: root, Entries: []tree.Entry{{Path: "p", Type: tree.Dir}, {Path: "p/" + name, Type: tree.File, Data: full}}}
		}
		a := write(rootA)
		bs, ds := binding.Find(a, write(rootB), nil, nil)
		if len(ds) > 0 {
			return
		}
		const root = "/elsewhere/qqvvqqvv"
		there, err := binding.Rebind(context.Background(), a.Entries, bs, root, nil)
		require.NoError(t, err)
		if d := cmp.Diff(write(root).Entries, there); d != "" {
			t.Errorf("there (-want +got):\n%s", d)
		}
		for i := range bs {
			if bs[i].Kind == binding.Path {
				bs[i].Value = root
			}
		}
		back, err := binding.Rebind(context.Background(), there, bs, rootA, nil)
		require.NoError(t, err)
		if d := cmp.Diff(a.Entries, back); d != "" {
			t.Errorf("and back (-want +got):\n%s", d)
		}
	})
}

// FuzzFind holds that a capture is like itself, whatever is in it but the
// roots, and that no bytes make the scanner fail.
func FuzzFind(f *testing.F) {
	s := newSubject(rootA, 1)
	for _, e := range s.run.Entries {
		f.Add(e.Data)
	}
	f.Add([]byte(`\u0000%41\n2026-11-30T09:01:39.168406377+00:00 2026-11-30 09:01:39Z`))
	f.Fuzz(func(t *testing.T, data []byte) {
		run := func(root string) *binding.Run {
			r := newBox(root, 1).run() // the same moment in both: equal times are bound
			r.Entries = []tree.Entry{{Path: "f.json", Type: tree.File, Data: data}}
			return r
		}
		_, ds := binding.Find(run("/tmp/fz.vvwwxxzzrr"), run("/q/ttzzrrvvjjkk"), nil, nil)
		for _, d := range ds {
			t.Errorf("equal captures differ: %v", d)
		}
	})
}
