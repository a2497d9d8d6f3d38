package sandbox_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/stretchr/testify/require"
)

// BenchmarkBox is one empty box up and proved down.
func BenchmarkBox(b *testing.B) { benchmarkBox(b, sandbox.Config{}) }

// BenchmarkBoxWithoutNamespace is the same where layer E cannot be had.
func BenchmarkBoxWithoutNamespace(b *testing.B) {
	benchmarkBox(b, sandbox.Config{NoNamespace: true})
}

// BenchmarkBoxLoaded has two busy processes for each core meanwhile.
func BenchmarkBoxLoaded(b *testing.B) {
	for range 2 * runtime.NumCPU() {
		busy := command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			b.Fatal(err)
		}
		defer busy.Wait()
		defer busy.Process.Kill()
	}
	benchmarkBox(b, sandbox.Config{})
}

func benchmarkBox(b *testing.B, cfg sandbox.Config) {
	for b.Loop() {
		box, err := sandbox.Start(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		if err := box.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDeepTree removes a box with a tree twice as deep as another's, which
// takes the processor about twice as long, and not four times.
func BenchmarkDeepTree(b *testing.B) {
	took := func(levels int) time.Duration {
		box, err := sandbox.Start(b.Context(), sandbox.Config{})
		require.NoError(b, err)
		dir, err := os.OpenRoot(box.Home())
		require.NoError(b, err)
		for range levels {
			require.NoError(b, dir.Mkdir("d", 0o700))
			next, err := dir.OpenRoot("d")
			require.NoError(b, err)
			require.NoError(b, dir.Close())
			dir = next
		}
		require.NoError(b, dir.Close())
		require.NoError(b, box.Stop(b.Context()))
		began := processor(b)
		require.NoError(b, box.Remove())
		return processor(b) - began
	}
	var once, twice time.Duration
	for b.Loop() {
		once += took(1500)
		twice += took(3000)
	}
	b.ReportMetric(float64(twice)/float64(once), "x-half-as-deep")
}

// processor is the time that this process has had of it.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
