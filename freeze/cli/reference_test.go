package cli

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/clipage"
)

var update = flag.Bool("update", false, "write the pages of docs/cli anew")

// The pages of docs/cli on freeze are what its commands say of themselves, one
// of each.
func TestReference(t *testing.T) {
	root := new(app).root()
	const footer = "[Releases](../releases.md) tells how they go together, [freeze-json](../freeze-json.md) what is printed as JSON."
	clipage.Check(t, filepath.Join("..", "..", "docs", "cli"), root, footer, *update)
}
