package cut_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/internal/subjects"
	"github.com/freeze-contracts/permafrost/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(scenario.Role())
	os.Exit(m.Run())
}

// session is what each scenario of the benchmarks does.
var session = []string{
	"git init -q -b main",
	"git add .",
	"git commit -q -m first",
	"jot init",
	"jot add one",
	"jot add two",
	"jot add three",
	"jot tree draft",
	"jot list --json",
}

const scenarios = 8

// BenchmarkAgain freezes a release again, one box a scenario, and BenchmarkCut
// cuts it, three boxes a scenario, with programs that are built already. Each
// is measured against the same commands run bare, one after another, in the
// same iteration: x-bare is the ratio.
func BenchmarkAgain(b *testing.B) {
	p := benchProject(b)
	freeze(b, p)
	compare(b, p, func() { freeze(b, p) })
}

func BenchmarkCut(b *testing.B) {
	p := benchProject(b)
	freeze(b, p)
	compare(b, p, func() {
		require.NoError(b, os.RemoveAll(filepath.Join(p.Fixtures, "notes")))
		freeze(b, p)
	})
}

func compare(b *testing.B, p *cut.Project, measured func()) {
	var frozen, bare time.Duration
	for b.Loop() {
		began := time.Now()
		measured()
		frozen += time.Since(began)
		b.StopTimer()
		began = time.Now()
		for range scenarios {
			runBare(b, p)
		}
		bare += time.Since(began)
		b.StartTimer()
	}
	b.ReportMetric(frozen.Seconds()/bare.Seconds(), "x-bare")
	b.ReportMetric(bare.Seconds()*1000/float64(b.N), "bare-ms/op")
}

// benchProject is the shell subject with scenarios of one length.
func benchProject(b *testing.B) *cut.Project {
	b.Helper()
	repo := subjects.Make(b, "shell")
	dir := filepath.Join(repo, "fixtures", "scenarios", "notes")
	require.NoError(b, os.RemoveAll(dir))
	require.NoError(b, os.Mkdir(dir, 0o777))
	script := "exec " + strings.Join(session, "\nexec ") + "\n-- note.md --\nA note.\n"
	for i := range scenarios {
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("s%d.txtar", i)), []byte(script), 0o666))
	}
	p, err := cut.Open(filepath.Join(repo, "freeze.toml"), os.Environ(), b.TempDir())
	require.NoError(b, err)
	return p
}

func freeze(b *testing.B, p *cut.Project) {
	b.Helper()
	report, err := p.Freeze(b.Context(), cut.Request{Versions: []string{"v1.0.0"}}, func(cut.Event) {})
	require.NoError(b, err)
	require.NoError(b, report.Err())
}

// runBare runs a session without a box, as a person at a terminal would.
func runBare(b *testing.B, p *cut.Project) {
	b.Helper()
	home := b.TempDir()
	work := filepath.Join(home, "project")
	require.NoError(b, os.Mkdir(work, 0o777))
	require.NoError(b, os.WriteFile(filepath.Join(work, "note.md"), []byte("A note.\n"), 0o666))
	bin := filepath.Join(home, "bin")
	require.NoError(b, os.Mkdir(bin, 0o777))
	program, err := os.ReadFile(filepath.Join(p.Config.Dir, "jot"))
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(filepath.Join(bin, "jot"), program, 0o777))
	for _, line := range session {
		args := strings.Fields(line)
		cmd := exec.Command(args[0], args[1:]...)
		if args[0] == "jot" {
			cmd.Path, cmd.Err = filepath.Join(bin, "jot"), nil
		}
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, "%s: %s", line, out)
	}
}
