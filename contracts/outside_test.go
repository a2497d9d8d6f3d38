package contracts_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"github.com/freeze-contracts/permafrost/contracts"
)

// outside is the folder of a module of its own that requires this one, as that
// of a project does that freezes its own program. The suites under testdata are
// its tests. It is filled when it is first asked for.
var outside string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if outside, err = os.MkdirTemp("", "outside"); err != nil {
			panic(err)
		}
		fixtures, err := filepath.Abs("testdata/jot/fixtures")
		if err != nil {
			panic(err)
		}
		// For the tests that call Each themselves.
		os.Setenv(contracts.FixturesEnv, fixtures)
		defer os.RemoveAll(outside)
		return m.Run()
	}())
}

const modulePath = "github.com/freeze-contracts/permafrost"

// buildOutside makes the test binaries of the outside module.
var buildOutside = sync.OnceValue(func() error {
	err := errors.Join(requireThis(), copySuite("jot", "notes_test.go"), copySuite("odd", "odd_test.go"),
		os.CopyFS(filepath.Join(outside, "jot", "fixtures"), os.DirFS("testdata/jot/fixtures")),
		copyScenarios(filepath.Join(outside, "odd", "fixtures"), "add", "killed"))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-c", "-o", filepath.Join(outside, "bin")+"/", "./jot", "./odd")
	cmd.Dir = outside
	// Nothing may be fetched: what this module needs is there. Nobody debugs it
	// (-w), unless the caller links in a way of his own.
	cmd.Env = append(os.Environ(), "GOFLAGS=-ldflags=-w "+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return nil
})

// requireThis makes a go.mod of this module's requirements, and this module.
func requireThis() error {
	checkout, pathErr := filepath.Abs("..")
	mod, modErr := os.ReadFile("../go.mod")
	sum, sumErr := os.ReadFile("../go.sum")
	text := strings.Replace(string(mod), "module "+modulePath, "module example.org/jot", 1) +
		"\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + modfile.AutoQuote(checkout) + "\n"
	return errors.Join(pathErr, modErr, sumErr,
		os.WriteFile(filepath.Join(outside, "go.mod"), []byte(text), 0o644),
		os.WriteFile(filepath.Join(outside, "go.sum"), sum, 0o644))
}

func copySuite(pkg, file string) error {
	src, err := os.ReadFile(filepath.Join("testdata", pkg, file))
	return errors.Join(err, os.Mkdir(filepath.Join(outside, pkg), 0o755),
		os.WriteFile(filepath.Join(outside, pkg, file), src, 0o644))
}

// suite is the test binary of a package of the outside module, to be run as go
// test runs it.
func suite(t *testing.T, pkg string, args ...string) *exec.Cmd {
	t.Helper()
	require.NoError(t, buildOutside())
	cmd := exec.CommandContext(t.Context(), filepath.Join(outside, "bin", pkg+".test"), args...)
	cmd.Dir = filepath.Join(outside, pkg)
	cmd.Env = append(os.Environ(), "TZ=UTC", "HOME="+t.TempDir(), contracts.FixturesEnv+"=")
	cmd.WaitDelay = time.Second
	return cmd
}

// run runs a suite and returns its output and exit status.
func run(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), exit.ExitCode()
	}
	require.NoError(t, err, "%s", &out)
	return out.String(), 0
}

func TestSuiteOfAnotherModule(t *testing.T) {
	out, code := run(t, suite(t, "jot", "-test.v"))
	require.Zero(t, code, out)
	require.Contains(t, out, "--- PASS: TestNotes/v1.1.0/upgrade")
	require.NotContains(t, out, "SKIP")
}
