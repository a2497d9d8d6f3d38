package runner

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// The id in a name is drawn by lot, so no story can have it taken.
func TestFreeName(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, document.Write(filepath.Join(dir, "sessions", "ours", "session.json"), []byte("{"), 0o600))
	state, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { state.Close() })
	r := &Runner{state: state}
	pane := func(session, mark string) tmux.Marked {
		return tmux.Marked{Pane: tmux.Pane{Session: session}, Mark: mark}
	}
	for _, test := range []struct {
		name  string
		panes []tmux.Marked
		want  string // empty: refused
	}{
		{"free", nil, "stint-a"},
		{"others that begin alike", []tmux.Marked{pane("stint-a0", ""), pane("stint-", ""), pane("stint", "")}, "stint-a"},
		{"taken", []tmux.Marked{pane("x", ""), pane("stint-a", "")}, "stint-a-00112233"},
		{"taken by another project", []tmux.Marked{pane("stint-a", "theirs")}, "stint-a-00112233"},
		{"both taken", []tmux.Marked{pane("stint-a", "theirs"), pane("stint-a-00112233", "")}, ""},
		{"taken by a session whose document does not read", []tmux.Marked{pane("stint-a", "ours")}, ""},
		{"that one under another name", []tmux.Marked{pane("x", "ours")}, "stint-a"},
		{"a mark that is no id", []tmux.Marked{pane("stint-a", "../sessions/ours")}, "stint-a-00112233"},
	} {
		got, err := r.freeName([]string{"stint-a", "stint-a-00112233"}, test.panes)
		if (err != nil) != (test.want == "") {
			t.Errorf("%s: freeName: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: freeName (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestNewID(t *testing.T) {
	seen := make(map[string]bool)
	for range 1000 {
		id := newID()
		if !readers.ID(id) || len(id) != 12 || seen[id] {
			t.Fatalf("newID() = %q", id)
		}
		seen[id] = true
	}
}

func TestNewUUID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := make(map[string]bool)
	for range 1000 {
		id := newUUID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("newUUID() = %q", id)
		}
		seen[id] = true
	}
}

func TestInteractive(t *testing.T) {
	const id = "0b9f8a36-2c1d-4e5f-8a7b-6c5d4e3f2a1b"
	for _, test := range []struct {
		name, prompt string
		harness      project.Harness
		want         []string
	}{
		{"claude", "", known("claude"), []string{"/x", "--session-id", id}},
		{"claude", "say {conversation}", known("claude"), []string{"/x", "--session-id", id, "--", "say {conversation}"}},
		{"codex", "-x", known("codex"), []string{"/x", "--", "-x"}},
		{"sh", "", known("sh"), []string{"/x"}},
		{"described", "p", project.Harness{Begin: []string{"--id={conversation}"}, Prompt: []string{"--say={prompt}", "{prompt}"}}, []string{"/x", "--id=" + id, "--say=p", "p"}},
	} {
		test.harness.Command = []string{"/x"}
		got, err := interactive(test.name, test.harness, id, test.prompt)
		require.NoError(t, err)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %q (-want +got)\n%s", test.name, test.prompt, diff)
		}
	}
}
