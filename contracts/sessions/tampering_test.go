package sessions_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Every file of every fixture, altered, truncated and deleted.
func TestTampering(t *testing.T) {
	contracts.TestTampering(t, "^Test(List|Show|ToldBefore|Runs|OlderRuns|RecoverSaid|Conversations|Beside|Repository|Printed)$")
}
