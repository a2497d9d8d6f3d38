package cli_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/internal/subjects"
)

// A merge that is killed at any moment leaves the fixtures of before or those
// of after, and in the first case can be done again.
func TestMergeKilled(t *testing.T) {
	requireTmux(t)
	repo := subjects.Make(t, "shell")
	cache := t.TempDir()
	var parts []string
	for _, shard := range []string{"0/2", "1/2"} {
		part := filepath.Join(t.TempDir(), "part.json")
		out, err := freezeCommand(repo, cache, "v1.0.0", "--shard", shard, "--part", part).CombinedOutput()
		require.NoError(t, err, "%s", out)
		parts = append(parts, part)
	}
	merge := append([]string{"merge"}, parts...)
	fixtures := filepath.Join(repo, "fixtures")
	began := time.Now()
	out, err := freezeCommand(repo, cache, merge...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	length := time.Since(began)
	left, done := 0, 0
	for range *kills {
		require.NoError(t, os.RemoveAll(filepath.Join(fixtures, "notes")))
		require.NoError(t, os.Remove(filepath.Join(fixtures, "releases.toml")))
		killAt(t, freezeCommand(repo, cache, merge...), rand.N(length*11/10))
		out, err := freezeCommand(repo, cache, merge...).CombinedOutput()
		if err == nil {
			left++
		} else {
			done++
			require.Contains(t, string(out), "or they were merged before")
		}
		out, err = freezeCommand(repo, cache, "check").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	t.Logf("%d kills: %d left what was before, %d the release", *kills, left, done)
}

// A part that was not done to its end is not there.
func TestPartInterrupted(t *testing.T) {
	requireTmux(t)
	repo := smallSubject(t)
	part := filepath.Join(t.TempDir(), "part.json")
	stdout, stderr := interrupted(t, freezeCommand(repo, t.TempDir(), "v1.0.0", "--shard", "0/1", "--part", part))
	require.Contains(t, stdout+stderr, "nothing of it was written: interrupt signal received")
	require.NoFileExists(t, part)
}
