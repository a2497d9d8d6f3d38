package mutate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
)

// What a test printed is shown, and no terminal obeys it.
func TestExplain(t *testing.T) {
	var b strings.Builder
	r := mutate.Result{Regression: &regression.Regression{Name: "r"}, Verdict: mutate.Survived, Why: "one\x1b[2J\ntwo", Output: "\x16--- FAIL: \x1b]0;t\a\n\tx\n"}
	require.NoError(t, r.Explain(&b))
	require.Contains(t, b.String(), "survived: one\\x1b[2J\n           two\n\n--- FAIL: \\x1b]0;t\\a\n\tx\n")
}
