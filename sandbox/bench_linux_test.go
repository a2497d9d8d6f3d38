package sandbox_test

import (
	"runtime"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
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
