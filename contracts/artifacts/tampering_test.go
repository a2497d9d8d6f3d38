package artifacts_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Every file of every fixture, altered, truncated and deleted.
func TestTampering(t *testing.T) {
	contracts.TestTampering(t, "^Test(Runs|Answers|Session|Conversations|Pruned|RecoverSaid|WorkTrees|State|Leftovers|Git)$")
}
