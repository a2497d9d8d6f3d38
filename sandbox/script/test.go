package script

import (
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
)

// Test plays each file that pattern names as a parallel subtest, each in a box
// of its own made from cfg, and requires the proof that the box is empty.
func Test(t *testing.T, cfg sandbox.Config, pattern string) {
	panic("unbuilt")
}
