package read_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/read"
)

// recordEnv names a folder into which this binary records without an end.
const recordEnv = "FREEZE_READ_TEST_RECORD"

// matrix is one of two that are recorded in turns.
func matrix(reader string) *read.Report {
	r := &read.Report{Readers: []string{reader}, Releases: []string{"v1.0.0"}}
	for i := range 2000 {
		r.Steps = append(r.Steps, read.Step{Script: fmt.Sprint(i), Reader: reader, Release: "v1.0.0", Outcome: read.Reads})
	}
	return r
}

func recordForever(dir string) error {
	for {
		for _, reader := range []string{"v1.0.0", "HEAD"} {
			if err := matrix(reader).Record(dir); err != nil {
				return err
			}
			fmt.Println(reader)
		}
	}
}

func hidden(t *testing.T, dir string) []string {
	names, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	return names
}

// Wherever a kill hits, one record is there, whole, and the next one removes
// what else was left.
func TestRecordIsKilled(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	require.NoError(t, err)
	left := 0
	for range 20 {
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Env = append(os.Environ(), recordEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = out.Read(make([]byte, 1))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return len(hidden(t, dir)) > 0 }, time.Minute, time.Microsecond)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		recorded, err := read.Recorded(dir)
		require.NoError(t, err)
		if d := cmp.Diff(matrix(recorded.Readers[0]).Steps, recorded.Steps); d != "" {
			t.Fatalf("Recorded (-want +got)\n%s", d)
		}
		left += len(hidden(t, dir))
	}
	require.NotZero(t, left, "no kill hit a record that was being written")
	require.NoError(t, matrix("HEAD").Record(dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
