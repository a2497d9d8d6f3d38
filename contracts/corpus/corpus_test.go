// Package corpus_test holds the rules of the repository's own corpus: what
// concerns all fixtures together, and no reader. That each rule can fail is
// shown by the tests of package contracts.
package corpus_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
)

func TestCorpus(t *testing.T) {
	fixtures, err := contracts.Find(".")
	if contracts.Absent(err) {
		nothingFrozen(t, filepath.Join("..", "..", "fixtures"))
		t.Log("this repository has no release in a ledger yet: the rules are held on the example's corpus")
		contracts.Corpus{Fixtures: "../testdata/jot/fixtures", Suites: "../testdata/jot"}.Test(t)
		return
	}
	require.NoError(t, err)
	contracts.Corpus{Fixtures: fixtures, Suites: ".."}.Test(t)
}

// nothingFrozen fails if there are fixtures although there is no ledger.
func nothingFrozen(t *testing.T, dir string) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(dir, "*", "v*", "bindings.json"))
	require.NoError(t, err)
	require.Empty(t, manifests, "fixtures, and no releases.toml to say of which releases")
	_, err = os.Stat(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err, "these tests lie elsewhere than their path to the fixtures says")
}
