package binding_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// clean are programs that write realistic documents. plan decides what the
// script did, and is the same in every box of one scenario.
var clean = map[string]func(b *box, plan *rand.Rand){
	"sessions in json":      sessions,
	"json lines":            jsonLines,
	"toml":                  tomlState,
	"text":                  textLogs,
	"names":                 namedFiles,
	"encodings":             encodings,
	"what must be declared": declaredValues,
}

var cleanRules = []binding.Rule{
	{File: "**/declared.json", Pointer: "/pid", Kind: binding.Decimal},
	{File: "**/declared.json", Pointer: "/load", Kind: binding.Decimal},
	{File: "**/declared.json", Pointer: "/owner", Kind: binding.User},
	{File: "**/declared.json", Pointer: "/where", Kind: binding.Host},
	{File: "**/declared.json", Pointer: "/uid", Kind: binding.UID},
	{File: "**/declared.json", Pointer: "/tools/*", Kind: binding.Version},
	{File: "**/declared.json", Pointer: "/token", Kind: binding.Opaque, Pattern: "tok_[A-Za-z0-9+/]{16}"},
	{File: "**/declared.json", Pointer: "/short", Kind: binding.Prefix},
	{File: "**/lock-*", Pointer: "#name", Kind: binding.Decimal},
	{File: "**/lock-*", Pointer: "/1", Kind: binding.Decimal},
	{File: "**/declared.toml", Pointer: "/proc/*/pid", Kind: binding.Decimal},
	{File: "**/declared.jsonl", Pointer: "/*/pid", Kind: binding.Decimal},
	{File: "**/key.bin", Pointer: "", Kind: binding.Opaque},
}

const plansPerProgram = 30 // 7 programs, so 210 pairs of boxes, each with a third one, and a fourth when frozen again

func TestCleanPairs(t *testing.T) {
	pairs := 0
	for name, program := range clean {
		for n := range uint64(plansPerProgram) {
			pairs++
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				write := func(root string, seed uint64) *binding.Run {
					b := newBox(root, seed)
					program(b, rand.New(rand.NewPCG(n, 1)))
					return b.run()
				}
				a, b, third := write(rootA, 4*n), write(rootB, 4*n+1), write(rootA, 4*n+2)
				bs, ds := binding.Find(a, b, third, cleanRules)
				noDifference(t, "Find", ds)
				require.Greater(t, len(bs), 1, "nothing was bound: the pair shows nothing")
				noDifference(t, "Again", binding.Again(frozen(a), bs, write(rootFresh, 4*n+3), cleanRules))

				// The same program at another root, with the same ids and times.
				const root = "/var/folders/xy/T/TestThaw_1/001"
				want := write(root, 4*n).Entries
				got, err := binding.Rebind(context.Background(), a.Entries, bs, root, nil)
				require.NoError(t, err)
				byPath := cmpopts.SortSlices(func(x, y tree.Entry) bool { return x.Path < y.Path })
				if d := cmp.Diff(want, got, byPath); d != "" {
					t.Errorf("Rebind (-want +got):\n%s", d)
				}
			})
		}
	}
	require.GreaterOrEqual(t, pairs, 180)
}

func sessions(b *box, plan *rand.Rand) {
	project := b.root + "/project"
	pid := b.uuid4()
	b.put("project/.tool/project.json", fmt.Sprintf("{\n  \"schema\": 1,\n  \"project_id\": %q,\n  \"created_at\": %q\n}\n", pid, nano(b.clock())))
	state := "home/.local/state/tool/projects/" + pid
	for i := range 1 + plan.IntN(4) {
		id := b.uuid4()
		if plan.IntN(2) == 0 {
			id = b.hex(16)
		}
		created := b.clock()
		b.put(state+"/sessions/"+id+"/session.json", fmt.Sprintf(`{
  "schema": 3,
  "id": %q,
  "project_id": %q,
  "state": %q,
  "harness": "codex",
  "work_item": "github:octo/repo#%d",
  "revision": %d,
  "base": "0f9e3c5a7b1d2e4f60718293a4b5c6d7e8f90a1b",
  "fingerprint": "v1:%s",
  "tmux": {"name": "tool-%s", "socket": %q},
  "paths": {"repo": %q, "worktree": %q},
  "created_at": %q,
  "updated_at": %q,
  "deadline": %d
}
`, id, pid, []string{"open", "closed", "closing"}[plan.IntN(3)], i, 1+plan.IntN(9), sha256Hex(project), id, b.root+"/s",
			project, b.root+"/"+state+"/workspaces/"+id+"/worktree", micro(created), micro(b.clock()), b.clock().Unix()))
		b.dir(state + "/workspaces/" + id + "/worktree")
		b.link(state+"/latest-"+strconv.Itoa(i), b.root+"/"+state+"/sessions/"+id)
	}
}

func jsonLines(b *box, plan *rand.Rand) {
	var log strings.Builder
	thread := b.uuid7()
	for i := range 2 + plan.IntN(20) {
		switch plan.IntN(4) {
		case 0:
			fmt.Fprintf(&log, `{"ts":%d,"type":"open","thread":%q,"cwd":%q}`+"\n", b.clock().UnixMilli(), thread, b.root+"/project")
		case 1:
			fmt.Fprintf(&log, `{"timestamp":%q,"item":%q,"n":%d}`+"\n", milli(b.clock()), b.ulid(), i)
		case 2:
			now := b.clock().UnixMicro()
			fmt.Fprintf(&log, `{"time": %d.%06d, "file": "%s", "note": "a \"quoted\"\n%s\tend"}`+"\n",
				now/1e6, now%1e6, jsonSlash(b.root+"/home/.cache/x y/é"), b.hex(12))
		default:
			fmt.Fprintf(&log, "{\"msg\":\"%d of 40 done at %s\"}\n", i, milli(b.clock()))
		}
	}
	b.put("home/.tool/sessions/2026/rollout-"+thread+".jsonl", log.String())
}

func tomlState(b *box, plan *rand.Rand) {
	var doc strings.Builder
	fmt.Fprintf(&doc, "# written by tool\nroot = %q\nsince = %s\n", b.root+"/project", milli(b.clock()))
	for i := range 1 + plan.IntN(5) {
		fmt.Fprintf(&doc, "\n[[job]]\nid = '%s'\nnumber = %d\nstarted = %s\nlog = \"%s\"\nkey.sub = [1, \"%s\", {at = %d}]\n",
			b.hex(8+plan.IntN(20)), i, nano9(b), b.root+"/home/jobs/log", sha1Hex(b.root + "/project")[:10], b.clock().UnixNano())
	}
	b.put("home/.config/tool/state.toml", doc.String())
}

// nano9 avoids the one time in a thousand that ends in three zeros.
func nano9(b *box) string { return b.clock().Format("2006-01-02T15:04:05.000000000Z07:00") }

func textLogs(b *box, plan *rand.Rand) {
	var log strings.Builder
	for range 1 + plan.IntN(30) {
		switch plan.IntN(4) {
		case 0:
			fmt.Fprintf(&log, "%s opened %s/project: ok\n", nano9(b), b.root)
		case 1:
			fmt.Fprintf(&log, "[%d] request_%s 200\n", b.clock().Unix(), b.hex(24))
		case 2:
			fmt.Fprintf(&log, "export PATH=%s/bin:/usr/bin HASH=%s\n", b.root, md5Hex(b.root+"/home/x\n"))
		default:
			fmt.Fprintf(&log, "see file://%s/project/a.txt#3\n", b.root)
		}
	}
	fmt.Fprintf(&log, "%s/home/x\n", b.root)
	b.put("home/log.txt", log.String())
	b.put("project/.git-file", "gitdir: "+b.root+"/project/.git/worktrees/w\n")
}

func namedFiles(b *box, plan *rand.Rand) {
	b.put("home/.claude/projects/"+dashes(b.root)+"-project/"+b.uuid4()+".jsonl", fmt.Sprintf("{\"at\":%q}\n", milli(b.clock())))
	b.put("home/cache/"+escape(b.root+"/project")+".json", "{}")
	b.put("home/cache/"+sha1Hex(b.root + "/project")[:12]+"/meta", sha256Hex(b.root+"/project/")+"\n")
	for range 1 + plan.IntN(5) {
		name := "home/runs/" + b.ulid()
		b.put(name+"/out", strings.Repeat("x", plan.IntN(9)))
		b.put(name+"/at-"+strconv.FormatInt(b.clock().UnixMilli(), 10), "")
	}
	for range plan.IntN(3) {
		b.put("home/tmp/t_"+b.hex(10)+"_done", "")
	}
}

func encodings(b *box, plan *rand.Rand) {
	tail := strings.Repeat("q", plan.IntN(7))
	b.put("home/cursor.json", fmt.Sprintf(`{"cursor":%q,"url":"http://h/?f=%s","hex":"%x","u":"\u002ftmp"}`,
		b64(strings.Repeat("p", plan.IntN(4))+b.root+"/project/"+tail), escape(b.root+"/"+tail), b.root+"/"+tail))
	b.put("home/nested.json", fmt.Sprintf(`{"inner":"{\"cwd\":\"%s\",\"php\":\"%s\"}","at":%q}`,
		b.root+"/project", strings.ReplaceAll(b.root, "/", `\\/`), milli(b.clock())))
	b.put("home/escaped.json", fmt.Sprintf(`{"dir":"%s","id":%q}`, strings.ReplaceAll(b.root, "/", `\u002f`), b.uuid4()))
}

func declaredValues(b *box, plan *rand.Rand) {
	id, pid := b.uuid4(), b.pid()
	b.put("home/declared.json", fmt.Sprintf(`{"id":%q,"short":%q,"pid":%d,"load":0.%02d,"owner":"ada","where":"ada@builder-7:22","uid":1007,`+
		`"tools":{"tmux":"tmux 3.3a","git":"2.39.5"},"token":"tok_%s"}`, id, id[:7], pid, 10+b.rand.IntN(89), b64(string(b.bytes(12)))))
	b.put(fmt.Sprintf("home/lock-%d", pid), fmt.Sprintf("%d\n", pid))
	var doc, log strings.Builder
	for range 1 + plan.IntN(3) {
		fmt.Fprintf(&doc, "[[proc]]\npid = %d\n", b.pid())
		fmt.Fprintf(&log, "{\"pid\":\"%d\"}\n\n", b.pid())
	}
	b.put("home/declared.toml", doc.String())
	b.put("home/declared.jsonl", log.String())
	b.put("home/key.bin", string(append(b.bytes(31), 0)))
}
