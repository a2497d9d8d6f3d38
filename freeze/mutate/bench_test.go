//go:build unix

package mutate_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/otiai10/copy"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/source"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// What is measured: the mutants of a reader, judged by its own unit tests.
const (
	benchRoot    = "../.."
	benchPackage = "./readers/project"
)

// Others that are measured beside, at these versions.
const (
	gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"
	assay    = "github.com/emoss08/assay@v0.8.0"
)

// BenchmarkMutants measures how long a mutant takes, builds included, by the
// clock and in processor time, which other work on the machine disturbs less:
//
//   - all: what freeze mutate --generated makes up, each of which outside of a
//     function has a build of its own;
//   - freeze: those inside of functions, which are what the others make up;
//   - isolate: the same, each in processes of its own;
//   - floor: one build for these, and of each the time of the test that catches
//     it, without the process that it runs in; of a survivor that of all tests;
//   - gremlins and assay, where they can be had from the module proxy.
func BenchmarkMutants(b *testing.B) {
	all, inside := mutants(b)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			measure(b, func(root string) int { return len(generate(b, root, all, false).Results) })
		}
	})
	var got *mutate.Generated
	b.Run("freeze", func(b *testing.B) {
		for b.Loop() {
			measure(b, func(root string) int { got = generate(b, root, inside, false); return len(got.Results) })
		}
	})
	b.Run("isolate", func(b *testing.B) {
		for b.Loop() {
			measure(b, func(root string) int { return len(generate(b, root, inside, true).Results) })
		}
	})
	b.Run("floor", func(b *testing.B) {
		if got == nil {
			b.Skip("is of what freeze has judged")
		}
		for b.Loop() {
			floor(b, got)
		}
	})
	b.Run("gremlins", func(b *testing.B) {
		program := install(b, gremlins)
		for b.Loop() {
			measure(b, func(root string) int { return unleash(b, program, root) })
		}
	})
	b.Run("assay", func(b *testing.B) {
		program := install(b, assay)
		for b.Loop() {
			measure(b, func(root string) int { return assayed(b, program, root) })
		}
	})
}

// mutants are the ids of all that can be made up, and of those inside of
// functions.
func mutants(b *testing.B) (all, inside []string) {
	b.Helper()
	tree, err := source.Load(b.Context(), root(b), os.Environ(), benchPackage)
	require.NoError(b, err)
	for _, m := range tree.Mutants() {
		all = append(all, m.ID)
		if m.InFunc() {
			inside = append(inside, m.ID)
		}
	}
	return all, inside
}

// root is a new copy of what is measured: of a tree that was built before, all
// would be in the cache of the go command.
func root(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "readers"} {
		require.NoError(b, copy.Copy(filepath.Join(benchRoot, name), filepath.Join(dir, name)))
	}
	return dir
}

func generate(b *testing.B, root string, ids []string, isolate bool) *mutate.Generated {
	b.Helper()
	got, err := mutate.Generate(b.Context(), mutate.Generation{Dir: root, Env: os.Environ(),
		Packages: []string{benchPackage}, Suites: []string{benchPackage}, IDs: ids, Isolate: isolate})
	require.NoError(b, err)
	return got
}

// measure reports what one of the mutants that f judges takes.
func measure(b *testing.B, f func(root string) int) {
	b.Helper()
	root := root(b)
	began, used := time.Now(), processor(b)
	n := f(root)
	require.Positive(b, n)
	report(b, n, time.Since(began), processor(b)-used)
}

func report(b *testing.B, n int, elapsed, used time.Duration) {
	b.ReportMetric(float64(n), "mutants")
	b.ReportMetric(elapsed.Seconds()*1000/float64(n), "ms/mutant")
	b.ReportMetric(used.Seconds()*1000/float64(n), "cpu-ms/mutant")
	b.ReportMetric(0, "ns/op")
}

// processor is the time of processors that this process and its children took.
func processor(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		require.NoError(b, syscall.Getrusage(who, &r))
		sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return sum
}

// floor measures the build, and what each test takes without its process.
func floor(b *testing.B, got *mutate.Generated) {
	b.Helper()
	root := root(b)
	began, used := time.Now(), processor(b)
	tree, err := source.Load(b.Context(), root, os.Environ(), benchPackage)
	require.NoError(b, err)
	var changes []*source.Change
	for _, m := range tree.Mutants() {
		if m.InFunc() {
			changes = append(changes, m.Change)
		}
	}
	overlay, _, err := tree.Forms(changes)
	require.NoError(b, err)
	dir := b.TempDir()
	builder := testbin.Builder{Dir: root, Env: os.Environ(), Link: tree.Link(dir)}
	builder.Overlay, err = overlay.Write(dir)
	require.NoError(b, err)
	bin, err := builder.Build(b.Context(), benchPackage, dir)
	require.NoError(b, err)
	elapsed, cpu := time.Since(began), processor(b)-used

	whole := own(b, bin, "run=.")
	tests := make(map[string]testTime)
	for _, r := range got.Results {
		one := whole
		if r.Killed() {
			name := r.Test
			if _, ok := tests[name]; !ok {
				tests[name] = own(b, bin, testbin.Alone(name[len(bin.Package)+1:]))
			}
			one = tests[name]
		}
		elapsed, cpu = elapsed+one.elapsed, cpu+one.cpu
	}
	report(b, len(got.Results), elapsed, cpu)
}

// testTime is what tests take once.
type testTime struct{ elapsed, cpu time.Duration }

// own is what tests take in a process that runs already.
func own(b *testing.B, bin *testbin.Binary, which string) testTime {
	b.Helper()
	const more = 50
	run := func(count string) testTime {
		used := processor(b)
		r, err := testbin.Run{Binary: bin, Args: []string{which, count}, Env: os.Environ(), Timeout: time.Hour}.Start(b.Context())
		require.NoError(b, err)
		require.Zero(b, r.Exit, "%s", r.Output)
		return testTime{r.Elapsed, processor(b) - used}
	}
	one, many := run("count=1"), run("count=51")
	return testTime{max(0, many.elapsed-one.elapsed) / more, max(0, many.cpu-one.cpu) / more}
}

// install builds a program of another module in a folder of its own, or skips.
func install(b *testing.B, module string) string {
	b.Helper()
	bin := b.TempDir()
	cmd := exec.CommandContext(b.Context(), "go", "install", module)
	cmd.Dir, cmd.Env = bin, append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Skipf("NOT MEASURED: %s cannot be had: %v\n%s", module, err, out)
	}
	entries, err := os.ReadDir(bin)
	require.NoError(b, err)
	require.Len(b, entries, 1)
	return filepath.Join(bin, entries[0].Name())
}

// unleash runs gremlins, and returns how many mutants it judged: those that no
// test covers it does not.
func unleash(b *testing.B, program, root string) int {
	b.Helper()
	out := filepath.Join(b.TempDir(), "result.json")
	cmd := exec.CommandContext(b.Context(), program, "unleash", "--silent", "--output", out, benchPackage)
	cmd.Dir = root
	said, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", said)
	data, err := os.ReadFile(out)
	require.NoError(b, err)
	var result struct {
		Files []struct {
			Mutations []struct{ Status string }
		}
	}
	require.NoError(b, json.Unmarshal(data, &result))
	n := 0
	for _, f := range result.Files {
		for _, m := range f.Mutations {
			if m.Status != "NOT COVERED" && m.Status != "SKIPPED" {
				n++
			}
		}
	}
	return n
}

// assayed runs assay, and returns how many mutants it judged.
func assayed(b *testing.B, program, root string) int {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, "mutate", "--json", benchPackage)
	cmd.Dir = root
	data, err := cmd.Output()
	// It fails where mutants survive.
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		require.NoError(b, err)
	}
	var result struct{ Mutants []json.RawMessage }
	require.NoError(b, json.Unmarshal(data, &result))
	return len(result.Mutants)
}
