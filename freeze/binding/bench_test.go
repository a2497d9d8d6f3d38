package binding_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/binding"
)

// large is a capture of about 50 MB: many documents and a few long logs.
func large(root string, seed uint64) *binding.Run {
	b := newBox(root, seed)
	for n := range uint64(8) {
		var log strings.Builder
		same := rand.New(rand.NewPCG(n, 1)) // what is equal in both boxes
		for log.Len() < 6<<20 {
			fmt.Fprintf(&log, `{"level":"info","n":%d,"file":"src/pkg/file_%d.go","hash":"%x","msg":"nothing to see here, and nothing to bind"}`+"\n",
				same.IntN(1e6), same.IntN(500), same.Uint64())
		}
		fmt.Fprintf(&log, `{"cwd":%q,"id":%q}`+"\n", root+"/project", b.uuid4())
		b.put(fmt.Sprintf("home/log-%c.jsonl", 'a'+rune(n)), log.String())
	}
	for range 100 {
		id := b.uuid4()
		b.put("home/sessions/"+id+"/session.json", fmt.Sprintf(`{"id":%q,"cwd":%q,"at":%q}`, id, root+"/project", nano9(b)))
	}
	return b.run()
}

func size(r *binding.Run) int64 {
	var n int64
	for _, e := range r.Entries {
		n += int64(len(e.Data))
	}
	return n
}

func BenchmarkFind(b *testing.B) {
	for name, write := range map[string]func(string, uint64) *binding.Run{
		"large": large,
		"small": func(root string, seed uint64) *binding.Run { return newSubject(root, seed).run },
	} {
		b.Run(name, func(b *testing.B) {
			x, y, third := write(rootA, 1), write(rootB, 2), write(rootA, 3)
			b.SetBytes(size(x))
			for b.Loop() {
				if _, ds := binding.Find(x, y, third, subjectRules); len(ds) > 0 {
					b.Fatal(ds[0])
				}
			}
		})
	}
}

func BenchmarkRebind(b *testing.B) {
	for name, write := range map[string]func(string, uint64) *binding.Run{
		"large": large,
		"small": func(root string, seed uint64) *binding.Run { return newSubject(root, seed).run },
	} {
		b.Run(name, func(b *testing.B) {
			x := write(rootA, 1)
			bs, ds := binding.Find(x, write(rootB, 2), write(rootA, 3), subjectRules)
			if len(ds) > 0 {
				b.Fatal(ds[0])
			}
			b.SetBytes(size(x))
			for b.Loop() {
				if _, err := binding.Rebind(context.Background(), x.Entries, bs, "/elsewhere", nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
