package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The example of the README is run as it is written: the named blocks are the
// files of a project, the console blocks are typed, and what they show is what
// is printed.
func TestReadme(t *testing.T) {
	requireTmux(t)
	follow(t, t.TempDir(), "README.md")
}

// How a release was cut is done once more, in a clone at its commit.
func TestAddingARelease(t *testing.T) {
	requireTmux(t)
	const page = "docs/adding-a-release.md"
	if _, err := os.Stat("../../.git"); err != nil && os.Getenv("PERMAFROST_CHECK") == "" {
		t.Skip("a source archive has no history to clone")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	require.NoError(t, err)
	released := regexp.MustCompile(`--commit ([0-9a-f]+)`).FindSubmatch(text)
	require.NotNil(t, released)
	// Each command has a HOME of its own, in which go would build all anew.
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		t.Setenv(name, strings.TrimSpace(string(value)))
	}
	dir := filepath.Join(t.TempDir(), "clone")
	for _, args := range [][]string{{"clone", "-q", "--no-checkout", "../..", dir}, {"-C", dir, "checkout", "-q", "-B", "main", string(released[1])}} {
		out, err := exec.Command("git", args...).CombinedOutput()
		require.NoError(t, err, "git %q: %s", args, out)
	}
	follow(t, dir, page)
}

// follow does in dir what a page of this repository says, in its order.
func follow(t *testing.T, dir, page string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(page)))
	require.NoError(t, err)
	sessions := 0
	for _, m := range regexp.MustCompile("(?ms)^(?:`([^`\n]+)`\n\n```[a-z]*|```console)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] != "" {
			file := filepath.Join(dir, filepath.FromSlash(m[1]))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(m[2]), 0o755))
			continue
		}
		sessions++
		if diff := cmp.Diff(m[2], replay(t, dir, m[2])); diff != "" {
			t.Errorf("%s, console (-written +real):\n%s", page, diff)
		}
	}
	require.NotZero(t, sessions)
}

// replay types the commands of a session and returns it with what they
// printed on standard output. How many digits git abbreviates an id to depends
// on how many objects it has packed: here they are more than usual, so that a
// page that shows such an id fails.
func replay(t *testing.T, dir, session string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out.WriteString(line)
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PERMAFROST_CACHE="+filepath.Join(dir, ".git", "kept builds"),
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.abbrev", "GIT_CONFIG_VALUE_0=12", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil {
			require.ErrorAs(t, err, &exit, "%s", command)
			require.Empty(t, stderr.String(), "%s", command) // diff exits 1 and says nothing else
		}
	}
	return out.String()
}

// So is the example of how fixtures are read back.
func TestReading(t *testing.T) {
	requireTmux(t)
	follow(t, t.TempDir(), "docs/reading.md")
}

// So are a first project and its two releases, and a full-screen program.
func TestTutorial(t *testing.T) {
	requireTmux(t)
	follow(t, t.TempDir(), "docs/tutorial.md")
}

func TestFullScreen(t *testing.T) {
	requireTmux(t)
	follow(t, t.TempDir(), "docs/full-screen.md")
}
