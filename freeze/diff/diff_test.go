package diff_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

var update = flag.Bool("update", false, "write the golden reports")

const (
	rootA, rootB     = "/tmp/fz.kqzrmtwp", "/tmp/fz.hvlnxsgj"
	idA, idB         = "0b9d7e54-3d1c-4f7e-9a55-0f8f6f0d1c22", "f3a6c1b8-7e42-4d0a-8c19-64b2d7e0a951"
	digestA, digestB = "3603ec2658ec", "5b0c1a77d9e2"
	state            = "home/.local/state/demo/"
)

func file(path, data string) tree.Entry {
	return tree.Entry{Path: path, Type: tree.File, Mode: 0o644, Data: []byte(data)}
}

// side is a scenario of one file or more, all in the release's own box.
func side(version, root string, entries []tree.Entry, bs ...binding.Binding) []*fixture.Release {
	s := &fixture.Scenario{Name: "open", Root: root, Entries: entries, Bindings: bs}
	return []*fixture.Release{{Family: "sessions", Version: version, Scenarios: map[string]*fixture.Scenario{"open": s}}}
}

func bind(kind binding.Kind, value string, at ...binding.Occurrence) binding.Binding {
	id := string(kind)
	if kind == binding.Path {
		id = "root"
	}
	return binding.Binding{ID: id, Kind: kind, Value: value, At: at}
}

func digestOf(value string, at ...binding.Occurrence) binding.Binding {
	b := bind(binding.Derived, value, at...)
	b.Derive, b.Inputs = "sha256", []string{"{root}/project"}
	return b
}

func occurs(path, where, pointer string) binding.Occurrence {
	o := binding.Occurrence{Path: path, Where: where, Pointer: pointer, Count: 1}
	return o
}

// changes are the report's changes, one a line.
func changes(r *diff.Report) []string {
	lines := []string{}
	for _, c := range r.Changes {
		lines = append(lines, fmt.Sprintf("%s | %s | %s | %s | %s -> %s", c.Kind, c.Document, c.Pointer, c.What, c.Old, c.New))
	}
	return lines
}

func TestReleases(t *testing.T) {
	doc := state + "s.json"
	tests := []struct {
		name string
		a, b []tree.Entry
		// bindings of a and b
		bindA, bindB []binding.Binding
		want         []string
	}{
		{name: "equal", a: []tree.Entry{file(doc, `{"a":1}`)}, b: []tree.Entry{file(doc, "{\n \"a\": 1 }\n")}},
		{
			name: "another id in name and content, another time",
			a:    []tree.Entry{file(state+idA+".json", `{"id":"`+idA+`","at":"2026-03-01T12:00:01Z"}`)},
			b:    []tree.Entry{file(state+idB+".json", `{"id":"`+idB+`","at":"2026-04-09T08:30:59Z"}`)},
			bindA: []binding.Binding{
				bind(binding.ID, idA, occurs(state+idA+".json", "name", ""), occurs(state+idA+".json", "value", "/id")),
				bind(binding.Time, "2026-03-01T12:00:01Z", occurs(state+idA+".json", "value", "/at"))},
			bindB: []binding.Binding{
				bind(binding.ID, idB, occurs(state+idB+".json", "name", ""), occurs(state+idB+".json", "value", "/id")),
				bind(binding.Time, "2026-04-09T08:30:59Z", occurs(state+idB+".json", "value", "/at"))},
		},
		{
			name: "an id and a digest in the names of folders above",
			a: []tree.Entry{
				{Path: state + digestA, Type: tree.Dir, Mode: 0o755}, {Path: state + digestA + "/" + idA, Type: tree.Dir, Mode: 0o755},
				file(state+digestA+"/"+idA+"/log", "x\n"), file(state+digestA+"/loose/log", "y\n")},
			b: []tree.Entry{
				{Path: state + digestB, Type: tree.Dir, Mode: 0o755}, {Path: state + digestB + "/" + idB, Type: tree.Dir, Mode: 0o755},
				file(state+digestB+"/"+idB+"/log", "x\n"), file(state+digestB+"/loose/log", "z\n")},
			bindA: []binding.Binding{
				digestOf(digestA, occurs(state+digestA, "name", "")), bind(binding.ID, idA, occurs(state+digestA+"/"+idA, "name", ""))},
			bindB: []binding.Binding{
				digestOf(digestB, occurs(state+digestB, "name", "")), bind(binding.ID, idB, occurs(state+digestB+"/"+idB, "name", ""))},
			want: []string{"text | " + state + "{sha256 hex12}/loose/log |  | lines | y\n -> z\n"},
		},
		{
			name: "a bound value that is part of what stands in for another",
			a:    []tree.Entry{file(state+"log", digestA+" 12\n")},
			b:    []tree.Entry{file(state+"log", digestB+" 345\n")},
			bindA: []binding.Binding{
				digestOf(digestA, occurs(state+"log", "text", "/1")), bind(binding.Decimal, "12", occurs(state+"log", "text", "/1"))},
			bindB: []binding.Binding{
				digestOf(digestB, occurs(state+"log", "text", "/1")), bind(binding.Decimal, "345", occurs(state+"log", "text", "/1"))},
		},
		{
			name: "a whole file, declared opaque, as bytes and as lines",
			a:    []tree.Entry{file(state+"sealed", "\x00\x01\xff"), file(state+"sealed.txt", "aa\nbb\n"), file(state+"grown", "\x00\x01")},
			b:    []tree.Entry{file(state+"sealed", "\x00\x02\xfe"), file(state+"sealed.txt", "xx\nyy\n"), file(state+"grown", "\x00\x01\x02")},
			bindA: []binding.Binding{
				bind(binding.Opaque, "\x00\x01\xff", occurs(state+"sealed", "text", "")),
				bind(binding.Opaque, "aa\nbb\n", occurs(state+"sealed.txt", "text", "")),
				bind(binding.Opaque, "\x00\x01", occurs(state+"grown", "text", ""))},
			bindB: []binding.Binding{
				bind(binding.Opaque, "\x00\x02\xfe", occurs(state+"sealed", "text", "")),
				bind(binding.Opaque, "xx\nyy\n", occurs(state+"sealed.txt", "text", "")),
				bind(binding.Opaque, "\x00\x01\x02", occurs(state+"grown", "text", ""))},
			want: []string{"binary | " + state + "grown |  | bytes | {opaque 2 bytes} -> {opaque 3 bytes}"},
		},
		{
			name:  "unit of a time",
			a:     []tree.Entry{file(doc, `{"at":"2026-03-01T12:00:01Z"}`)},
			b:     []tree.Entry{file(doc, `{"at":1772366401000}`)},
			bindA: []binding.Binding{bind(binding.Time, "2026-03-01T12:00:01Z", occurs(doc, "value", "/at"))},
			bindB: []binding.Binding{bind(binding.Time, "1772366401000", occurs(doc, "value", "/at"))},
			want: []string{
				"json | " + doc + " | /at | format | {time RFC 3339 s UTC} -> {time unix ms}",
				"json | " + doc + " | /at | type | string -> number"},
		},
		{
			name:  "seconds became milliseconds",
			a:     []tree.Entry{file(doc, `{"at":1772366401}`)},
			b:     []tree.Entry{file(doc, `{"at":1772366401000}`)},
			bindA: []binding.Binding{bind(binding.Time, "1772366401", occurs(doc, "value", "/at"))},
			bindB: []binding.Binding{bind(binding.Time, "1772366401000", occurs(doc, "value", "/at"))},
			want:  []string{"json | " + doc + " | /at | format | {time unix s} -> {time unix ms}"},
		},
		{
			name:  "kind of an id",
			a:     []tree.Entry{file(doc, `{"id":"`+idA+`"}`)},
			b:     []tree.Entry{file(doc, `{"id":"01J8ZQ4T9V6W3X2Y1Z0ABCDEFG"}`)},
			bindA: []binding.Binding{bind(binding.ID, idA, occurs(doc, "value", "/id"))},
			bindB: []binding.Binding{bind(binding.ID, "01J8ZQ4T9V6W3X2Y1Z0ABCDEFG", occurs(doc, "value", "/id"))},
			want:  []string{"json | " + doc + " | /id | format | {id uuid v4} -> {id ulid}"},
		},
		{
			name:  "version of a derivation",
			a:     []tree.Entry{file(doc, `{"print":"v1:00aabbccddeeff11"}`)},
			b:     []tree.Entry{file(doc, `{"print":"v2:99aabbccddeeff22"}`)},
			bindA: []binding.Binding{{ID: "d", Kind: binding.Derived, Derive: "print", Value: "v1:00aabbccddeeff11", At: []binding.Occurrence{occurs(doc, "value", "/print")}}},
			bindB: []binding.Binding{{ID: "d", Kind: binding.Derived, Derive: "print", Value: "v2:99aabbccddeeff22", At: []binding.Occurrence{occurs(doc, "value", "/print")}}},
			want:  []string{"json | " + doc + " | /print | format | {print v1:hex16} -> {print v2:hex16}"},
		},
		{
			name: "fields, types and values; array elements are one",
			a:    []tree.Entry{file(doc, `{"gone":null,"n":1,"list":[{"x":1},{"x":2}],"k":"v"}`)},
			b:    []tree.Entry{file(doc, `{"n":"1","list":[{"x":2,"y":true},{"x":3}],"k":"w","new":{"a/b":1.50}}`)},
			want: []string{
				"json | " + doc + " | /gone | field removed | null: null -> ",
				"json | " + doc + ` | /k | value | "v" -> "w"`,
				"json | " + doc + " | /list/*/x | value | 1, 2 -> 2, 3",
				"json | " + doc + " | /list/*/y | field added |  -> boolean: true",
				"json | " + doc + " | /n | type | number -> string",
				"json | " + doc + ` | /n | value | 1 -> "1"`,
				"json | " + doc + " | /new | field added |  -> object",
				"json | " + doc + " | /new/a~1b | field added |  -> number: 1.50"},
		},
		{
			name: "a bound key",
			a:    []tree.Entry{file(doc, `{"`+idA+`":{"a":1}}`)}, b: []tree.Entry{file(doc, `{"`+idB+`":{"a":2}}`)},
			bindA: []binding.Binding{bind(binding.ID, idA, occurs(doc, "key", ""))},
			bindB: []binding.Binding{bind(binding.ID, idB, occurs(doc, "key", ""))},
			want:  []string{"json | " + doc + " | /{id uuid v4}/a | value | 1 -> 2"},
		},
		{
			name: "records of JSON Lines are one",
			a:    []tree.Entry{file(state+"log.jsonl", "{\"type\":\"open\"}\n{\"type\":\"close\"}\n")},
			b:    []tree.Entry{file(state+"log.jsonl", "{\"type\":\"open\"}\n{\"type\":\"close\",\"code\":0}\n")},
			want: []string{"jsonl | " + state + "log.jsonl | /*/code | field added |  -> number: 0"},
		},
		{
			name: "TOML",
			a:    []tree.Entry{file(state+"c.toml", "# one\nversion = 1\nat = 2026-03-01T12:00:01Z\n")},
			b:    []tree.Entry{file(state+"c.toml", "version = 2\nat = \"2026-03-01T12:00:01Z\"\n")},
			want: []string{
				"toml | " + state + "c.toml | /at | type | datetime -> string",
				"toml | " + state + `c.toml | /at | value | 2026-03-01T12:00:01Z -> "2026-03-01T12:00:01Z"`,
				"toml | " + state + "c.toml | /version | value | 1 -> 2"},
		},
		{
			name: "text, line by line",
			a:    []tree.Entry{file(state+"notes", "one\ntwo\nthree\n")},
			b:    []tree.Entry{file(state+"notes", "one\n\nthree\nfour")},
			want: []string{"text | " + state + "notes |  | lines | two\n -> \nfour\n\\ no newline at the end\n"},
		},
		{
			name: "binary, by size and hash",
			a:    []tree.Entry{file(state+"blob", "\x00a")},
			b:    []tree.Entry{file(state+"blob", "\x00bc")},
			want: []string{"binary | " + state + "blob |  | bytes | " +
				"2 bytes, sha256 022a6979e6dab7aa5ae4c3e5e45f7e977112a7e63593820dbec1ec738a24f93c -> " +
				"3 bytes, sha256 4075b6a68556aaa03188190d906199743692269dd8556b034c418f194a70e188"},
		},
		{
			name: "JSON became TOML, a file became a link",
			a:    []tree.Entry{file(state+"conf", "{\"a\":1}\n"), file(state+"cur", "x\n")},
			b:    []tree.Entry{file(state+"conf", "a = 1\n"), {Path: state + "cur", Type: tree.Symlink, Target: "y"}},
			want: []string{
				"symlink | " + state + "cur |  | kind | text -> symlink",
				"symlink | " + state + "cur |  | mode | 0644 -> ",
				"text | " + state + "conf |  | kind | json -> text"},
		},
		{
			name: "modes, targets, folders",
			a: []tree.Entry{{Path: state + "d", Type: tree.Dir, Mode: 0o755}, {Path: state + "l", Type: tree.Symlink, Target: "d"},
				{Path: state + "x", Type: tree.File, Mode: 0o644}},
			b: []tree.Entry{{Path: state + "e", Type: tree.Dir, Mode: 0o755}, {Path: state + "l", Type: tree.Symlink, Target: "e"},
				{Path: state + "x", Type: tree.File, Mode: 0o600}},
			want: []string{
				"dir | " + state + "d |  | document removed |  -> ",
				"dir | " + state + "e |  | document added |  -> ",
				"symlink | " + state + "l |  | target | d -> e",
				"text | " + state + "x |  | mode | 0644 -> 0600"},
		},
		{
			name:  "one of two documents of a kind",
			a:     []tree.Entry{file(state+idA+".json", `{"a":1}`)},
			b:     []tree.Entry{file(state+idB+".json", `{"a":1}`), file(state+idA+".json", `{"a":1}`)},
			bindA: []binding.Binding{bind(binding.ID, idA, occurs(state+idA+".json", "name", ""))},
			bindB: []binding.Binding{bind(binding.ID, idB, occurs(state+idB+".json", "name", "")),
				{ID: "id2", Kind: binding.ID, Value: idA, At: []binding.Occurrence{occurs(state+idA+".json", "name", "")}}},
			want: []string{"json | " + state + "{id uuid v4}.json |  | count | 1 -> 2"},
		},
		{
			name: "a pid is set aside where it stands, and nowhere else",
			a:    []tree.Entry{file(doc, `{"pid":17,"n":17,"s":"17 runs"}`)}, b: []tree.Entry{file(doc, `{"pid":18,"n":18,"s":"18 runs"}`)},
			bindA: []binding.Binding{bind(binding.Decimal, "17", occurs(doc, "value", "/pid"))},
			bindB: []binding.Binding{bind(binding.Decimal, "18", occurs(doc, "value", "/pid"))},
			want: []string{"json | " + doc + " | /n | value | 17 -> 18",
				"json | " + doc + ` | /s | value | "17 runs" -> "18 runs"`},
		},
		{
			name: "an id that begins with another",
			a:    []tree.Entry{file(doc, `{"s":"deadbeef01 deadbeef"}`)}, b: []tree.Entry{file(doc, `{"s":"cafebabe77 cafebabe"}`)},
			bindA: []binding.Binding{bind(binding.ID, "deadbeef", occurs(doc, "value", "/s")), bind(binding.ID, "deadbeef01", occurs(doc, "value", "/s"))},
			bindB: []binding.Binding{bind(binding.ID, "cafebabe", occurs(doc, "value", "/s")), bind(binding.ID, "cafebabe77", occurs(doc, "value", "/s"))},
		},
		{name: "a view is no document", a: []tree.Entry{file("view/list/stdout", "one\n")}, b: []tree.Entry{file("view/list/stdout", "two\n")}},
		{
			name: "git's objects and what names them",
			a: []tree.Entry{file("project/.git/HEAD", "ref: refs/heads/main\n"), file("project/.git/index", "DIRC\x00a"),
				file("project/.git/objects/ab/cdef", "\x00a"), file("project/.git/refs/heads/main", strings.Repeat("ab", 20)+"\n")},
			b: []tree.Entry{file("project/.git/HEAD", "ref: refs/heads/trunk\n"), file("project/.git/index", "DIRC\x00b"),
				file("project/.git/objects/12/3456", "\x00b"), file("project/.git/refs/heads/main", strings.Repeat("cd", 20)+"\n")},
			want: []string{"text | project/.git/HEAD |  | lines | ref: refs/heads/main\n -> ref: refs/heads/trunk\n"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := diff.Releases(side("v1.0.0", rootA, tt.a, tt.bindA...), side("v1.1.0", rootB, tt.b, tt.bindB...))
			if tt.want == nil {
				tt.want = []string{}
			}
			if diff := cmp.Diff(tt.want, changes(r)); diff != "" {
				t.Errorf("Releases (-want +got)\n%s", diff)
			}
			require.Equal(t, len(tt.want) == 0, r.Empty())
		})
	}
}

// The roots of two releases have other names and lengths, and a path may be
// spelled in any of its ways.
func TestRootsAreSetAside(t *testing.T) {
	doc := state + "s.json"
	make := func(version, root, rest string) []*fixture.Release {
		return side(version, root, []tree.Entry{file(doc, `{"dir":"`+root+`/project`+rest+`"}`)},
			bind(binding.Path, root, binding.Occurrence{Path: doc, Where: "value", Pointer: "/dir", Spelling: "raw", Count: 1}))
	}
	require.Empty(t, changes(diff.Releases(make("v1.0.0", rootA, ""), make("v1.1.0", "/tmp/fz.longer-hvlnxsgj", ""))))
	want := []string{"json | " + doc + ` | /dir | value | "/box/project" -> "/box/project/sub"`}
	require.Equal(t, want, changes(diff.Releases(make("v1.0.0", rootA, ""), make("v1.1.0", rootB, "/sub"))))
}

func TestScenariosInOneReleaseOnly(t *testing.T) {
	a := side("v1.0.0", rootA, []tree.Entry{file(state+"x", "1\n")})
	b := side("v1.1.0", rootB, []tree.Entry{file(state+"x", "2\n")})
	b[0].Scenarios["closed"] = b[0].Scenarios["open"]
	delete(b[0].Scenarios, "open")
	r := diff.Releases(a, b)
	want := &diff.Report{A: "v1.0.0", B: "v1.1.0", Compared: []string{}, OnlyA: []string{"sessions/open"}, OnlyB: []string{"sessions/closed"}, Changes: []diff.Change{}, Unread: []diff.Unread{}}
	if d := cmp.Diff(want, r); d != "" {
		t.Errorf("Releases (-want +got)\n%s", d)
	}
	require.False(t, r.Empty(), "nothing in common is not the same")
}

// reported is a report with one of each line that a report can have.
func reported() *diff.Report {
	a := side("v1.0.0", rootA, []tree.Entry{
		file(state+"bad.ini", "[none\n"),
		file(state+"conf.toml", "version = 1\n"),
		file(state+"notes.md", "a|b\n`tick`\n"),
		file(state+"s.json", `{"at":"2026-03-01T12:00:01Z","state":"open"}`),
	}, bind(binding.Time, "2026-03-01T12:00:01Z", occurs(state+"s.json", "value", "/at")))
	b := side("v1.1.0", rootB, []tree.Entry{
		file(state+"bad.ini", "[none\n"),
		{Path: state + "empty", Type: tree.Dir, Mode: 0o755},
		file(state+"notes.md", "a|c\n"+strings.Repeat("more\n", 25)),
		{Path: state + "s.json", Type: tree.File, Mode: 0o600, Data: []byte(`{"at":1772366401,"owner":"` + strings.Repeat("o", 200) + `"}`)},
	}, bind(binding.Time, "1772366401", occurs(state+"s.json", "value", "/at")))
	a[0].Scenarios["closed"] = &fixture.Scenario{Name: "closed", Root: rootA, Entries: a[0].Scenarios["open"].Entries, Bindings: a[0].Scenarios["open"].Bindings}
	b[0].Scenarios["closed"] = &fixture.Scenario{Name: "closed", Root: rootB, Entries: b[0].Scenarios["open"].Entries, Bindings: b[0].Scenarios["open"].Bindings}
	b[0].Scenarios["crashed"] = b[0].Scenarios["closed"]
	return diff.Releases(a, b)
}

func TestReports(t *testing.T) {
	r := reported()
	tests := []struct {
		golden string
		write  func(io.Writer) error
	}{{"report.txt", r.Text}, {"report.json", r.JSON}, {"report.md", r.Markdown}}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, tt.write(&got))
			name := filepath.Join("testdata", tt.golden)
			if *update {
				require.NoError(t, os.WriteFile(name, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.golden, diff)
			}
		})
	}
}

// What a program wrote neither moves the cursor of who reads of it nor ends a
// line or a row of a table.
func TestReportsOfOddText(t *testing.T) {
	link := func(target string) tree.Entry {
		return tree.Entry{Path: state + "link", Type: tree.Symlink, Target: target}
	}
	r := diff.Releases(
		side("v1.0.0", rootA, []tree.Entry{link("a"), file(state+"log", "a\tb \x1b[2Jc\n"), file(state+"s.json", `{"a\nb": 1}`)}),
		side("v1.1.0", rootB, []tree.Entry{link("\x1b]0;t\a"), file(state+"log", "é\u009b\n"), file(state+"s.json", `{"c|d": 1}`), file(state+"two\nlines\r", "x\n")}))
	var text, markdown bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.NoError(t, r.Markdown(&markdown))
	wantText := `v1.0.0 to v1.1.0: 5 changes in 4 documents, 1 scenario compared

sessions, json
  home/.local/state/demo/s.json
    /a\nb: field removed, number: 1  (open)
    /c|d: field added, number: 1  (open)

sessions, symlink
  home/.local/state/demo/link
    target a -> \x1b]0;t\a  (open)

sessions, text
  home/.local/state/demo/log
    lines  (open)
      -a	b \x1b[2Jc
      +é\u009b
  home/.local/state/demo/two\nlines\r
    document added  (open)
`
	wantMarkdown := strings.ReplaceAll(`## v1.0.0 to v1.1.0: 5 changes in 4 documents, 1 scenario compared

### sessions, json

| document | change | scenarios |
| --- | --- | --- |
| 'home/.local/state/demo/s.json' | '/a\nb: field removed, number: 1' | open |
| 'home/.local/state/demo/s.json' | '/c\|d: field added, number: 1' | open |

### sessions, symlink

| document | change | scenarios |
| --- | --- | --- |
| 'home/.local/state/demo/link' | 'target a -> \x1b]0;t\a' | open |

### sessions, text

| document | change | scenarios |
| --- | --- | --- |
| 'home/.local/state/demo/log' | 'lines'<br>'-a	b \x1b[2Jc'<br>'+é\u009b' | open |
| 'home/.local/state/demo/two\nlines\r' | 'document added' | open |
`, "'", "`")
	if diff := cmp.Diff(wantText, text.String()); diff != "" {
		t.Errorf("Text (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(wantMarkdown, markdown.String()); diff != "" {
		t.Errorf("Markdown (-want +got)\n%s", diff)
	}
}
