package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkExec is a command of a script, in processor time and without what
// the box takes. x-bare is the ratio to the same command run bare, as any Go
// program would, in the same iteration.
func BenchmarkExec(b *testing.B) {
	for _, command := range []string{"cat note.md", "git hash-object note.md"} {
		b.Run(command, func(b *testing.B) { benchmarkExec(b, command) })
	}
}

func benchmarkExec(b *testing.B, command string) {
	const commands = 100
	cfg, dir, args := config(b), b.TempDir(), strings.Fields(command)
	require.NoError(b, os.WriteFile(filepath.Join(dir, "note.md"), []byte("A note.\n"), 0o666))
	lines := func(n int) func() {
		text := strings.Repeat("exec "+command+"\n", n) + "-- note.md --\nA note.\n"
		return func() { playOnce(b, cfg, text) }
	}
	var played, bare time.Duration
	for b.Loop() {
		played += processor(b, lines(commands)) - processor(b, lines(0))
		bare += processor(b, func() {
			for range commands {
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Dir = dir
				out, err := cmd.Output()
				require.NoError(b, err, string(out))
			}
		})
	}
	b.ReportMetric(played.Seconds()/bare.Seconds(), "x-bare")
	b.ReportMetric(played.Seconds()*1000/float64(b.N*commands), "ms/command")
	b.ReportMetric(bare.Seconds()*1000/float64(b.N*commands), "bare-ms/command")
}

func playOnce(b *testing.B, cfg sandbox.Config, text string) {
	box, err := sandbox.Start(b.Context(), cfg)
	require.NoError(b, err)
	require.NoError(b, script.Play(b.Context(), box, "script", "bench.txtar", []byte(text)))
	require.NoError(b, box.Close())
}

// processor is the time that this process, and all that it waited for, takes
// for f.
func processor(b *testing.B, f func()) time.Duration {
	sum := func() (ns int64) {
		for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
			var used unix.Rusage
			require.NoError(b, unix.Getrusage(who, &used))
			ns += used.Utime.Nano() + used.Stime.Nano()
		}
		return ns
	}
	before := sum()
	f()
	return time.Duration(sum() - before)
}
