// Package corpus_test holds the rules of the repository's own corpus: what
// concerns all fixtures together, and no reader. That each rule can fail is
// shown by the tests of package contracts.
package corpus_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/contracts/byhand"
	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

func TestCorpus(t *testing.T) {
	fixtures, err := contracts.Find(".")
	require.NoError(t, err)
	contracts.Corpus{
		Fixtures: fixtures,
		Suites:   "..",
		SecretOK: secretOK(t),
		Derive:   map[string]func(context.Context, map[string]string) (string, error){"fingerprint": byhand.Fingerprint},
	}.Test(t)
}

// secretOK are the values that freeze.toml permits, and so those that freeze
// check does.
func secretOK(t *testing.T) []fixture.SecretOK {
	t.Helper()
	cfg, err := config.Load("../../freeze.toml")
	require.NoError(t, err)
	var all []fixture.SecretOK
	for _, ok := range cfg.SecretOK {
		all = append(all, fixture.SecretOK{File: ok.File, Pointer: ok.Pointer, Reason: ok.Reason})
	}
	return all
}
