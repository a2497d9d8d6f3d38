package sessions_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/readers"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
)

// talkDamages are the ways in which the document of a conversation is not what
// a release wrote.
var talkDamages = []struct{ name, pattern, to, want string }{
	{"newer", `"schema": \d+`, `"schema": 999`, "newer: 999"},
	{"empty", `(?s)\A.*\z`, ``, "corrupt at ."},
	{"text", `\A{`, `[`, "corrupt at ."},
	{"duplicate-schema", `"schema": \d+,`, `${0}${0}`, "corrupt at schema"},
	{"duplicate-id", `"id": "\w+",`, `${0}${0}`, "corrupt at id"},
	{"duplicate-runs", `(?s)"runs": \[.*?\]`, `${0},${0}`, "corrupt at runs"},
	{"other-case", `"state":`, `"State":`, "corrupt at state"},
	{"unknown-state", `"state": "\w+"`, `"state": "odd"`, "corrupt at state"},
	{"no-state", `"state": "\w+",`, ``, "corrupt at state"},
	{"no-harness", `"harness": "\w+",`, ``, "corrupt at harness"},
	{"state-type", `"state": "\w+"`, `"state": 1`, "corrupt at state"},
	{"revision-zero", `"revision": \d+`, `"revision": 0`, "corrupt at revision"},
	{"runs-type", `(?s)"runs": \[.*?\]`, `"runs": "none"`, "corrupt at runs"},
	{"run-path", `(?s)"runs": \[.*?\]`, `"runs": ["../other"]`, "corrupt at 0"},
	{"session-path", `"session": "`, `"session": "../`, "corrupt at session"},
	{"time-type", `"created_at": "[^"]+"`, `"created_at": 1796047257`, "corrupt at created_at"},
	{"time-text", `"updated_at": "[^"]+"`, `"updated_at": "yesterday"`, "corrupt at updated_at"},
	{"id-path", `"id": "\w+"`, `"id": "../other"`, "corrupt at id"},
	{"id-other", `"id": "\w+"`, `"id": "ab"`, "corrupt at id"},
	{"project", `"project_id": "\w+"`, `"project_id": "00112233445566778899aabbccddeeff"`, "bound elsewhere: project_id"},
}

// A conversation that does not read is refused by name, stays as it is, and
// hides no other one.
func TestConversationDamage(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !talked(t, f) {
			return
		}
		th := thaw(t, f)
		r := stint(t, f, th)
		ids := []string{other}
		eachTalk(t, f, func(_ made, id string) { ids = append(ids, id) })
		eachTalk(t, f, func(m made, id string) {
			name, frozen := th.Path(talkOf(t, th, id)), storedTalk(t, th, id)
			require.NoError(t, os.WriteFile(th.Path(talkOf(t, th, other)), bytes.ReplaceAll(frozen, []byte(id), []byte(other)), 0o600))
			f.Settle(t)
			spoilt := func(what, want string, b []byte) {
				t.Helper()
				require.NoError(t, os.WriteFile(name, b, 0o600))
				talkRefused(t, f, r, ids, id, "r19.conversation."+what, want)
				f.Equal(t, "r19.conversation."+what+".bytes", content(t, name), string(b))
			}
			for _, d := range talkDamages {
				spoilt(d.name, d.want, spoil(t, frozen, d.pattern, d.to))
			}
			flipped := map[bool]string{true: `"state": "open"`, false: `"state": "closed"`}[m.talk == "closed"]
			spoilt("closed_at", "corrupt at closed_at", spoil(t, frozen, `"state": "\w+"`, flipped))
			require.NoError(t, os.Truncate(name, readers.MaxDocument+1))
			talkRefused(t, f, r, ids, id, "r19.conversation.larger", "too large")
			f.Equal(t, "r19.conversation.larger.size", size(t, name), int64(readers.MaxDocument+1))
			require.NoError(t, os.WriteFile(name, frozen, 0o600))
			f.Unchanged(t, talkOf(t, th, id))
			aside := th.Path("home/aside")
			require.NoError(t, os.Rename(name, aside))
			require.NoError(t, os.Symlink(rel(t, filepath.Dir(name), aside), name))
			f.Settle(t)
			talkRefused(t, f, r, ids, id, "r19.conversation.symlink", "not regular")
			f.Unchanged(t)
			require.NoError(t, os.Rename(aside, name))
		})
	})
}

// talkRefused asserts by what name one conversation of those with the ids is
// refused by all that is done with one, and that the other ones are still listed.
func talkRefused(t *testing.T, f *contracts.Fixture, r *runner.Runner, ids []string, id, assert, want string) {
	t.Helper()
	docs, skipped, err := r.Conversations.Documents()
	require.NoError(t, err)
	listed, others := make(map[string]bool), make(map[string]bool)
	for _, c := range docs {
		listed[c.ID] = true
	}
	for _, beside := range ids {
		if beside != id {
			others[beside] = true
		}
	}
	f.Equal(t, assert+".skipped", refusals(skipped), map[string]string{path.Join(r.Project.StateDir, "conversations", id+".json"): want})
	f.Equal(t, assert+".others", listed, others)
	_, err = r.Conversations.Get(id)
	f.Equal(t, assert+".show", named(err), want)
	_, _, err = r.CloseConversation(t.Context(), id)
	f.Equal(t, assert+".close", named(err), want)
	_, err = r.Continue(t.Context(), id, runner.TurnOptions{Prompt: "echo more"})
	f.Equal(t, assert+".continue", named(err), want)
}

// Cut at each byte, a conversation is corrupt, and never a smaller one.
func TestConversationCut(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		if !talked(t, f) {
			return
		}
		th := look(t, f)
		eachTalk(t, f, func(_ made, id string) {
			b := storedTalk(t, th, id)
			var wrong []string
			for n := range bytes.TrimSuffix(b, []byte("\n")) {
				if _, err := talk.Parse("cut", b[:n]); !strings.HasPrefix(named(err), "corrupt at ") {
					wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
				}
			}
			f.Equal(t, "r19.conversation.truncated", wrong, []string(nil))
		})
	})
}
