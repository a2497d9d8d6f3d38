package cli_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// manual is a transcript of the manual, and the box that it is played in.
type manual struct {
	crash
	written, real []string // ids, in the order of their appearance
}

var (
	anyID  = regexp.MustCompile(`\b([0-9a-f]{32}|[0-9a-f]{12})\b`)
	anyDay = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`)
	typed  = regexp.MustCompile(`^stint session attach (\S+) +# type: (.*?)  and leave by C-b d$`)
)

// What the manual begins with is typed as it is written, and shows what is
// written, but for ids, times and the place.
func TestManualInFiveMinutes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/stint.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```console\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		m := manual{crash: newCrash(t), written: appear(nil, block[1])}
		m.must("rm -r .stint; git rm -q stint.toml; git commit -qm two")
		var got strings.Builder
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				got.WriteString(line + m.play(strings.TrimSpace(command)))
			}
		}
		if diff := cmp.Diff(anyDay.ReplaceAllString(block[1], "TIME"), anyDay.ReplaceAllString(got.String(), "TIME")); diff != "" {
			t.Errorf("docs/stint.md (-written +real)\n%s", diff)
		}
	}
}

func appear(ids []string, text string) []string {
	for _, id := range anyID.FindAllString(text, -1) {
		if !strings.Contains(strings.Join(ids, " "), id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// play runs a command of the transcript and returns what it printed, in the
// transcript's ids and places.
func (m *manual) play(command string) string {
	m.Helper()
	for i, id := range m.real {
		command = strings.ReplaceAll(command, m.written[i], id)
	}
	if match := typed.FindStringSubmatch(command); match != nil {
		m.visit(match[1], match[2])
		return ""
	}
	out := m.must(command)
	m.real = appear(m.real, out)
	require.LessOrEqual(m, len(m.real), len(m.written), out)
	for i, id := range m.real {
		out = strings.ReplaceAll(out, id, m.written[i])
	}
	out = strings.NewReplacer(m.box.Project()+"/repo", "/home/me/my-repository", m.box.Home(), "/home/me").Replace(out)
	if out != "" {
		out += "\n"
	}
	return out
}

// visit types a line into a session and waits for what it does.
func (m *manual) visit(session, line string) {
	m.Helper()
	m.must("tmux send-keys -t =stint-" + session + ": '" + line + "' Enter")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if m.must("cat \"$XDG_STATE_HOME\"/stint/projects/*/workspaces/"+session+"/worktree/hello.txt 2>&1 || true") == "hello" {
			return
		}
		require.True(m, time.Now().Before(deadline), "nothing comes of %q", line)
	}
}
