package project_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Every file of every fixture, altered, truncated and deleted.
func TestTampering(t *testing.T) {
	// Two git keeps for itself, and the manifest is what holds the rest.
	contracts.TestTampering(t, "^Test(ID|Marker|Config|Init|InitFallsBackToTheMarker|Repository|Beside)$", "COMMIT_EDITMSG", "exclude", "bindings.json")
}
