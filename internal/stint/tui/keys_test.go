package tui_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/tui"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The manual has the table of all keys, as they are.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../../docs/stint.md")
	require.NoError(t, err)
	got := regexp.MustCompile(`(?s)\| keys \| where \| what they do \|\n\| --- \| --- \| --- \|\n(.*?)\n\n`).FindSubmatch(page)
	require.NotNil(t, got, "docs/stint.md has no table of the keys")
	var want []string
	for _, k := range tui.Keys() {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s |", strings.Join(k.Keys, "`, `"), k.Where, k.Does))
	}
	if diff := cmp.Diff(want, strings.Split(string(got[1]), "\n")); diff != "" {
		t.Errorf("keys in docs/stint.md (-want +got)\n%s", diff)
	}
}

func TestNoKeyTwice(t *testing.T) {
	seen := make(map[string]string)
	for _, k := range tui.Keys() {
		for _, key := range k.Keys {
			if other, ok := seen[key]; ok {
				t.Errorf("%q is %q and %q", key, other, k.Does)
			}
			seen[key] = k.Does
		}
	}
}
