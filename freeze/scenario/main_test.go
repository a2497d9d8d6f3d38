package scenario_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/internal/subjects"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	sandbox.Main(scenario.Role())
	// These tests wait more than they work. A -parallel of the command line wins.
	flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

// need skips the test where a program of the machine is missing, and fails it
// where nothing may be.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		} else if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		} else {
			t.Skip(err)
		}
	}
}

// subject is a subject of internal/subjects with its releases built.
type subject struct {
	config    settings
	builds    map[string]string
	scenarios map[string]*scenario.Scenario
}

// settings is what a run needs of a freeze.toml.
type settings struct {
	Provider struct{ Build []string }
	Box      struct {
		Tools []string
		Tmux  bool
		Env   map[string]string
	}
	Family map[string]struct{ Roots []string }
}

var versions = []string{"v1.0.0", "v1.1.0"}

func makeSubject(t testing.TB, name string) *subject {
	t.Helper()
	need(t, "tmux", "git")
	repo := subjects.Make(t, name)
	data, err := os.ReadFile(filepath.Join(repo, "freeze.toml"))
	require.NoError(t, err)
	s := &subject{builds: make(map[string]string), scenarios: make(map[string]*scenario.Scenario)}
	require.NoError(t, toml.Unmarshal(data, &s.config))
	for _, v := range versions {
		s.builds[v] = s.build(t, repo, v)
	}
	all, err := scenario.Load(filepath.Join(repo, "fixtures", "scenarios"))
	require.NoError(t, err)
	for _, sc := range all {
		s.scenarios[sc.Name] = sc
	}
	return s
}

// build runs the build command of freeze.toml on the tree of a release.
func (s *subject) build(t testing.TB, repo, version string) string {
	t.Helper()
	src, bin := t.TempDir(), t.TempDir()
	archive := exec.Command("git", "-C", repo, "archive", version)
	untar := exec.Command("tar", "-x", "-C", src)
	pipe, err := archive.StdoutPipe()
	require.NoError(t, err)
	untar.Stdin = pipe
	require.NoError(t, archive.Start())
	require.NoError(t, untar.Run())
	require.NoError(t, archive.Wait())
	var args []string
	for _, a := range s.config.Provider.Build {
		args = append(args, strings.ReplaceAll(a, "{bin}", bin))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = src
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return bin
}

// spec is a run of one of the subject's scenarios.
func (s *subject) spec(t testing.TB, name, version string) scenario.Spec {
	t.Helper()
	sc := s.scenarios[name]
	require.NotNil(t, sc, name)
	var roots []string
	for _, r := range s.config.Family[sc.Family].Roots {
		roots = append(roots, strings.NewReplacer("{home}", "home", "{project}", "project").Replace(r))
	}
	return scenario.Spec{
		Scenario: sc, Version: version, Roots: roots, Builds: s.builds,
		Box: sandbox.Config{Root: sandbox.FreshRoot(8), Tools: s.config.Box.Tools, Tmux: s.config.Box.Tmux, Env: s.config.Box.Env},
	}
}

// text replaces the script of a spec.
func (s *subject) text(t testing.TB, version, text string) scenario.Spec {
	t.Helper()
	var family string
	for f := range s.config.Family {
		family = f
	}
	all, err := scenario.Load(write(t, family+"/one.txtar", text))
	require.NoError(t, err)
	s2 := &subject{config: s.config, builds: s.builds, scenarios: map[string]*scenario.Scenario{"one": all[0]}}
	return s2.spec(t, "one", version)
}

// run requires that the run succeeds and leaves no box.
func run(t testing.TB, spec scenario.Spec) *scenario.Result {
	t.Helper()
	res, err := scenario.Run(t.Context(), spec)
	require.NoError(t, err)
	require.NoDirExists(t, spec.Box.Root)
	return res
}

// runFails requires that the run fails, and leaves no box either.
func runFails(t testing.TB, ctx context.Context, spec scenario.Spec) error {
	t.Helper()
	_, err := scenario.Run(ctx, spec)
	require.Error(t, err)
	require.NoDirExists(t, spec.Box.Root)
	return err
}
