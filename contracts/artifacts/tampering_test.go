package artifacts_test

import (
	"slices"
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Every file of every fixture, altered, truncated and deleted: each change is
// seen, by an error that names the file, and none makes a reader panic.
func TestTampering(t *testing.T) {
	var byHash []string
	count := make(map[contracts.Verdict]int)
	for _, c := range contracts.Tampering(t, "^Test(Runs|Answers|Session|Conversations|Pruned|RecoverSaid|WorkTrees|State|Leftovers|Git)$") {
		count[c.Seen]++
		switch c.Seen {
		case contracts.Unseen, contracts.ByPanic:
			t.Errorf("%s, %s: %s", c.File, c.How, c.Seen)
		case contracts.ByHash:
			byHash = append(byHash, c.File+", "+c.How)
		}
	}
	slices.Sort(byHash)
	t.Logf("family artifacts: %d changes are seen by a reader, %d by the thaw, %d by nothing but the hash: %q",
		count[contracts.ByReader], count[contracts.ByThaw], count[contracts.ByHash], byHash)
}
