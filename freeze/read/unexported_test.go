package read

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/sandbox"
)

func TestJudge(t *testing.T) {
	said := func(exit int, stdout string) fixture.Output {
		return fixture.Output{Stdout: []byte(stdout), Exit: exit}
	}
	two := `{"notes":[{"id":1,"text":"a"},{"id":2,"text":"b"}],"refused":[]}`
	for _, tt := range []struct {
		name      string
		view, got fixture.Output
		stderr    string
		args      []string // of read, after the view's name and before the command
		want      Outcome
		message   string
	}{
		{"the same text", said(0, "a\nb\n"), said(0, "a\nb\n"), "", nil, Reads, ""},
		{"another line", said(0, "a\nb\n"), said(0, "a\nc\n"), "", nil, Misreads, `/2 is "c", in the view "b"`},
		{"another record", said(0, "{\"a\":1}\n{\"a\":2}\n"), said(0, "{\"a\":1}\n{\"a\":3}\n"), "", nil, Misreads, "/2/a is 3, in the view 2"},
		{"another line, asked for", said(0, "a\nb\n"), said(0, "a\nc\n"), "", []string{"/1", "/2"}, Misreads, `/2 is "c", in the view "b"`},
		{"nothing at all", said(0, "a\nb\n"), said(0, ""), "", nil, Misreads, "the answer has 0 elements, in the view 2"},
		{"one line more", said(0, "a\n"), said(0, "a\nb\n"), "", nil, Misreads, "the answer has 2 elements, in the view 1"},
		{"bytes", said(0, "\xff\x00"), said(0, "\xff\x01"), "", nil, Misreads, "the answer is not the view's 2 bytes"},
		{"bytes for text", said(0, "a\n"), said(0, "\x00"), "", nil, Misreads, "the answer is not the view's 2 bytes"},
		{"JSON in another order", said(0, `{"a":1,"b":[2]}`), said(0, "{\n  \"b\": [2],\n  \"a\": 1\n}\n"), "", nil, Reads, ""},
		{"another value", said(0, two), said(0, `{"notes":[{"id":1,"text":"a"},{"id":2,"text":"c"}],"refused":[]}`), "", nil, Misreads, `/notes/1/text is "c", in the view "b"`},
		{"a number for a text", said(0, `{"a":"1"}`), said(0, `{"a":1}`), "", nil, Misreads, `/a is 1, in the view "1"`},
		{"a member less", said(0, `{"a":1,"b":2}`), said(0, `{"a":1}`), "", nil, Misreads, "/b is not there, the view has 2"},
		{"a member more", said(0, `{"a":1}`), said(0, `{"a":1,"b":null}`), "", nil, Misreads, "/b is null, the view has none"},
		{"an element less", said(0, `[1,2]`), said(0, `[1]`), "", nil, Misreads, "the answer has 1 elements, in the view 2"},
		{"an object for a list", said(0, `[1]`), said(0, `{"a":1}`), "", nil, Misreads, "the answer is an object of 1 members, in the view a list of 1 elements"},

		{"at a pointer", said(0, two), said(0, `{"notes":[{"id":1,"text":"x"}]}`), "", []string{"/notes/0/id"}, Reads, ""},
		{"at two", said(0, two), said(0, `{"notes":[{"id":1,"text":"x"}]}`), "", []string{"/notes/0/id", "/notes/0/text"}, Misreads, `/notes/0/text is "x", in the view "a"`},
		{"at every", said(0, two), said(0, `{"notes":[{"id":1},{"id":3}]}`), "", []string{"/notes/*/id"}, Misreads, "/notes/*/id is 3, in the view 2"},
		{"one of them is gone", said(0, two), said(0, `{"notes":[{"id":1}]}`), "", []string{"/notes/*/id"}, Misreads, "/notes/*/id is there 1 times, in the view 2 times"},
		{"all are gone", said(0, two), said(0, `{"notes":[]}`), "", []string{"/notes/*/id"}, Misreads, "/notes/*/id is not there, the view has 1"},
		{"none, as it was", said(0, `{"notes":[]}`), said(0, `{"notes":[]}`), "", []string{"/notes/*/id"}, Reads, ""},
		{"some where none were", said(0, `{"notes":[]}`), said(0, two), "", []string{"/notes/*/id"}, Misreads, "/notes/*/id is there 2 times, in the view 0 times"},
		{"elsewhere", said(0, `{"path":"p"}`), said(0, `{"place":{"path":"p"}}`), "", []string{"/place/path=/path"}, Reads, ""},
		{"elsewhere, and another", said(0, `{"path":"p"}`), said(0, `{"place":{"path":"q"}}`), "", []string{"/place/path=/path"}, Misreads, `/place/path is "q", in the view "p"`},

		{"a refusal", said(0, "a\n"), said(1, ""), "note: too new\nmore\n", nil, Refuses, "note: too new"},
		{"a refusal with pointers", said(0, two), said(3, ""), "note: too new\n", []string{"/notes/0/id"}, Refuses, "note: too new"},
		{"a refusal on standard output", said(0, "a\n"), said(1, "too new\n"), "", nil, Refuses, "too new"},
		{"a traceback", said(0, "a\n"), said(1, ""), "Traceback (most recent call last):\n  File x\nKeyError: 'id'\n", nil, Refuses, "KeyError: 'id'"},
		{"an error that node was not told to catch", said(0, "a\n"), said(1, ""), "(node:7) Warning: old\n/b/cli.js:11\nconst list = () => load().forEach(x => x);\n                          ^\n\nTypeError: load(...).forEach is not a function\n    at list (/b/cli.js:11:27)\n\nNode.js v20.20.2\n", nil, Refuses, "TypeError: load(...).forEach is not a function"},
		{"what node was thrown", said(0, "a\n"), said(1, ""), "/b/cli.js:1\nthrow {code: 3}\n^\n{ code: 3 }\n\nNode.js v20.20.2\n", nil, Refuses, "{ code: 3 }"},
		{"a refusal that names a line", said(0, "a\n"), said(1, ""), "list.txt:3\nhas another form\n", nil, Refuses, "list.txt:3"},
		{"a refusal after warnings", said(0, "a\n"), said(1, ""), "(node:7) DeprecationWarning: old\n(Use `node --trace-deprecation` to show where the warning was created)\n\nnpm WARN removing\nnpm ERR! too new\nnpm ERR! see the log\n", nil, Refuses, "npm ERR! too new"},
		{"a refusal that only warns", said(0, "a\n"), said(1, ""), "warning: too new\nwarning: gone\n", nil, Refuses, "warning: too new"},
		{"a refusal about what is forewarned", said(0, "a\n"), said(1, ""), "forewarned.txt: too new\nmore\n", nil, Refuses, "forewarned.txt: too new"},
		{"as the release had refused", said(1, ""), said(1, ""), "no note\n", nil, Reads, ""},
		{"and with pointers", said(1, ""), said(1, ""), "no note\n", []string{"/id"}, Reads, ""},
		{"otherwise than the release had", said(1, ""), said(2, ""), "usage\n", nil, Refuses, "usage"},
		{"in other words", said(1, "no\n"), said(1, "never\n"), "", nil, Refuses, "never"},
		{"not refused any more", said(1, ""), said(0, "a\n"), "", nil, Misreads, "exits 0, the view with status 1"},

		{"a refusal in the answer", said(0, two), said(0, `{"notes":[],"refused":["2 is too new"]}`), "", []string{"-refused", "/refused/*", "/notes/*/id"}, Refuses, "2 is too new"},
		{"of something else than text", said(0, two), said(0, `{"notes":[],"refused":[{"id":2}]}`), "", []string{"-refused", "/refused/*", "/notes/*/id"}, Refuses, "an object of 1 members"},
		{"no more than the release had refused", said(0, `{"notes":[1],"refused":["x"]}`), said(0, `{"notes":[2],"refused":["x"]}`), "", []string{"-refused", "/refused/*"}, Misreads, "/notes/0 is 2, in the view 1"},
		{"a warning", said(0, two), said(0, `{"notes":[]}`), "note: hello\nnote: 2 not shown\nbye\n", []string{"-warned", "[1-9] not shown", "/notes/*/id"}, Refuses, "note: 2 not shown"},
		{"another warning", said(0, two), said(0, `{"notes":[]}`), "note: 0 not shown\n", []string{"-warned", "[1-9] not shown", "/notes/*/id"}, Misreads, "/notes/*/id is not there, the view has 1"},
		{"a warning with the right answer", said(0, two), said(0, two), "note: 2 not shown\n", []string{"-warned", "[1-9] not shown"}, Reads, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, how, command, err := question(append(append([]string{"list"}, tt.args...), "note", "list"))
			require.NoError(t, err)
			require.Equal(t, []string{"list", "note", "list"}, append([]string{name}, command...))
			outcome, message, err := how.judge(tt.view, tt.got, tt.stderr)
			require.NoError(t, err)
			if d := cmp.Diff([]string{string(tt.want), tt.message}, []string{string(outcome), message}); d != "" {
				t.Errorf("judge (-want +got)\n%s", d)
			}
		})
	}
}

func TestQuestionRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                         readUsage,
		"list":                     readUsage,
		"list /notes":              readUsage,
		"list -refused":            "",
		"list -refused /a":         readUsage,
		"list -refuse /a note":     readUsage,
		"list -warned ( note list": "error parsing regexp: missing closing ): `(?m)^.*(?:().*$`",
	} {
		_, _, command, err := question(strings.Fields(args))
		if want == "" {
			require.NoError(t, err, args)
			require.Equal(t, []string{"-refused"}, command)
			continue
		}
		require.EqualError(t, err, want, args)
	}
}

// A pointer that is misspelt would find the same nothing on both sides.
func TestJudgeNothing(t *testing.T) {
	view := fixture.Output{Stdout: []byte(`{"notes":[{"id":1}],"none":[]}`)}
	for pointer, want := range map[string]string{
		"/nots":        "the view has nothing at /nots",
		"/notes/*/idd": "the view has nothing at /notes/*/idd",
		"/nots/*/id":   "the view has nothing at /nots/*/id",
		"/notes/1/id":  "the view has nothing at /notes/1/id",
	} {
		_, _, err := how{pointers: pointersOf([]string{pointer})}.judge(view, view, "")
		require.EqualError(t, err, want)
	}
}

func TestPlain(t *testing.T) {
	r := &runner{in: &sandbox.Inside{Root: "/tmp/fz.abcdefgh"}}
	for text, want := range map[string]string{
		`"/tmp/fz.abcdefgh/home/.note": too new`:                              `"{home}/.note": too new`,
		"/tmp/fz.abcdefgh/project and /tmp/fz.abcdefgh/bin":                   "{project} and {box}/bin",
		"note 678b385b97bf at 2026-11-30T15:06:42.045Z":                       "note {hex} at {time}",
		"note d9b2d63d-a233-4123-847a-7090d1f0a1b2 of 2026-11-30 15:06:42":    "note {id} of {time}",
		"schema 2 is newer than 1, exit status 128, decade, 1796047257 s":     "schema 2 is newer than 1, exit status 128, decade, {hex} s",
		"v1:4a36dbee2e2781f0c85eda16a16f6e20e27ae09472b90d451e5710ac6c2487ac": "v1:{hex}",
		"caf\xe9: no such note":                                               "caf\uFFFD: no such note",
	} {
		require.Equal(t, want, r.plain(text))
	}
}

// What is older may refuse, and nothing else is ever right.
func TestBad(t *testing.T) {
	for _, tt := range []struct {
		program, writer string
		outcome         Outcome
		meant           bool
		bad, today      bool
	}{
		{"v1.0.0", "v1.1.0", Reads, false, false, false},
		{"v1.0.0", "v1.1.0", Refuses, false, false, false},
		{"v1.0.0", "v1.1.0", Misreads, false, true, false},
		{"v1.0.0", "v1.1.0", Writes, false, true, false},
		{"v1.0.0", "HEAD", Refuses, false, false, false},
		{"v1.0.0", "HEAD", Misreads, false, true, true},
		{"v1.1.0", "v1.0.0", Refuses, false, true, false},
		{"v1.10.0", "v1.9.0", Refuses, false, true, false},
		{"v1.1.0", "v1.0.0", Refuses, true, false, false},
		{"v1.1.0", "v1.1.0", Refuses, false, true, false},
		{"HEAD", "v1.0.0", Refuses, false, true, true},
		{"HEAD", "v1.0.0", Writes, true, true, true},
	} {
		s := Step{Program: tt.program, Writer: tt.writer, Outcome: tt.outcome, Meant: tt.meant}
		r := &Report{Steps: []Step{s}}
		got := []bool{s.Bad(), r.Bad(true) != nil}
		if d := cmp.Diff([]bool{tt.bad, tt.bad && tt.today}, got); d != "" {
			t.Errorf("%s on %s of %s (-want +got)\n%s", tt.program, tt.outcome, tt.writer, d)
		}
	}
}

// What a program said is one line, and no terminal obeys it.
func TestStepString(t *testing.T) {
	s := Step{Script: "s", Release: "v1.0.0", Family: "f", Scenario: "open", View: "list", Program: "v1.1.0", Reader: "v1.1.0", Outcome: Refuses, Message: "no\x1b[2J\nmore", Wrote: []string{"home/\a"}}
	require.Equal(t, `s, f/open of v1.0.0: v1.1.0 refuses list: no\x1b[2J\nmore (wrote home/\a)`, s.String())
}
