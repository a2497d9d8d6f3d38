package project_test

import (
	"os"
	"path"
	"slices"
	"testing"

	"github.com/freeze-contracts/permafrost/contracts"
)

// Every file of every fixture, altered, truncated and deleted: each change is
// seen, by an error that names the file, and none makes a reader panic.
func TestTampering(t *testing.T) {
	count := make(map[contracts.Verdict]int)
	read := make(map[string]bool) // by file: whether anything but the hash saw a change to it
	for _, c := range contracts.Tampering(t, "^Test(ID|Marker|Config|Init|InitFallsBackToTheMarker|Repository|Beside)$") {
		count[c.Seen]++
		read[c.File] = read[c.File] || c.Seen != contracts.ByHash
		if c.Seen == contracts.Unseen || c.Seen == contracts.ByPanic {
			t.Errorf("%s, %s: %s", c.File, c.How, c.Seen)
		}
	}
	t.Logf("family project: %d changes are seen by a reader, %d by the thaw, %d by the hash only",
		count[contracts.ByReader], count[contracts.ByThaw], count[contracts.ByHash])
	if count[contracts.ByReader] == 0 && os.Getenv("PERMAFROST_CHECK") == "" {
		return // the tests were not asked
	}
	for file, seen := range read {
		// Two git keeps for itself, and the manifest is what holds the rest.
		if own := slices.Contains([]string{"COMMIT_EDITMSG", "exclude", "bindings.json"}, path.Base(file)); !seen && !own {
			t.Errorf("%s: nothing but the hash sees any change to it", file)
		}
	}
}
