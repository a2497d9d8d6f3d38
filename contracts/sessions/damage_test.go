package sessions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/contracts"
	"github.com/freeze-contracts/permafrost/readers"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// damages are the ways in which a document is not what a release wrote.
var damages = []struct{ name, pattern, to, want string }{
	{"newer", `"schema": \d+`, `"schema": 999`, "newer: 999"},
	{"empty", `(?s)\A.*\z`, ``, "corrupt at ."},
	{"cut", `(?s)\A{.*\z`, `{`, "corrupt at ."},
	{"text", `\A{`, `[`, "corrupt at ."},
	{"duplicate-schema", `"schema": \d+,`, `${0}${0}`, "corrupt at schema"},
	{"duplicate-id", `"id": "\w+",`, `${0}${0}`, "corrupt at id"},
	{"duplicate-worktree", `"worktree": "[^"]*",`, `${0}${0}`, "corrupt at worktree"},
	{"other-case", `"state":`, `"State":`, "corrupt at state"},
	{"unknown-state", `"state": "[\w-]+"`, `"state": "odd"`, "corrupt at state"},
	{"no-state", `"state": "[\w-]+",`, ``, "corrupt at state"},
	{"no-schema", `"schema": \d+,`, ``, "corrupt at schema"},
	{"no-worktree", `"worktree": "[^"]*",`, ``, "corrupt at worktree"},
	{"schema-type", `"schema": (\d+)`, `"schema": "$1"`, "corrupt at schema"},
	{"id-type", `"id": "\w+"`, `"id": 1`, "corrupt at id"},
	{"state-type", `"state": "[\w-]+"`, `"state": 1`, "corrupt at state"},
	{"revision-type", `"revision": (\d+)`, `"revision": "$1"`, "corrupt at revision"},
	{"revision-zero", `"revision": \d+`, `"revision": 0`, "corrupt at revision"},
	{"worktree-type", `"worktree": ("[^"]*")`, `"worktree": [$1]`, "corrupt at worktree"},
	{"time-type", `"created_at": [^,\n]+`, `"created_at": true`, "corrupt at created_at"},
	{"time-text", `"updated_at": [^,\n]+`, `"updated_at": "yesterday"`, "corrupt at updated_at"},
	{"time-early", `"created_at": [^,\n]+`, `"created_at": -1`, "corrupt at created_at"},
	{"time-late", `"updated_at": [^,\n]+`, `"updated_at": 1796047257000`, "corrupt at updated_at"},
	{"id-path", `"id": "\w+"`, `"id": "../other"`, "corrupt at id"},
	{"id-other", `"id": "\w+"`, `"id": "ab"`, "corrupt at id"},
	{"path", `("worktree": "[^"]*)/worktree"`, `${1}/../worktree"`, "corrupt at worktree"},
	{"relative-path", `"repository": "/`, `"repository": "`, "corrupt at repository"},
	{"branch-option", `"branch": "`, `"branch": "--`, "corrupt at branch"},
	{"branch-path", `"branch": "stint/`, `"branch": "stint/../`, "corrupt at branch"},
	{"base-name", `"base": "\w+"`, `"base": "HEAD"`, "corrupt at base"},
	{"no-version", `"fingerprint": "v1:`, `"fingerprint": "`, "corrupt at fingerprint"},
	{"tmux-target", `("(tmux_)?session": ")`, `${1}=`, "corrupt at session"},
}

// A document that is not what a release wrote is refused by name, by all that
// is done with a session. It stays as it is, and hides no other one.
func TestDamage(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := thaw(t, f)
		ids := neighbour(t, f, th)
		r := stint(t, f, th)
		f.Settle(t)
		for _, s := range script(t, f) {
			id := s.said(t, f).ID
			name, frozen := th.Path(documentOf(t, th, id)), stored(t, th, id)
			refused := func(what, want string) {
				t.Helper()
				refusedEverywhere(t, f, r, ids, id, want, func(_, verb string) string { return "r19." + what + "." + verb })
			}
			for _, d := range damages {
				spoiled := spoil(t, frozen, d.pattern, d.to)
				require.NoError(t, os.WriteFile(name, spoiled, 0o600))
				refused(d.name, d.want)
				f.Equal(t, "r19."+d.name+".bytes", content(t, name), string(spoiled))
			}
			require.NoError(t, os.Truncate(name, readers.MaxDocument+1))
			_, skipped, err := r.Sessions.Documents()
			require.NoError(t, err)
			f.Equal(t, "r19.larger.skipped", refusals(skipped), map[string]string{name: "too large"})
			_, err = r.CloseSession(t.Context(), id, nil)
			f.Equal(t, "r19.larger.close", named(err), "too large")
			f.Equal(t, "r19.larger.size", size(t, name), int64(readers.MaxDocument+1))
			require.NoError(t, os.WriteFile(name, frozen, 0o600))
			f.Unchanged(t, documentOf(t, th, id))

			aside := th.Path("home/aside")
			require.NoError(t, os.Rename(name, aside))
			require.NoError(t, os.Symlink(rel(t, filepath.Dir(name), aside), name))
			f.Settle(t)
			refused("symlink", "not regular")
			f.Unchanged(t)
			require.NoError(t, os.Remove(name))
			require.NoError(t, os.Rename(aside, name))
			require.NoError(t, os.Rename(filepath.Dir(name), aside))
			require.NoError(t, os.Symlink(rel(t, filepath.Dir(filepath.Dir(name)), aside), filepath.Dir(name)))
			f.Settle(t)
			refused("symlink-folder", "not regular")
			f.Unchanged(t)
			require.NoError(t, os.Remove(filepath.Dir(name)))
			require.NoError(t, os.Rename(aside, filepath.Dir(name)))
			f.Settle(t)
		}
	})
}

// content is that of a file that no reader is asked for.
func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// size is that of a document of which nobody wants to read all.
func size(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Lstat(name)
	require.NoError(t, err)
	return info.Size()
}

func rel(t *testing.T, base, target string) string {
	t.Helper()
	to, err := filepath.Rel(base, target)
	require.NoError(t, err)
	return to
}

// Cut at each byte, a document is corrupt, and never a smaller one.
func TestCut(t *testing.T) {
	contracts.AnyPlace(t)
	contracts.Each(t, "sessions", func(t *testing.T, f *contracts.Fixture) {
		t.Parallel()
		th := look(t, f)
		for _, s := range script(t, f) {
			b := stored(t, th, s.said(t, f).ID)
			var wrong []string
			for n := range len(strings.TrimSuffix(string(b), "\n")) {
				if _, err := doc.Parse("cut", b[:n]); !strings.HasPrefix(named(err), "corrupt at ") {
					wrong = append(wrong, fmt.Sprintf("%d bytes: %s", n, named(err)))
				}
			}
			f.Equal(t, "r19.truncated", wrong, []string(nil))
		}
	})
}
