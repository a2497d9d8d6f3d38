package tomldoc_test

import (
	"testing"

	"github.com/freeze-contracts/permafrost/freeze/config/tomldoc"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

type file struct {
	Name  string            `toml:"name"`
	Count int               `toml:"count"`
	On    bool              `toml:"on"`
	List  []string          `toml:"list"`
	Env   map[string]string `toml:"env"`
	Item  []item            `toml:"item"`
	By    map[string]item   `toml:"by"`
	Not   string            `toml:"-"`
}

type item struct {
	ID  string `toml:"id"`
	Sub []item `toml:"sub"`
}

func decode(text string, v any) (*tomldoc.Doc, error) {
	doc, err := tomldoc.Parse("f.toml", []byte(text))
	if err != nil {
		return nil, err
	}
	return doc, doc.Decode(v)
}

func TestDecode(t *testing.T) {
	const text = `
name = "n"
count = 3
on = true
list = ["a", 'b']
env = { A = "1", "b c" = "2" }

[[item]]
id = "one"
[[item.sub]]
id = "one.one"

[[item]]
id = "two"
sub = [{ id = "two.one" }]

[by.x]
id = "x"
`
	var got file
	_, err := decode(text, &got)
	require.NoError(t, err)
	want := file{
		Name: "n", Count: 3, On: true,
		List: []string{"a", "b"},
		Env:  map[string]string{"A": "1", "b c": "2"},
		Item: []item{
			{ID: "one", Sub: []item{{ID: "one.one"}}},
			{ID: "two", Sub: []item{{ID: "two.one"}}},
		},
		By: map[string]item{"x": {ID: "x"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Decode (-want +got)\n%s", diff)
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no TOML", "name = \n", "f.toml:1:8: unexpected character U+000A at start of value"},
		{"twice", "count = 1\ncount = 2", "f.toml:2:1: count: key count is already defined"},
		{"columns are characters", "env = { a = \"é\", b = 1 }", "f.toml:1:18: env.b: wrong type: wants a string, not an integer"},
		{"syntax column in characters", "name = \"éé\" x", "f.toml:1:13: expected newline"},
		{"unknown", "\n  nam = 1", "f.toml:2:3: nam: unknown key, known here: name, count, on, list, env, item, by"},
		{"case matters", "Name = \"n\"", "f.toml:1:1: Name: unknown key"},
		{"hidden field", "\"-\" = 1", "f.toml:1:1: -: unknown key"},
		{"unknown table", "[itemz]", "f.toml:1:2: itemz: unknown key"},
		{"unknown, quoted", "[by.\"x y\"]\nzz = 1", `f.toml:2:1: by."x y".zz: unknown key, known here: id, sub`},
		{"unknown, dotted", "by.a.b.c = 1", "f.toml:1:6: by.a.b: unknown key"},
		{"first in the file", "b = 1\na = 1", "f.toml:1:1: b: unknown key"},
		{"string", "name = true", "f.toml:1:1: name: wrong type: wants a string, not true or false"},
		{"integer", "count = 1.5", "f.toml:1:1: count: wrong type: wants an integer, not a float"},
		{"bool", "on = \"true\"", "f.toml:1:1: on: wrong type: wants true or false, not a string"},
		{"array", "list = \"a\"", "f.toml:1:1: list: wrong type: wants an array, each element a string, not a string"},
		{"element", "list = [\"a\",\n 2]", "f.toml:2:2: list[1]: wrong type: wants a string, not an integer"},
		{"table", "by = 3", "f.toml:1:1: by: wrong type: wants a table, not an integer"},
		{"array for table", "[[by]]", "f.toml:1:3: by: wrong type: wants a table, not an array"},
		{"table for array", "[item]", "f.toml:1:2: item: wrong type: wants an array, each element a table, not a table"},
		{"date", "name = 2026-11-30", "f.toml:1:1: name: wrong type: wants a string, not a date or time without quotes"},
		{"date in table", "item = [{id = 2026-11-30T10:00:00Z}]", "f.toml:1:10: item[0].id: wrong type: wants a string, not a date or time without quotes"},
		{"nested", "[[item]]\n[[item]]\n[[item.sub]]\n[[item.sub]]\nx = 1", "f.toml:5:1: item[1].sub[1].x: unknown key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var v file
			_, err := decode(tt.text, &v)
			require.ErrorContains(t, err, tt.want)
			var e *tomldoc.Error
			require.ErrorAs(t, err, &e)
		})
	}
}

func TestErrorf(t *testing.T) {
	const text = "count = 1\n\n[[item]]\n  id = \"a\"\n[by.x]\n"
	var v file
	doc, err := decode(text, &v)
	require.NoError(t, err)
	for _, tt := range []struct{ key, want string }{
		{"item[0].id", "f.toml:4:3: item[0].id: odd"},
		{"item[0].sub", "f.toml:3:3: item[0].sub: odd"},
		{"by.x.id", "f.toml:5:5: by.x.id: odd"},
		{"name", "f.toml: name: odd"},
		{"", "f.toml: odd"},
	} {
		if diff := cmp.Diff(tt.want, doc.Errorf(tt.key, "odd").Error()); diff != "" {
			t.Errorf("Errorf(%q) (-want +got)\n%s", tt.key, diff)
		}
	}
	if doc.Has("name") || !doc.Has("count") || !doc.Has("by.x") {
		t.Error("Has: want count and by.x, and no name")
	}
	if n, ok := doc.Int("count"); n != 1 || !ok {
		t.Errorf("Int(count) = %d, %t, want 1", n, ok)
	}
	if _, ok := doc.Int("item"); ok {
		t.Error("Int(item): want none, it is an array")
	}
}

// FuzzDecode holds that no file makes Decode panic, and that every complaint
// has a place inside of it.
func FuzzDecode(f *testing.F) {
	f.Add("name = \"n\"\n[[item]]\nid='x'\nsub=[{id=\"a\"}]\n[by.\"x y\"]\n")
	f.Add("list = [[1], {a = 1}]\nenv.a.b = 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		var v file
		_, err := decode(text, &v)
		var e *tomldoc.Error
		if err != nil {
			require.ErrorAs(t, err, &e)
			require.Positive(t, e.Line, "%v", err)
		}
	})
}
