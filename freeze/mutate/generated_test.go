package mutate_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otiai10/copy"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ast/astutil"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
)

// shelf unpacks the module shelf, and asks its suites about all mutants of it.
func shelf(t *testing.T) mutate.Generation {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shelf.txtar")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, txtar.Write(archive, dir))
	return mutate.Generation{Dir: dir, Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off"),
		Packages: []string{"."}, Suites: []string{".", "./suites"}, Steady: 1}
}

// byID is what came of the mutants, by the part of the id before the hash.
func byID(results []mutate.MutantResult) map[string][]mutate.MutantResult {
	all := make(map[string][]mutate.MutantResult)
	for _, r := range results {
		parts := strings.Split(r.Mutant.ID, "/")
		name := strings.Join(parts[:2], "/")
		all[name] = append(all[name], r)
	}
	return all
}

// What makes up nothing proves nothing.
func TestGenerateOfNothing(t *testing.T) {
	for _, pattern := range []string{"./nowhere", "./nowhere/..."} {
		g := shelf(t)
		g.Packages = []string{".", pattern}
		_, err := mutate.Generate(t.Context(), g)
		require.ErrorContains(t, err, fmt.Sprintf("mutate.packages: there is no package %q", pattern))
	}
	g := shelf(t)
	require.NoError(t, os.Mkdir(filepath.Join(g.Dir, "doc"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "doc", "doc.go"), []byte("// Package doc has no code.\npackage doc\n"), 0o644))
	g.Packages = []string{"./doc"}
	_, err := mutate.Generate(t.Context(), g)
	require.ErrorContains(t, err, `mutate.packages: nothing in ["./doc"] makes a mutant`)
}

func TestGenerate(t *testing.T) {
	g := shelf(t)
	before := snapshot(t, g.Dir)
	got, err := mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	require.Zero(t, got.Left)
	all := byID(got.Results)
	for _, c := range []struct {
		id      string
		verdict mutate.Verdict
		test    string
	}{
		{"Shelf.Put/condition-removed", mutate.Survived, ""}, // that there is a title: no test says so
		{"Shelf.Put/boundary", mutate.Caught, "example.org/shelf TestPut"},
		{"Shelf.Find/look-up", mutate.Caught, "example.org/shelf TestFind"},
		{"Shelf.Find/error-dropped", "", ""},
		{"Shelf.Old/boundary", mutate.Survived, ""},
		{"Shelf.Old/operand-removed", mutate.Caught, "example.org/shelf TestOld"},
		{"Shelf.Old/loop-skipped", mutate.Caught, "example.org/shelf TestOld"},
		{"Shelf.Kind/case-removed", mutate.Caught, "example.org/shelf TestPut"},
		{"Shelf.Encode/arithmetic", mutate.Caught, "example.org/shelf/suites TestEncode"},
		{"Shelf.Encode/early-return", mutate.Caught, "example.org/shelf/suites TestEncode"},
		{"Shelf.Idle/early-return", mutate.NotReached, ""},
		{"Book/tag-renamed", mutate.Caught, "example.org/shelf/suites TestEncode"},
		{"Most/constant", mutate.Caught, "example.org/shelf TestPut"},
	} {
		t.Run(c.id, func(t *testing.T) {
			if c.verdict == "" {
				require.Empty(t, all[c.id])
				return
			}
			require.NotEmpty(t, all[c.id])
			require.Equal(t, c.verdict, all[c.id][0].Verdict, all[c.id][0].Why)
			require.Equal(t, c.test, all[c.id][0].Test)
		})
	}
	require.Equal(t, before, snapshot(t, g.Dir), "the tree was written to")
}

// A slow reference, a copy of the tree for each mutant in which go test runs,
// says the same of mutants that a seed draws, judged in one process or each
// alone: of a module with gaps in its tests, and of code here.
func TestReferenceAgrees(t *testing.T) {
	here := shelf(t)
	here.Dir = t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "readers"} {
		require.NoError(t, copy.Copy(filepath.Join("../..", name), filepath.Join(here.Dir, name)))
	}
	here.Packages = []string{"./readers/..."}
	here.Suites = []string{"./readers/artifact", "./readers/conversation", "./readers/project", "./readers/session"}
	for name, g := range map[string]mutate.Generation{"shelf": shelf(t), "here": here} {
		t.Run(name, func(t *testing.T) {
			g.Seed, g.Sample = seedOfCommit(t), 6
			t.Logf("seed %d", g.Seed)
			got, err := mutate.Generate(t.Context(), g)
			require.NoError(t, err)
			require.NotEmpty(t, got.Results)
			g.Isolate = true
			alone, err := mutate.Generate(t.Context(), g)
			require.NoError(t, err)
			if diff := cmp.Diff(verdicts(alone.Results), verdicts(got.Results)); diff != "" {
				t.Errorf("verdicts (-alone +in one process)\n%s", diff)
			}
			for _, r := range got.Results {
				killed, said := reference(t, g, r)
				if killed != r.Killed() {
					t.Errorf("%s: %s -> %s: %s (%s), and go test says\n%s", r.Mutant.ID, r.Mutant.Before(), r.Mutant.After(), r.Verdict, r.Why, said)
				}
			}
		})
	}
}

// verdicts are those of mutants by id. Which test fails first, by an assertion or
// a panic, may depend on how long tests take: what kills is one verdict.
func verdicts(results []mutate.MutantResult) map[string]string {
	all := make(map[string]string)
	for _, r := range results {
		all[r.Mutant.ID] = string(r.Verdict)
		if r.Killed() {
			all[r.Mutant.ID] = "killed"
		}
	}
	return all
}

// reference judges a mutant by go test in a copy of the tree.
func reference(t *testing.T, g mutate.Generation, r mutate.MutantResult) (killed bool, said string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, copy.Copy(g.Dir, dir))
	m := r.Mutant
	name, err := filepath.Rel(g.Dir, m.File.Name)
	require.NoError(t, err)
	text := string(m.File.Text[:m.Start]) + m.New + string(m.File.Text[m.End:])
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), withoutUnused(t, text), 0o644))
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-vet=off", "-timeout=2m"}, g.Suites...)...)
	cmd.Dir, cmd.Env = dir, g.Env
	out, err := cmd.CombinedOutput()
	return err != nil, string(out)
}

// withoutUnused is a file of which a change may have left imports unused, which
// is no reason for it not to be tried.
func withoutUnused(t *testing.T, text string) []byte {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments)
	require.NoError(t, err, "%s", text)
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		if !astutil.UsesImport(file, path) {
			spec.Name = ast.NewIdent("_")
		}
	}
	var b bytes.Buffer
	require.NoError(t, format.Node(&b, files, file))
	return b.Bytes()
}

// seedOfCommit is another one for each commit, and the same wherever that is
// tested. Of what is no repository there is one.
func seedOfCommit(t *testing.T) uint64 {
	commit, err := exec.CommandContext(t.Context(), "git", "rev-parse", "HEAD").Output()
	if err != nil {
		commit = nil
	}
	sum := sha256.Sum256(commit)
	return binary.BigEndian.Uint64(sum[:])
}

// A change that leaves an import unused is tried nevertheless, and so it is by
// the reference.
func TestReferenceOfAnUnusedImport(t *testing.T) {
	text := "package p\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\nvar X = fmt.Sprint()\n"
	require.Equal(t, strings.Replace(text, "\t\"errors\"", "\t_ \"errors\"", 1), string(withoutUnused(t, text)))
}

// The same seed draws the same; another mostly not.
func TestSample(t *testing.T) {
	g := shelf(t)
	g.Suites, g.Sample, g.Steady = []string{"./suites"}, 5, 0
	drawn := func(seed uint64) (ids []string) {
		g.Seed = seed
		got, err := mutate.Generate(t.Context(), g)
		require.NoError(t, err)
		for _, r := range got.Results {
			ids = append(ids, r.Mutant.ID)
		}
		require.Len(t, ids, 5-got.NotViable)
		return ids
	}
	first := drawn(1)
	require.Equal(t, first, drawn(1))
	require.NotEqual(t, first, drawn(2))
}

// Once it is stopped no mutant is begun, and one that was is judged to the end:
// the first suite misses the tag, and is stopped before it is asked of others.
func TestStop(t *testing.T) {
	g := shelf(t)
	stop, results := make(chan struct{}), 0
	g.Jobs, g.Stop = 1, stop
	g.Show = func(mutate.MutantResult, int) {
		if results++; results == 2 {
			close(stop)
		}
	}
	got, err := mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	all := byID(got.Results)
	require.Equal(t, mutate.Caught, all["Book/tag-renamed"][0].Verdict)
	require.Equal(t, "example.org/shelf/suites TestEncode", all["Book/tag-renamed"][0].Test)
	require.Empty(t, all["Shelf.Encode/arithmetic"])
	require.NotZero(t, got.Left)
	require.Equal(t, results, len(got.Results))

	g.Show = nil // and it is stopped still
	got, err = mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	require.Empty(t, got.Results)
}

// What is known is not drawn: it takes longest, and tells nothing new.
func TestKnownIsNotDrawn(t *testing.T) {
	g := shelf(t)
	g.Suites, g.Steady, g.Sample = []string{"./suites"}, 0, 4
	got, err := mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	require.NotEmpty(t, got.Results)
	for _, r := range got.Results {
		g.Known = append(g.Known, mutate.Known{ID: r.Mutant.ID, Reason: "for a reason"})
	}
	got, err = mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	require.NotEmpty(t, got.Results)
	require.Empty(t, got.Gone)
	for _, r := range got.Results {
		require.Empty(t, r.Known, r.Mutant.ID)
	}
}

// Two runs at once have nothing in common, and leave nothing.
func TestGenerateTwoAtOnce(t *testing.T) {
	g := shelf(t)
	t.Setenv("TMPDIR", shortDir(t))
	g.Env = append(g.Env, "TMPDIR="+os.Getenv("TMPDIR"))
	g.Sample = 12
	done := make(chan []mutate.MutantResult, 2)
	for range cap(done) {
		go func() {
			got, err := mutate.Generate(t.Context(), g)
			if err != nil {
				t.Error(err)
			}
			done <- got.Results
		}()
	}
	one, other := <-done, <-done
	require.NotEmpty(t, one)
	require.Equal(t, verdicts(one), verdicts(other))
	requireNothingLeft(t)
}

// A run that is ended leaves no folder, and nothing that runs.
func TestGenerateInterrupted(t *testing.T) {
	g := shelf(t)
	t.Setenv("TMPDIR", shortDir(t))
	pids := filepath.Join(t.TempDir(), "pids")
	sleeps := fmt.Sprintf("package shelf_test\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"strconv\"\n\t\"testing\"\n)\n\nfunc TestSleeps(t *testing.T) {\n\tcmd := exec.Command(\"sleep\", \"1000\")\n\tcmd.Start()\n\tos.WriteFile(%q, []byte(strconv.Itoa(cmd.Process.Pid)+\"\\n\"), 0o644)\n\tcmd.Wait()\n}\n", pids)
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "sleeps_test.go"), []byte(sleeps), 0o644))
	interrupt(t, pids, func(ctx context.Context) error {
		_, err := mutate.Generate(ctx, g)
		return err
	})
}

// What is known has to be there, and to survive.
func TestKnown(t *testing.T) {
	g := shelf(t)
	all, err := mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	var survivor, caught string
	for _, r := range all.Results {
		require.Equal(t, !r.Killed(), r.Bad(), r.Mutant.ID)
		if r.Verdict == mutate.Survived {
			survivor = r.Mutant.ID
		}
		if r.Verdict == mutate.Caught {
			caught = r.Mutant.ID
		}
	}
	g.Known = []mutate.Known{{survivor, "for a reason"}, {caught, "for none"}, {"Gone/constant/00000000/1", "was there"}}
	g.IDs = []string{survivor, caught}
	got, err := mutate.Generate(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, g.Known[2:], got.Gone)
	require.Len(t, got.Results, 2)
	for _, r := range got.Results {
		require.Equal(t, r.Mutant.ID == caught, r.Bad(), "%s: %s", r.Mutant.ID, r.Verdict)
	}
}

// An id is that of the text, not of the line.
func TestIDsStay(t *testing.T) {
	g := shelf(t)
	g.Suites, g.Steady, g.Sample = []string{"./suites"}, 0, 20
	ids := func() (all []string) {
		got, err := mutate.Generate(t.Context(), g)
		require.NoError(t, err)
		for _, r := range got.Results {
			all = append(all, r.Mutant.ID)
		}
		slices.Sort(all)
		return all
	}
	before := ids()
	file := filepath.Join(g.Dir, "shelf.go")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	moved := strings.Replace(string(text), "// Most is", "\n\n// A line more.\n\n// Most is", 1)
	require.NoError(t, os.WriteFile(file, []byte(moved), 0o644))
	require.Equal(t, before, ids())
}

// Where the tree itself is not steady nothing is judged.
func TestUnsteady(t *testing.T) {
	g := shelf(t)
	count := filepath.Join(t.TempDir(), "count")
	flaky := fmt.Sprintf("package shelf_test\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestNow(t *testing.T) {\n\tdata, _ := os.ReadFile(%q)\n\tos.WriteFile(%[1]q, append(data, '.'), 0o644)\n\tif len(data) == 2 {\n\t\tt.Error(\"the third time\")\n\t}\n}\n", count)
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "flaky_test.go"), []byte(flaky), 0o644))
	g.Steady = 10
	got, err := mutate.Generate(t.Context(), g)
	var unsteady *mutate.UnsteadyError
	require.ErrorAs(t, err, &unsteady)
	require.Equal(t, "TestNow", unsteady.Test)
	require.Equal(t, 3, unsteady.Run)
	require.Empty(t, got.Results)
}

func TestLedger(t *testing.T) {
	file := filepath.Join(t.TempDir(), mutate.Ledger)
	got, err := mutate.ReadLedger(file)
	require.NoError(t, err)
	require.Empty(t, got)
	for _, c := range []struct{ text, want string }{
		{"[[survivor]]\nid = \"a\"\nreason = \"r\"\n", ""},
		{"[[survivor]]\nid = \"a\"\n", "survivor 1: want an id and a reason"},
		{"[[survivor]]\nid = \"a\"\nreason = \" \"\n", "survivor 1: want an id and a reason"},
		{"[[survivor]]\nid = \"a\"\nreason = \"r\"\n[[survivor]]\nid = \"a\"\nreason = \"r\"\n", `survivor "a" stands there twice`},
		{"[[survivor]]\nid = \"a\"\nwhy = \"r\"\n", ":3:1: survivor.why: unknown key"},
		{"[[survivor]\n", ":1:"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o644))
		got, err := mutate.ReadLedger(file)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, []mutate.Known{{"a", "r"}}, got)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}
