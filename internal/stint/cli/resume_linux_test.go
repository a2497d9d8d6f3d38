package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only the session's own conversation is resumed, and one that is open. What
// --fresh begins in its place is begun as any other, and is the one that is
// resumed next.
func TestRestartConversation(t *testing.T) {
	const name = `"provider_session": "[^"]*"`
	for _, test := range []struct {
		was, is string // of the document of the conversation
		why     string // conversation and session for %s
		other   bool   // the new one is another document
	}{
		{name + ",\n", "", "no conversation to resume: agent has not told by which name it knows it", false},
		{`"state": "open"`, `"state": "closed", "closed_at": "2026-01-01T00:00:00.000Z"`, "no conversation to resume: conversation %q is closed, or of another session or harness", true},
		{`"session": "[^"]*"`, `"session": "another"`, "no conversation to resume: conversation %q is closed, or of another session or harness", true},
		{`"harness": "agent"`, `"harness": "other"`, "no conversation to resume: conversation %q is closed, or of another session or harness", true},
		{`(?s).*`, "", "", false},
	} {
		d := newRotation(t, "TOKEN=first\n")
		id := d.open("sleep", "agent")
		files := d.conversations()
		require.Len(t, files, 1)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		edited := regexp.MustCompile(test.was).ReplaceAllString(string(text), test.is)
		require.NotEqual(t, string(text), edited, test.was)
		require.NoError(t, os.WriteFile(files[0], []byte(edited), 0o600))
		if edited == "" {
			require.NoError(t, os.Remove(files[0]))
			test.why = "it has no conversation to resume"
		}
		if strings.Contains(test.why, "%q") {
			test.why = fmt.Sprintf(test.why, strings.TrimSuffix(filepath.Base(files[0]), ".json"))
		}
		d.rotate("TOKEN=second\n")
		out, _ := d.stint(1, "session", "restart", id)
		require.Equal(t, "skipped "+test.why+"; --fresh begins a new one; it still runs on other values of TOKEN", rows(out)[id])
		out, _ = d.stint(0, "session", "restart", id, "--fresh")
		require.Equal(t, "restarted begun anew: "+test.why, rows(out)[id])

		starts := strings.SplitAfter(d.argv(id), "\n")
		require.Len(t, starts, 3)
		begun := regexp.MustCompile(`^--begin (\S{36})\n$`).FindStringSubmatch(starts[1])
		require.NotNil(t, begun, starts)
		require.NotContains(t, starts[0], begun[1])
		if test.other {
			require.Len(t, d.conversations(), 2)
			left, err := os.ReadFile(files[0])
			require.NoError(t, err)
			require.Equal(t, edited, string(left), "what was closed or another's is left alone")
		} else {
			require.Equal(t, files, d.conversations())
		}
		// It is the one that is resumed next, and that a checkpoint is of.
		d.rotate("TOKEN=third\n")
		out, _ = d.stint(0, "session", "restart", id)
		require.Equal(t, "restarted", rows(out)[id])
		require.Equal(t, "--resume "+begun[1]+"\n", strings.SplitAfter(d.argv(id), "\n")[2])
	}
}

// conversations are the documents of all of them.
func (d rotation) conversations() []string {
	d.Helper()
	files, err := filepath.Glob(filepath.Join(d.stateDir(), "conversations/*.json"))
	require.NoError(d, err)
	return files
}
