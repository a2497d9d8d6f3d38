package corpus_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/freeze/ledger"
)

// BenchmarkReleases plays the suite of the family project over corpora of more
// and more releases, each a frozen one under another version, and tells what a
// release costs in processor time, children included: cost/release at 100 over
// that at 10 is 1 where cost is linear.
func BenchmarkReleases(b *testing.B) {
	suite := filepath.Join(b.TempDir(), "suite")
	out, err := exec.Command("go", "test", "-c", "-o", suite, "../project").CombinedOutput()
	require.NoError(b, err, "%s", out)
	few, many := multiplied(b, 10), multiplied(b, 100)
	for b.Loop() {
		at10, at100 := costOf(b, suite, few)/10, costOf(b, suite, many)/100
		b.ReportMetric(float64(at10.Milliseconds()), "ms/release-of-10")
		b.ReportMetric(float64(at100.Milliseconds()), "ms/release-of-100")
		b.ReportMetric(float64(at100)/float64(at10), "100/10")
	}
}

func costOf(b *testing.B, suite, fixtures string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), suite, "-test.short")
	cmd.Dir = "../project"
	cmd.Env = append(os.Environ(), contracts.FixturesEnv+"="+fixtures)
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", out[:min(len(out), 4000)])
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// multiplied is the corpus of one family with n releases in all: the newest
// once more under each further version, and a ledger that has them.
func multiplied(b *testing.B, n int) string {
	b.Helper()
	from, err := contracts.Find(".")
	require.NoError(b, err)
	l, err := ledger.Load(os.DirFS(from))
	require.NoError(b, err)
	newest, ok := l.Newest()
	require.True(b, ok)
	dir := b.TempDir()
	for _, part := range []string{"project", "scenarios"} {
		require.NoError(b, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(from, part))))
	}
	for i := len(l.Releases); i < n; i++ {
		next := newest
		next.Version = fmt.Sprintf("%s%d", newest.Version[:strings.LastIndex(newest.Version, ".")+1], i)
		to := filepath.Join(dir, "project", next.Version)
		require.NoError(b, os.CopyFS(to, os.DirFS(filepath.Join(from, "project", newest.Version))))
		manifest := filepath.Join(to, "bindings.json")
		data, err := os.ReadFile(manifest)
		require.NoError(b, err)
		data = bytes.ReplaceAll(data, []byte(`"`+newest.Version+`"`), []byte(`"`+next.Version+`"`))
		require.NoError(b, os.WriteFile(manifest, data, 0o600))
		next.Fixtures = nil
		next.Seal("project", fmt.Sprintf("%x", sha256.Sum256(data)))
		require.NoError(b, l.Add(next))
	}
	require.NoError(b, os.WriteFile(filepath.Join(dir, ledger.Name), l.Encode(), 0o600))
	return dir
}
