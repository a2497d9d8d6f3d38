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
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, m := range regexp.MustCompile("(?ms)^`([^`\n]+)`\n\n```[a-z]*\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1) {
		file := filepath.Join(dir, filepath.FromSlash(m[1]))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(m[2]), 0o755))
	}
	sessions := regexp.MustCompile("(?ms)^```console\n(.*?)^```$").FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, sessions)
	for _, s := range sessions {
		if diff := cmp.Diff(s[1], replay(t, dir, s[1])); diff != "" {
			t.Errorf("README.md, console (-written +real):\n%s", diff)
		}
	}
}

// replay types the commands of a session and returns it with what they
// printed on standard output.
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
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PERMAFROST_CACHE="+filepath.Join(dir, ".git", "cache"),
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
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
