package read_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/internal/subjects"
	"github.com/freeze-contracts/permafrost/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(scenario.Role(), read.Role())
	if dir := os.Getenv(recordEnv); dir != "" {
		fmt.Fprintln(os.Stderr, recordForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// need skips where tmux is missing at a desk, and fails in make check.
func need(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// project is a subject whose two releases are frozen, with one scenario.
type project struct {
	t    *testing.T
	repo string
	env  []string
}

func frozen(t *testing.T, subject, family, story string) project {
	t.Helper()
	need(t)
	p := project{t, subjects.Make(t, subject), append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)}
	scripts, err := filepath.Glob(filepath.Join(p.repo, "fixtures", "scenarios", family, "*.txtar"))
	require.NoError(t, err)
	for _, file := range scripts {
		if filepath.Base(file) != story+".txtar" {
			require.NoError(t, os.Remove(file))
		}
	}
	p.edit("freeze.toml", func(text string) string { return text + "\n[read]\nscripts = \"readers\"\n" })
	report, err := p.open().Freeze(t.Context(), cut.Request{Versions: []string{"v1.0.0", "v1.1.0"}}, func(cut.Event) {})
	require.NoError(t, err)
	require.NoError(t, report.Err())
	return p
}

func (p project) open() *cut.Project {
	p.t.Helper()
	opened, err := cut.Open(filepath.Join(p.repo, "freeze.toml"), p.env, filepath.Join(p.repo, ".git", "builds"))
	require.NoError(p.t, err)
	return opened
}

// scripts makes these the project's reader scripts, by name.
func (p project) scripts(texts map[string]string) project {
	p.t.Helper()
	dir := filepath.Join(p.repo, "readers")
	require.NoError(p.t, os.RemoveAll(dir))
	require.NoError(p.t, os.Mkdir(dir, 0o755))
	for name, text := range texts {
		require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(text), 0o644))
	}
	return p
}

func (p project) edit(name string, change func(string) string) {
	p.t.Helper()
	file := filepath.Join(p.repo, name)
	data, err := os.ReadFile(file)
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(file, []byte(change(string(data))), 0o644))
}

// plant commits, under a name of its own, the program with text replaced.
func (p project) plant(name, program, text, by string) {
	p.t.Helper()
	p.edit(program, func(whole string) string {
		require.Contains(p.t, whole, text)
		return strings.Replace(whole, text, by, 1)
	})
	p.git("commit", "-q", "-m", name, "--", program)
	p.git("branch", name)
	p.git("reset", "-q", "--soft", "HEAD~1")
	p.git("checkout", "-q", "HEAD", "--", program)
}

func (p project) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	out, err := cmd.CombinedOutput()
	require.NoErrorf(p.t, err, "git %q: %s", args, out)
}

// read has somebody read, and leaves no box.
func (p project) read(req read.Request) *read.Report {
	p.t.Helper()
	report, err := read.Run(p.t.Context(), p.open(), req, func(cut.Event) {})
	require.NoError(p.t, err)
	boxes, err := sandbox.Boxes()
	require.NoError(p.t, err)
	for _, b := range boxes {
		require.NotEqual(p.t, os.Getpid(), b.Founder, "a box is left: %+v", b)
	}
	return report
}

// lines are the steps of a report as they are told.
func lines(r *read.Report) []string {
	var all []string
	for _, s := range r.Steps {
		all = append(all, s.String())
	}
	return all
}
