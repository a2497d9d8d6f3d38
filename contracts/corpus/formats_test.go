package corpus_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

// v0.3.0 restarts sessions and shows them on a screen, and persists nothing
// new by it.
func TestRestartPersistsNothing(t *testing.T) {
	dir, err := contracts.Find(".")
	require.NoError(t, err)
	before, after := released(t, os.DirFS(dir), "v0.2.0"), released(t, os.DirFS(dir), "v0.3.0")
	report := diff.Releases(before, after)
	require.NotEmpty(t, report.Compared)
	if !report.Empty() {
		var text strings.Builder
		require.NoError(t, report.Text(&text))
		t.Error(text.String())
	}
	// The same comparison sees what v0.2.0 changed.
	require.False(t, diff.Releases(released(t, os.DirFS(dir), "v0.1.2"), before).Empty())
}

// released loads all that is frozen of a release.
func released(t *testing.T, fsys fs.FS, version string) []*fixture.Release {
	t.Helper()
	keys, _, err := fixture.List(fsys)
	require.NoError(t, err)
	keys = slices.DeleteFunc(keys, func(k fixture.Key) bool { return k.Version != version })
	require.NotEmpty(t, keys, version)
	var all []*fixture.Release
	for _, key := range keys {
		r, err := fixture.Load(fsys, key.Family, key.Version)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}
