package readers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// refusal is a text that stands once in a document, what is put there instead,
// and the JSON pointer of what is refused then; "-" if nothing is.
type refusal struct{ old, new, pointer string }

// What every document begins with is refused alike in each kind.
func TestHeadIsRefused(t *testing.T) {
	for _, k := range kinds() {
		doc := load(t, k.docs[0])
		d, err := k.parse("doc", []byte(doc))
		require.NoError(t, err)
		id := `"id": "` + d.Header().ID + `"`
		for _, r := range []refusal{
			{id, `"id": "../x"`, "/id"},
			{id, `"id": "X"`, "/id"},
			{id, `"id": 7`, "/id"},
			{id, `"idle": "x"`, "/id"},
			{`"00112233445566778899aabbccddeeff"`, `"a/b"`, "/project_id"},
			{`"project_id"`, `"project"`, "/project_id"},
			{`"revision": `, `"revision": -`, "/revision"},
			{`"revision": `, `"revision": 0.`, "/revision"},
			{`"revision"`, `"revisions"`, "/revision"},
			{`"created_at": "2025-06-15T15:06:40.000Z"`, `"created_at": "2025-06-15T15:06:40"`, "/created_at"},
			{`"created_at": "2025-06-15T15:06:40.000Z"`, `"created_at": 1750000000`, "/created_at"},
			{`"created_at"`, `"Created_at"`, "/created_at"},
			{`"updated_at": "`, `"updated_at": "x`, "/updated_at"},
			{`"updated_at"`, `"updated"`, "/updated_at"},
			{`"schema": `, `"schema": 1, "schema": `, "/schema"},
			{`"schema": `, `"schema": "1", "other": `, "/schema"},
			{`"schema": `, `"schema": 0, "other": `, "/schema"},
			{`"schema": `, `"other": `, "/schema"},
			{`"schema": `, `"other": [{"a": 1, "a": 2}], "schema": `, "/other/0/a"},
		} {
			r.check(t, k, k.docs[0])
		}
	}
}

func (r refusal) check(t *testing.T, k kind, name string) {
	t.Helper()
	doc := load(t, name)
	require.Equal(t, 1, strings.Count(doc, r.old), "%s: %s", name, r.old)
	_, err := k.parse("doc", []byte(strings.Replace(doc, r.old, r.new, 1)))
	want := "corrupt " + r.pointer
	if r.pointer == "-" {
		want = "read"
	}
	if diff := cmp.Diff(want, outcome(err)); diff != "" {
		t.Errorf("%s with %s for %s: %v (-want +got)\n%s", name, r.new, r.old, err, diff)
	}
}

// Each field, by the file whose text is changed.
func TestFieldsAreRefused(t *testing.T) {
	const base = `"0123456789abcdef0123456789abcdef01234567"`
	for name, refusals := range map[string][]refusal{
		"session/testdata/v2.json": {
			{`"closed"`, `"paused"`, "/state"},
			{`"state"`, `"stated"`, "/state"},
			{`"sh"`, `""`, "/harness"},
			{`"github:octo/repo#15"`, `"octo/repo#15"`, "/work_item"},
			{`"work_item": "github:octo/repo#15",`, ``, "-"},
			{`"instance"`, `"standing": "night", "instance"`, "/standing"},
			{`"work_item": "github:octo/repo#15"`, `"standing": "a/b"`, "/standing"},
			{`"work_item": "github:octo/repo#15"`, `"standing": "night"`, "-"},
			{`"build-3.example"`, `"a b"`, "/instance"},
			{`"instance": "build-3.example",`, ``, "-"},
			{`"stint/4k8x2mzq0t"`, `"-D"`, "/branch"},
			{`"stint/4k8x2mzq0t"`, `"stint/../x"`, "/branch"},
			{`"stint/4k8x2mzq0t"`, `"a:b"`, "/branch"},
			{`"stint/4k8x2mzq0t"`, `"."`, "/branch"},
			{base, `"0123456"`, "/base"},
			{base, `"HEAD"`, "/base"},
			{`"v1:abcdef"`, `"abcdef"`, "/fingerprint"},
			{`"v1:abcdef"`, `"v9:abcdef"`, "-"},
			{`"c0nv"`, `"../c"`, "/conversation"},
			{`"conversation": "c0nv",`, ``, "-"},
			{`"/src/my repo"`, `"src"`, "/paths/repository"},
			{`4k8x2mzq0t",
    "worktree"`, `../x",
    "worktree"`, "/paths/workspace_root"},
			{`4k8x2mzq0t/worktree`, `4k8x2mzq0t/../worktree`, "/paths/worktree"},
			{`4k8x2mzq0t/run`, `4k8x2mzq0t//run`, "/paths/run_root"},
			{`"run_root"`, `"Run_root"`, "/paths/run_root"},
			{`"cache"`, `"run_root"`, "/paths/run_root"},
			{`"paths"`, `"path"`, "/paths/repository"},
			{`"paths": {`, `"paths": [], "path": {`, "/paths"},
			{`"stint-github-octo-repo-15"`, `"=stint:0.1"`, "/tmux/session"},
			{`"/tmp/tmux-1000/default"`, `"default"`, "/tmux/socket"},
			{`"tmux"`, `"mux"`, "/tmux/session"},
			{`"opened_at": "2025-06-15T15:06:41.007Z"`, `"opened_at": -1`, "/opened_at"},
			{`"opened_at": "2025-06-15T15:06:41.007Z",`, ``, "-"},
			{`"closed_at": "2025-06-15T15:11:40.250Z"`, `"closed_at": ""`, "/closed_at"},
			{`"closed_at": "2025-06-15T15:11:40.250Z",`, ``, "-"},
			{`"failure": "none of it"`, `"failure": ["none"]`, "/failure"},
		},
		"session/testdata/v1.json": {
			{`"closed"`, `"paused"`, "/state"},
			{`"sh"`, `""`, "/harness"},
			{`"/src/my repo"`, `"src"`, "/paths/repository"},
			{`"tmux_session": "stint`, `"tmux_session": "=stint`, "/tmux/session"},
			{`"created_at": 1750000000`, `"created_at": "2025-06-15T15:06:40.000Z"`, "/created_at"},
			{`"created_at": 1750000000`, `"created_at": -1`, "/created_at"},
			{`"created_at": 1750000000,`, ``, "/created_at"},
			{`"updated_at": 1750000300`, `"updated_at": 253402300800`, "/updated_at"},
			{`"opened_at": 1750000001`, `"opened_at": -1`, "/opened_at"},
			{`"closed_at": 1750000300`, `"closed_at": -1`, "/closed_at"},
			{`"closed_at": 1750000300,`, ``, "-"},
			{`"none of it"`, `["none"]`, "/failure"},
			{`"opened_at": 1750000001`, `"opened_at": 0`, "-"},
			// The first of several, and always the same one.
			{"1750000000,\n  \"updated_at\": 1750000300,\n  \"opened_at\": 1750000001,\n  \"closed_at\": 1750000300", "-1, \"updated_at\": -1, \"opened_at\": -1, \"closed_at\": -1", "/created_at"},
			// What is unknown to schema 1 and has a meaning in schema 2.
			{`"later"`, `"paths"`, "/paths"},
			{`"later"`, `"tmux"`, "/tmux"},
			{`"later"`, `"work_item"`, "/work_item"},
			{`"later": {`, `"work_item": "github:octo/repo#15", "later": {`, "/work_item"},
			{`"later": {`, `"paths": 1, "later": {`, "/paths"},
			{`"later": {`, `"a": 1, "paths": 1, "later": {`, "/paths"},
		},
		"artifact/testdata/v2.json": {
			{`"kind": "run"`, `"kind": "turn"`, "/kind"},
			{`"kind": "run"`, `"kind": "checkpoint"`, "/provider_session"},
			{`"4k8x2mzq0t",`, `"../x",`, "/session"},
			{`"session": "4k8x2mzq0t",`, ``, "-"},
			{`"c0nv"`, `"../c"`, "/conversation"},
			{`"exit": 0`, `"exit": "0"`, "/exit"},
			{`"exit": 0,`, ``, "-"},
			{`"state": "applied"`, `"state": "merged"`, "/state"},
			{`"state": "applied",`, ``, "/state"},
			{`"state": "applied"`, `"state": "pending"`, "/applied_at"},
			{`"applied_at": "2025-06-15T15:11:40.249Z",
  "receipt"`, `"receipt"`, "/applied_at"},
			{`"later": null`, `"discarded_at": "2025-06-15T15:11:40.249Z"`, "/discarded_at"},
			{`4k8x2mzq0t/worktree`, `4k8x2mzq0t/../worktree`, "/root"},
			{`"v1:abcdef"`, `":abcdef"`, "/fingerprint"},
			{`23,
  "started_at"`, `-1,
  "started_at"`, "/patch_size"},
			{`23,
  "started_at"`, `0,
  "started_at"`, "-"},
			{`  ],
  "patch_sha256": "2373fe211a82d146bf0439af71fc4c0bc07d9c980d776694f29664e5545270d3",`, `  ],`, "/patch_sha256"},
			{`"finished_at": "2025`, `"finished_at": "x2025`, "/finished_at"},
			{`"receipt": {
    "base": "0`, `"receipt": {
    "base": "1`, "/receipt/base"},
			{`"7654321`, `"765432`, "/receipt/tree"},
			{`    "patch_sha256": "2`, `    "patch_sha256": "3`, "/receipt/patch_sha256"},
			{`"applied_at": "2025-06-15T15:11:40.249Z",
    "by"`, `"applied_at": "2025-06-15T15:11:40.250Z", "by"`, "/receipt/applied_at"},
			{`"receipt"`, `"receipts"`, "-"},
			{`"receipt": {`, `"receipt": [], "receipts": {`, "/receipt"},
			{`"path": "gone"`, `"path": "../gone"`, "/files/0"},
			{`"path": "gone"`, `"path": "/gone"`, "/files/0"},
			{`"path": "gone"`, `"path": ".git/hooks/post-commit"`, "/files/0"},
			{`"path": "gone"`, `"path": "a/.GIT/config"`, "/files/0"},
			{`"new_mode": "120000"`, `"new_mode": "160000"`, "/files/1"},
			{`"new_hash": "89abcdef0123456789abcdef0123456789abcdef",`, ``, "/files/1"},
			{`"path": "gone",
      "old_mode": "100644",`, `"path": "gone",`, "/files/0"},
			{`"path": "gone",
      "old_mode": "100644",
      "old_hash": ` + base, `"path": "gone"`, "/files/0"},
			{`"path": "tool.sh",
      "old_mode": "100644"`, `"path": "tool.sh", "old_mode": "160000"`, "/files/2"},
			{`"path": "gone"`, `"path": "."`, "/files/0"},
			{`"path": "gone"`, `"path": "z"`, "/files/1/path"},
			{`"path": "gone"`, `"path": "new"`, "/files/1/path"},
			{`"path": "gone"`, `"path": 1`, "/files/0/path"},
			{`"path": "gone"`, `"path": "gone", "path": "gone"`, "/files/0/path"},
		},
		"artifact/testdata/running.json": {
			{`"running"`, `"interrupted"`, "-"},
			{`"running"`, `"pending"`, "/patch_sha256"},
			{`"kind": "run"`, `"kind": "checkpoint"`, "/session"},
			{`"kind": "run"`, `"kind": "checkpoint", "session": "4k8x"`, "/patch_sha256"},
			{`"patch_size": 0`, `"patch_size": 1`, "/patch_size"},
			{`"files": []`, `"files": [{"path": "a", "new_mode": "100644", "new_hash": ` + base + `}]`, "/files"},
			{base, `"HEAD"`, "/base"},
			{`"files"`, `"receipt": {}, "files"`, "/receipt"},
		},
		"artifact/testdata/v1.json": {
			{`"checkpoint"`, `"run"`, "/kind"},
			{`"applied"`, `"running"`, "/state"},
			{`"applied"`, `"pending"`, "/applied_at"},
			{`"applied_at": 1750000300,`, ``, "/applied_at"},
			{`"applied_at"`, `"discarded_at"`, "/applied_at"},
			{`"later": null`, `"discarded_at": 5`, "/discarded_at"},
			{`"session": "4k8x2mzq0t",`, ``, "/session"},
			{`"created_at": 1750000000`, `"created_at": "2025-06-15T15:06:40.000Z"`, "/created_at"},
			{`"updated_at": 1750000300`, `"updated_at": -1`, "/updated_at"},
			{`"patch_sha256": "`, `"patch_sha256": "00`, "/patch_sha256"},
			{`"patch_sha256"`, `"patch"`, "/patch_sha256"},
			{`"patch_size": 23`, `"patch_size": "23"`, "/patch_size"},
			{`"later"`, `"receipt"`, "/receipt"},
			{`"later"`, `"provider_session"`, "/provider_session"},
			{`"later": null`, `"harness": "sh"`, "/harness"},
		},
		"conversation/testdata/v1.json": {
			{`"closed"`, `"paused"`, "/state"},
			{`"closed"`, `"open"`, "/closed_at"},
			{`"closed_at": "2025-06-15T15:11:40.250Z",`, ``, "/closed_at"},
			{`"claude"`, `""`, "/harness"},
			{`"4k8x2mzq0t"`, `"a/b"`, "/session"},
			{`"session": "4k8x2mzq0t",`, ``, "-"},
			{`"provider_session": "an agent's own name",`, ``, "-"},
			{`"provider_session": "an`, `"provider_session": 1, "x": "an`, "/provider_session"},
			{`"r2"`, `"../r2"`, "/runs/1"},
			{`"r1"`, `1`, "/runs/0"},
			{`"later"`, `"runs"`, "/runs"},
		},
	} {
		for _, k := range kinds() {
			if strings.HasPrefix(name, k.name+"/") {
				for _, r := range refusals {
					r.check(t, k, name)
				}
			}
		}
	}
}

// The value in a message is the one in the document.
func TestRefusalsSayTheValue(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"session/testdata/v2.json", `"revision": 3`, `"revision": -10`, `"doc": does not read at /revision: "-10" is not 1 or more`},
		{"session/testdata/v1.json", `"created_at": 1750000000`, `"created_at": -10`, `"doc": does not read at /created_at: "-10" is not a time in seconds since 1970`},
		{"artifact/testdata/running.json", `"patch_size": 0`, `"patch_size": 10`, `"doc": does not read at /patch_size: "10" is not 0, where there is no patch`},
	} {
		for _, k := range kinds() {
			if !strings.HasPrefix(test.name, k.name+"/") {
				continue
			}
			doc := load(t, test.name)
			require.Equal(t, 1, strings.Count(doc, test.old), "%s: %s", test.name, test.old)
			_, err := k.parse("doc", []byte(strings.Replace(doc, test.old, test.new, 1)))
			require.EqualError(t, err, test.want)
		}
	}
}
