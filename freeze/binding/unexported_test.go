package binding

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// spoken lists the tokens of a text as CLASS:TEXT.
func spoken(text string, ranges ...ruled) []string {
	names := map[class]string{rootToken: "root", clockToken: "time", uuidToken: "uuid", ulidToken: "ulid",
		hexToken: "hex", decimalToken: "number", wordToken: "word", ruleToken: "rule"}
	run := &Run{From: time.Unix(1796029200, 0), To: time.Unix(1796029260, 0)}
	s := scanner{text: []byte(text), window: newWindow(run), ranges: ranges}
	var all []string
	for t, more := s.next(); more; t, more = s.next() {
		name := names[t.class]
		if t.class == clockToken && !t.clock.inside {
			name = "other time"
		}
		all = append(all, name+":"+text[t.start:t.end])
	}
	return all
}

func TestScanner(t *testing.T) {
	const uuid, ulid = "6ac4a4a5-ca03-4be2-824c-a250273a23b9", "01KBA0F7CQ5X9P2R4T6V8W0Y1Z"
	const at = "2026-11-30T09:00:01.5Z"
	const inside = "1796029201"
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"nothing to see", nil},
		{"decade facade 12", []string{"number:12"}},
		{"deadbee", []string{"hex:deadbee"}},
		{"x0a1b2c3d_y", []string{"hex:0a1b2c3d"}},
		{"0A1B2C3D", []string{"hex:0A1B2C3D"}},
		{"0a1b2C3D", []string{"number:0", "number:1", "number:2", "number:3"}},
		{"1234567", []string{"number:1234567"}},
		{uuid, []string{"uuid:" + uuid}},
		{strings.ToUpper(uuid), []string{"uuid:" + strings.ToUpper(uuid)}},
		{uuid + "z", []string{"hex:6ac4a4a5", "number:03", "number:4", "number:2", "number:824", "hex:a250273a23b9"}},
		{ulid + "," + strings.ToLower(ulid), []string{"ulid:" + ulid, "ulid:" + strings.ToLower(ulid)}},
		{at, []string{"time:" + at}},
		{"2026-11-30 09:00:01+00:00", []string{"time:2026-11-30 09:00:01+00:00"}},
		{"2026-11-30T09:00:01.5-01:00", []string{"other time:2026-11-30T09:00:01.5-01:00"}},
		{"2026-11-30T09:00:01", []string{"number:2026", "number:11", "number:30", "number:09", "number:00", "number:01"}},
		{inside + " " + inside + "123 " + inside + "123456 " + inside + "123456789",
			[]string{"time:" + inside, "time:" + inside + "123", "time:" + inside + "123456", "time:" + inside + "123456789"}},
		{inside + ".25", []string{"time:" + inside + ".25"}},
		{"1496029201 " + inside + "12", []string{"number:1496029201", "number:" + inside + "12"}},
		{`\n` + at + `\t` + ulid + `\u003c` + uuid + `%2F` + "0a1b2c3d", []string{"time:" + at, "ulid:" + ulid, "uuid:" + uuid, "hex:0a1b2c3d"}},
		{`\\` + ulid, []string{"ulid:" + ulid}},
		{`100% \ `, []string{"number:100"}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, spoken(tt.text)); d != "" {
			t.Errorf("scanner(%q) (-want +got):\n%s", tt.text, d)
		}
	}
}

func TestScannerInPrefixRange(t *testing.T) {
	text := "s-0a1b2c 12 s-0a1b2c 12"
	r := ruled{&rule{Rule: Rule{Kind: Prefix}}, 0, 11}
	want := []string{"word:s", "word:0a1b2c", "word:12", "number:0", "number:1", "number:2", "number:12"}
	if d := cmp.Diff(want, spoken(text, r)); d != "" {
		t.Errorf("scanner (-want +got):\n%s", d)
	}
}

func TestLayouts(t *testing.T) {
	tests := []struct {
		name, data string
		want       []string
	}{
		{"a.json", `{"a/b": {"c~": ["x", 1, {"d": -2.5}]}, "e": true}`,
			[]string{"key /a~1b=a/b", "key /a~1b/c~0=c~", "value /a~1b/c~0/0=x", "value /a~1b/c~0/1=1", "key /a~1b/c~0/2/d=d", "value /a~1b/c~0/2/d=-2.5", "key /e=e"}},
		{"a.log", "{\"a\":1}\n\n{\"a\":\n2}\n", []string{"key /1/a=a", "value /1/a=1", "key /3/a=a", "value /3/a=2"}},
		{"a.jsonl", "{\"a\":1}\n", []string{"key /1/a=a", "value /1/a=1"}},
		{"a.json", "{broken\nas", []string{"text /1={broken", "text /2=as"}},
		{"a.toml", "a = \"x\"\n[t]\nb.c = [1, {d = 'y'}]\n[[l]]\ne = 2026-11-30T09:00:01Z\n[[l]]\ne = \"\"\"z\"\"\"\n[l.m]\nf = 2",
			[]string{"key /a=a", "value /a=x", "key /t/b/c=b", "key /t/b/c=c", "value /t/b/c/0=1", "key /t/b/c/1/d=d", "value /t/b/c/1/d=y",
				"key /l/0/e=e", "value /l/0/e=2026-11-30T09:00:01Z", "key /l/1/e=e", "value /l/1/e=z", "key /l/1/m/f=f", "value /l/1/m/f=2"}},
		{"a.toml", "a = = b", []string{"text /1=a = = b"}},
		{"a.txt", "one\n\ntwo", []string{"text /1=one", "text /2=", "text /3=two"}},
	}
	for _, tt := range tests {
		data := []byte(tt.data)
		var got []string
		layoutOf(tt.name, data)(data, func(l leaf) bool {
			got = append(got, fmt.Sprintf("%s %s=%s", l.where, l.pointer(), data[l.start:l.end]))
			return true
		})
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("layout of %q (-want +got):\n%s", tt.data, d)
		}
	}
}

func TestRuleMatches(t *testing.T) {
	tests := []struct {
		file, path string
		want       bool
	}{
		{"**/s.json", "s.json", true},
		{"**/s.json", "home/a/b/s.json", true},
		{"home/*/s.json", "home/a/s.json", true},
		{"home/*/s.json", "home/a/b/s.json", false},
		{"home/**", "home/a/b", true},
		{"home/**/x/*", "home/x/y", true},
		{"home/**/x/*", "home/x", false},
		{"*.json", "a/b.json", false},
		{"a?c", "abc", true},
	}
	for _, tt := range tests {
		if got := matchFile(strings.Split(tt.file, "/"), strings.Split(tt.path, "/")); got != tt.want {
			t.Errorf("matchFile(%q, %q) = %v, want %v", tt.file, tt.path, got, tt.want)
		}
	}
}

func TestRuleMatchesAnything(t *testing.T) {
	entries := []tree.Entry{
		{Path: "home/s", Type: tree.Dir},
		{Path: "home/s/a.json", Type: tree.File, Data: []byte(`{"pid": 1}`)},
		{Path: "home/s/link", Type: tree.Symlink, Target: "4711"},
	}
	tests := []struct {
		file, pointer string
		want          bool
	}{
		{"**/a.json", "/pid", true},
		{"**/a.json", "", true},
		{"**/a.json", "/uid", false},
		{"**/b.json", "/pid", false},
		{"home/s", "", false}, // a folder has no content
		{"home/s", "#name", true},
		{"home/*/*", "#target", true},
		{"home/*/a.json", "#target", false},
	}
	for _, tt := range tests {
		r := Rule{File: tt.file, Pointer: tt.pointer, Kind: Decimal}
		if got := r.Matches(entries); got != tt.want {
			t.Errorf("Matches(%q, %q) = %v, want %v", tt.file, tt.pointer, got, tt.want)
		}
	}
}

func TestSearch(t *testing.T) {
	ids := []string{"0a1b2c3d", "0a1b2c3d4e5f", "6ac4a4a5-ca03-4be2-824c-a250273a23b9", "01KBA0F7CQ5X9P2R4T6V8W0Y1Z"}
	set := map[string]string{}
	for _, id := range ids {
		set[id] = ""
	}
	for pad := range 12 { // every alignment of the windows
		var text string
		var want []string
		for _, id := range ids {
			want = append(want, fmt.Sprintf("%s at %d", id, len(text)+pad))
			text += strings.Repeat("x", pad) + id + " " + id + "0 a" + id + " " + id[:7] + "\n" // the second and third are part of more
		}
		var got []string
		newSearch(maps.Keys(set)).in([]byte(text), func(id string, at int) {
			if alone([]byte(text), at, at+len(id)) {
				got = append(got, fmt.Sprintf("%s at %d", id, at))
			}
		})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("search in %q (-want +got):\n%s", text, d)
		}
	}
}

func TestGitForms(t *testing.T) {
	dirs := gitDirs{"project/.git", "home/bare.git"}
	tests := []struct {
		path string
		want form
	}{
		{"project/.git/config", configForm},
		{"home/bare.git/config", configForm},
		{"project/.git/worktrees/w/config.worktree", configForm},
		{"project/.git/FETCH_HEAD", lineForm},
		{"project/.git/logs/refs/heads/main", lineForm},
		{"project/.git/worktrees/w/logs/HEAD", lineForm},
		{"project/.git/worktrees/w/gitdir", lineForm},
		{"project/.git/objects/info/alternates", lineForm},
		{"project/.git/hooks/pre-commit", textForm}, // a program
		{"project/.git/packed-refs", textForm},      // a ref's name cannot hold all that a path can
		{"project/config", textForm},
		{"home/.gitconfig", textForm},
	}
	for _, tt := range tests {
		if got := dirs.form(tt.path); got != tt.want {
			t.Errorf("form(%q) = %v, want %v", tt.path, got, tt.want)
		}
	}
}
