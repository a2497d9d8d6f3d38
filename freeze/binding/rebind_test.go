package binding_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

// one is a capture of one file, and the bindings that Find gives it.
func one(t *testing.T, name, format string, rules ...binding.Rule) ([]tree.Entry, []binding.Binding) {
	t.Helper()
	write := func(root string) *binding.Run {
		b := newBox(root, 1)
		b.put(name, strings.ReplaceAll(format, "ROOT", root))
		return b.run()
	}
	a := write(rootA)
	bs, ds := binding.Find(a, write(rootB), nil, rules)
	noDifference(t, "Find", ds)
	return a.Entries, bs
}

func TestRebindTakesOddRoots(t *testing.T) {
	tests := []struct{ name, format, root, want string }{
		{"p/a.json", `{"d":"ROOT/x"}`, "/a b/é'$", `{"d":"/a b/é'$/x"}`},
		{"p/a.toml", `d = "ROOT/x"`, "/a b/é$", `d = "/a b/é$/x"`},
		{"p/.git", "gitdir: ROOT/x\n", "/a b/\xff\"'\\", "gitdir: /a b/\xff\"'\\/x\n"},
		{"view/v/stdout", "NAME  FOLDER\nmine  ROOT/x\n", "/a b-c/é\"'$", "NAME  FOLDER\nmine  /a b-c/é\"'$/x\n"},
		{"p/t.txt", "in ROOT/x, and\nROOT", "/a/b+c@d=e", "in /a/b+c@d=e/x, and\n/a/b+c@d=e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, bs := one(t, tt.name, tt.format)
			got, err := binding.Rebind(context.Background(), entries, bs, tt.root, nil)
			require.NoError(t, err)
			if d := cmp.Diff(tt.want, string(got[len(got)-1].Data)); d != "" {
				t.Errorf("Rebind (-want +got):\n%s", d)
			}
		})
	}
}

func TestRebindEncodesOddRoots(t *testing.T) {
	const root = "/a b/%\"\xff"
	write := func(root string) *binding.Run {
		b := newBox(root, 1)
		b.put("p/a.txt", fmt.Sprintf("%s %x %X\n", escape(root), root, root))
		b.put("p/"+fmt.Sprintf("%x", root), "")
		b.link("p/link", root+"/x")
		return b.run()
	}
	a := write(rootA)
	bs, ds := binding.Find(a, write(rootB), nil, nil)
	noDifference(t, "Find", ds)
	got, err := binding.Rebind(context.Background(), a.Entries, bs, root, nil)
	require.NoError(t, err)
	want := map[string]string{"p": "", "p/a.txt": "%2Fa%20b%2F%25%22%FF 2f6120622f2522ff 2F6120622F2522FF\n", "p/2f6120622f2522ff": "", "p/link": root + "/x"}
	contents := map[string]string{}
	for _, e := range got {
		contents[e.Path] = string(e.Data) + e.Target
	}
	if d := cmp.Diff(want, contents); d != "" {
		t.Errorf("Rebind (-want +got):\n%s", d)
	}
}

func TestRebindRefusesRoots(t *testing.T) {
	tests := []struct{ name, format, root, want string }{
		{"p/a.json", `{"d":"ROOT"}`, `/a"b`, `"p/a.json": byte 6: the new root "/a\"b" cannot stand here, where the old one is spelled raw: it holds "\""`},
		{"p/a.json", `{"d":"ROOT"}`, `/a\b`, `it holds "\\"`},
		{"p/a.json", `{"d":"ROOT"}`, "/a\nb", "it holds a control character"},
		{"p/a.json", `{"d":"ROOT"}`, "/a\xffb", "it is not valid UTF-8"},
		{"p/a.json", `{"d":"\/tmp\/fz.hjkmnpqr"}`, "/a b", "where the old one is spelled json: it is known for letters"},
		{"p/a.json", `{"u":"file://ROOT"}`, "/a b", "how to quote it"},
		{"p/a.toml", `d = 'ROOT'`, "/a'b", `it holds "'"`},
		{"p/a.toml", `d = "ROOT"`, "/a\xffb", "it is not valid UTF-8"},
		{"p/.git", "gitdir: ROOT/x\n", "/a\nb", `it holds "\n"`},
		{"view/v/stdout", "at ROOT\n:\n", "/a\tb", "it holds a control character"},
		{"p/run.sh", "cd ROOT/x\n:\n", "/a b", "the file's format does not say how to quote it"},
		{"p/a.json", `{"d":"ROOT"}`, "relative", "not an absolute path in its shortest form"},
		{"p/a.json", `{"d":"ROOT"}`, "/a/../b", "not an absolute path in its shortest form"},
	}
	for _, tt := range tests {
		t.Run(tt.name+tt.root, func(t *testing.T) {
			format := tt.format
			if strings.Contains(format, `\/`) {
				format = strings.ReplaceAll(format, jsonSlash(rootA), "ROOT")
				b, c := newBox(rootA, 1), newBox(rootB, 1)
				b.put(tt.name, strings.ReplaceAll(format, "ROOT", jsonSlash(rootA)))
				c.put(tt.name, strings.ReplaceAll(format, "ROOT", jsonSlash(rootB)))
				bs, ds := binding.Find(b.run(), c.run(), nil, nil)
				noDifference(t, "Find", ds)
				_, err := binding.Rebind(context.Background(), b.run().Entries, bs, tt.root, nil)
				require.ErrorContains(t, err, tt.want)
				return
			}
			entries, bs := one(t, tt.name, format)
			_, err := binding.Rebind(context.Background(), entries, bs, tt.root, nil)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestRebindRefusesWhatIsNotRecorded(t *testing.T) {
	s := newSubject(rootA, 1)
	bs, ds := binding.Find(s.run, newSubject(rootB, 2).run, newSubject(rootA, 3).run, subjectRules)
	noDifference(t, "Find", ds)
	tests := []struct {
		name string
		do   func(s *subject)
		want string
	}{
		{"a path more", func(s *subject) { s.session(`"open"`, `"`+s.project+`"`) }, `"home/state/session.json": the box's path spelled "raw" is recorded 1 times and found 2 times`},
		{"a path less", func(s *subject) { s.session(jsonSlash(s.project), "") }, `the box's path spelled "json" is recorded 1 times and found 0 times`},
		{"a path in a file with none", func(s *subject) { s.edit("home/state/by-id/"+s.uuid+"/data", "x", s.project) }, `is recorded 0 times and found 1 times`},
		{"a digest less", func(s *subject) { s.session(s.digest, "") }, `the digest "` + s.digest + `" is recorded 1 times and found 0 times`},
		{"a digest more", func(s *subject) { s.edit(noteFile, "worked", s.digest) }, `is recorded 0 times and found 1 times`},
		{"a path in a new spelling", func(s *subject) { s.edit(noteFile, "worked", strings.ToUpper(s.project)) }, `"home/state/note.txt": byte 46: the box's path in upper case`},
		{"a file less", func(s *subject) { s.remove(confFile) }, `rebind "home/state/conf.toml": bindings are recorded for it, and it is not there`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSubject(rootA, 1)
			tt.do(s)
			_, err := binding.Rebind(context.Background(), s.run.Entries, bs, "/elsewhere", nil)
			require.ErrorContains(t, err, tt.want)
		})
	}
	t.Run("a recorded digest that is none", func(t *testing.T) {
		for i := range bs {
			if bs[i].Kind == binding.Derived && bs[i].Value == s.digest {
				bs[i].Inputs = []string{"{root}/other"}
			}
		}
		_, err := binding.Rebind(context.Background(), s.run.Entries, bs, "/elsewhere", nil)
		require.ErrorContains(t, err, `sha256 of "/tmp/fz.hjkmnpqr/other" is`)
	})
}

// fingerprint is a derivation as a suite supplies it.
func fingerprint(_ context.Context, name string, inputs map[string]string) (string, error) {
	if name != "fingerprint" {
		return "", errors.New("no such derivation")
	}
	return "v1:" + sha256Hex(inputs["{project}"]+"\x00"+inputs["view/head/stdout"]), nil
}

func TestDeclaredDerivation(t *testing.T) {
	rules := []binding.Rule{{File: "**/s.json", Pointer: "/print", Kind: binding.Derived, Derive: "fingerprint",
		Inputs: []string{"{project}", "view/head/stdout"}, Pattern: "v1:[0-9a-f]{64}"}}
	write := func(root string, seed uint64) *binding.Run {
		b := newBox(root, seed)
		head := "at " + root + "/project\n"
		value, err := fingerprint(t.Context(), "fingerprint", map[string]string{"{project}": root + "/project", "view/head/stdout": head})
		require.NoError(t, err)
		b.put("home/s.json", fmt.Sprintf(`{"print": %q}`, value))
		b.put("view/head/stdout", head)
		return b.run()
	}
	a := write(rootA, 1)
	bs, ds := binding.Find(a, write(rootB, 2), write(rootA, 3), rules)
	noDifference(t, "Find", ds)
	noDifference(t, "Again", binding.Again(frozen(a), bs, write(rootFresh, 4), rules))

	got, err := binding.Rebind(t.Context(), a.Entries, bs, "/elsewhere", fingerprint)
	require.NoError(t, err)
	if d := cmp.Diff(write("/elsewhere", 1).Entries, got); d != "" {
		t.Errorf("Rebind (-want +got):\n%s", d)
	}

	_, err = binding.Rebind(t.Context(), a.Entries, bs, "/elsewhere", nil)
	require.ErrorContains(t, err, `derivation "fingerprint" is not supplied`)
	broken := func(ctx context.Context, name string, inputs map[string]string) (string, error) {
		inputs = maps.Clone(inputs)
		delete(inputs, "view/head/stdout")
		return fingerprint(ctx, name, inputs)
	}
	_, err = binding.Rebind(t.Context(), a.Entries, bs, "/elsewhere", broken)
	require.ErrorContains(t, err, "the derivation is not the release's")
}

// A later release may write at one place what does not depend on its box.
func TestDeclaredDerivationOfOtherForm(t *testing.T) {
	rules := []binding.Rule{{File: "home/s.json", Pointer: "/print", Kind: binding.Derived, Derive: "fingerprint", Pattern: "v1:[0-9a-f]{64}"}}
	write := func(root, value string) *binding.Run {
		return &binding.Run{Root: root, Entries: []tree.Entry{{Path: "home/s.json", Type: tree.File, Data: fmt.Appendf(nil, `{"print": %q}`, value)}}}
	}
	v1, v2 := "v1:"+sha256Hex("a"), "v2:"+sha256Hex("a")
	for _, tt := range []struct{ name, a, b, want string }{
		{"the same in both", v2, v2, ""},
		{"another in the second", v2, "v2:" + sha256Hex("b"), "does not match the declared pattern"},
		{"of the pattern in the first only", v1, v2, "does not match the declared pattern"},
		{"of the pattern in the second only", v2, v1, "does not match the declared pattern"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bs, ds := binding.Find(write(rootA, tt.a), write(rootB, tt.b), nil, rules)
			if tt.want == "" {
				noDifference(t, "Find", ds)
				require.False(t, slices.ContainsFunc(bs, func(b binding.Binding) bool { return b.Kind == binding.Derived }))
				noDifference(t, "Again", binding.Again(write(rootA, tt.a), bs, write(rootFresh, tt.a), rules))
				return
			}
			require.Len(t, ds, 1)
			require.Contains(t, ds[0].Why, tt.want)
		})
	}
}

func TestUndeclaredDerivationIsRefused(t *testing.T) {
	write := func(root string, seed uint64) *binding.Run {
		b := newBox(root, seed)
		b.put("home/s.json", fmt.Sprintf(`{"print": "v1:%s"}`, sha256Hex(root+"/project\x00head")))
		return b.run()
	}
	_, ds := binding.Find(write(rootA, 1), write(rootB, 2), write(rootA, 3), nil)
	require.Len(t, ds, 1)
	require.Equal(t, "/print", ds[0].Pointer)
	require.Contains(t, ds[0].Why, "Declare it with this file and pointer as kind derived")
}

func TestRebindRefusesBadManifests(t *testing.T) {
	at := func(pointer string) []binding.Occurrence {
		return []binding.Occurrence{{Path: "a.json", Where: "value", Pointer: pointer, Count: 1}}
	}
	root := binding.Binding{ID: "root", Kind: binding.Path, Value: rootA}
	digest := sha256Hex(rootA + "/project")
	entries := []tree.Entry{{Path: "a.json", Type: tree.File, Data: []byte(`{"a":"` + digest + `"}`)}}
	tests := []struct {
		name string
		bs   []binding.Binding
		want string
	}{
		{"a root that is everywhere", []binding.Binding{{Kind: binding.Path, Value: "/"}}, `the box's root "/" does not end in a word of 5 letters`},
		{"no root", []binding.Binding{{Kind: binding.Path}}, `the box's root "" is no absolute path`},
		{"two roots", []binding.Binding{root, root}, "two recorded roots"},
		{"a digest without a root", []binding.Binding{{ID: "derived-1", Kind: binding.Derived, Value: digest, Derive: "sha256", Inputs: []string{"{root}/project"}, At: at("/a")}}, "binding derived-1: no root is recorded to derive it from"},
		{"an input that is not there", []binding.Binding{root, {ID: "derived-1", Kind: binding.Derived, Value: digest, Derive: "sha256", Inputs: []string{"view/x"}, At: at("/a")}}, `its input "view/x" is no entry`},
		{"one place twice", []binding.Binding{root,
			{ID: "derived-1", Kind: binding.Derived, Value: digest, Derive: "sha256", Inputs: []string{"{project}"}, At: at("/a")},
			{ID: "derived-2", Kind: binding.Derived, Value: digest, Derive: "own", Inputs: []string{"{project}"}, At: at("/a")}}, "two bindings for the same bytes"},
		{"a declared value twice in one place", []binding.Binding{root,
			{ID: "derived-1", Kind: binding.Derived, Value: digest, Derive: "own", Inputs: []string{"{project}"},
				At: []binding.Occurrence{{Path: "a.json", Where: "value", Pointer: "/a", Count: 2}}}}, "is recorded 2 times and found once"},
	}
	own := func(_ context.Context, _ string, inputs map[string]string) (string, error) {
		return sha256Hex(inputs["{project}"]), nil
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := binding.Rebind(t.Context(), entries, tt.bs, "/elsewhere", own)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestFindRefusesRoots(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"/tmp/a", rootB, "capture: the box's root \"/tmp/a\" does not end in a word"},
		{rootA, "tmp/relative", "is no absolute path"},
		{rootA, "/var" + rootA, "with the same last word"},
	} {
		_, ds := binding.Find(&binding.Run{Root: tt.a}, &binding.Run{Root: tt.b}, nil, nil)
		require.Len(t, ds, 1)
		require.Contains(t, ds[0].Error(), tt.want)
	}
}
