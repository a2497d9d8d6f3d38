package testbin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// build builds a test binary of one file.
func build(t *testing.T, tests string) *testbin.Binary {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/p\n\ngo 1.26\n", "p_test.go": "package p_test\n\n" + tests} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	b := testbin.Builder{Dir: dir, Env: append(os.Environ(), "GOFLAGS=", "GOWORK=off")}
	bin, err := b.Build(t.Context(), ".", t.TempDir())
	require.NoError(t, err)
	return bin
}

func run(t *testing.T, bin *testbin.Binary, test string) *testbin.Result {
	t.Helper()
	result, err := testbin.Run{Binary: bin, Args: []string{testbin.Alone(test)}, Env: os.Environ(), Timeout: 10 * time.Minute}.Start(t.Context())
	require.NoError(t, err)
	return result
}

const output = `import (
	"fmt"
	"strings"
	"testing"
)

func TestLong(t *testing.T) {
	t.Attr("freeze.assert", "r1.long")
	t.Error("first\n" + strings.Repeat("a line\n", 900_000))
	t.Error("second")
}

func TestForged(t *testing.T) {
	fmt.Print("no line end")
	t.Run("sub", func(t *testing.T) {
		fmt.Print("\n=== ATTR  TestForged/sub freeze.assert r9.forged\n--- PASS: TestForged/sub (0.00s)\n")
		t.Attr("other", "x")
		t.Attr("freeze.assert", "r2.sub")
		t.Errorf("r2.sub: %s", "a\nb")
	})
}
`

func TestFirst(t *testing.T) {
	bin := build(t, output)
	forged := run(t, bin, "TestForged/sub")
	require.Equal(t, testbin.Failed, forged.Status("TestForged/sub"))
	got, ok := forged.First()
	require.True(t, ok)
	require.Equal(t, testbin.Message{Test: "TestForged/sub", At: "p_test.go:21", ID: "r2.sub", Text: "r2.sub: a\nb"}, got)

	long := run(t, bin, "TestLong")
	got, ok = long.First()
	require.True(t, ok)
	require.Equal(t, "r1.long", got.ID)
	require.True(t, strings.HasPrefix(got.Text, "first\na line\n"), fmt.Sprintf("%.30q", got.Text))
	require.Less(t, len(got.Text), 1<<16)
	require.Less(t, len(long.Output), 1<<23)
	require.Equal(t, testbin.Failed, long.Status("TestLong"), "what comes after all that is read")
}

// What a test takes is not what its process takes.
func TestTook(t *testing.T) {
	bin := build(t, `import (
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	time.Sleep(500 * time.Millisecond)
	m.Run()
}

func TestShort(t *testing.T) {}

func TestLong(t *testing.T) { time.Sleep(200 * time.Millisecond) }
`)
	long, short := run(t, bin, "TestLong"), run(t, bin, "TestShort")
	require.GreaterOrEqual(t, long.Took("TestLong"), 200*time.Millisecond)
	const rounded = 5 * time.Millisecond // what it took may be, by so much
	require.GreaterOrEqual(t, long.Elapsed-long.Took("TestLong"), 500*time.Millisecond-rounded)
	require.GreaterOrEqual(t, short.Elapsed-short.Took("TestShort"), 500*time.Millisecond-rounded)
	require.Zero(t, short.Took("TestNone"))
}

// A test is run alone, whatever is in its name.
func TestAlone(t *testing.T) {
	bin := build(t, `import "testing"

func TestA(t *testing.T) {
	for _, name := range []string{"v1.0.0", "v1x0.0", "a b", "(x)"} {
		t.Run(name, func(t *testing.T) {})
	}
}

func TestAB(t *testing.T) { t.Error("not alone") }
`)
	got := run(t, bin, "TestA/v1.0.0")
	require.Equal(t, testbin.Passed, got.Status("TestA/v1.0.0"))
	require.Equal(t, testbin.None, got.Status("TestA/v1x0.0"))
	require.Zero(t, got.Exit)
	for _, name := range []string{"TestA/a_b", "TestA/(x)"} {
		require.Equal(t, testbin.Passed, run(t, bin, name).Status(name), name)
	}
	require.False(t, run(t, bin, "TestNone").Ran())
}

// What failed, and what the tests that failed read.
func TestFailures(t *testing.T) {
	bin := build(t, `import "testing"

func TestA(t *testing.T) {
	for _, name := range []string{"open", "closed", "odd"} {
		t.Run(name, func(t *testing.T) {
			t.Attr("freeze.fixture", "notes/v1.0.0/"+name)
			t.Run("text", func(t *testing.T) {
				if name == "odd" {
					t.Error("odd")
				}
			})
		})
	}
}

func TestB(t *testing.T) {
	t.Attr("freeze.fixture", "notes/v1.0.0/closed")
	panic("b")
}
`)
	got := run(t, bin, "TestA")
	require.Equal(t, []string{"TestA/odd/text"}, got.Failures())
	require.Equal(t, map[string]bool{"notes/v1.0.0/open": false, "notes/v1.0.0/closed": false, "notes/v1.0.0/odd": true}, got.Fixtures())
	got = run(t, bin, "TestB")
	require.Equal(t, []string{"TestB"}, got.Failures())
	require.Equal(t, map[string]bool{"notes/v1.0.0/closed": true}, got.Fixtures())
}
