package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const code = `package p

import "errors"

func F(n int, text string) (out string, err error) {
	out = text
	if n > 0 {
		out += "!"
	} else if n < -1 {
		out += "?"
	}
	for i := range n {
		if i == 7 {
			break
		}
	}
	switch n {
	case 1:
		out += "1"
	case 2:
		out += "2"
	default:
		err = errors.New("n")
	}
	defer func() { out += "." }()
	return out, err
}
`

// tree is a module of one package with one file.
func tree(t *testing.T, text string) *Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/p\n\ngo 1.26\n", "p.go": text} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	tree, err := Load(t.Context(), dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off"), ".")
	require.NoError(t, err)
	return tree
}

// What is changed is marked just before it runs, and what is marked compiles
// as a switch.
func TestMark(t *testing.T) {
	tree := tree(t, code)
	for _, c := range []struct{ name, find, replace, want string }{
		{"expression", `n > 0`, `n >= 0`, `M if n >= 0 {`},
		{"inner statement", `out += "!"`, `out += ""`, `M out += "" }`},
		{"condition of an else", `n < -1`, `n < -2`, `M if n > 0 {`},
		{"statement removed", "\tout = text\n", "", `M if n > 0 {`},
		{"last of a block removed", `			break`, ``, `if i == 7 { M }`},
		{"added after a block", "			break\n		}\n", "			break\n		}\n		n++\n", `break } M n++ }`},
		{"added at the end", `return out, err`, `return "", err`, `M return "", err }`},
		{"added before one like it", `	if n > 0 {`, "	if n > 5 {\n		out = \"5\"\n	}\n	if n > 0 {", `M if n > 5 {`},
		{"case removed", "	case 2:\n		out += \"2\"\n", ``, `M switch n {`},
		{"case added", "	default:", "	case 3:\n	default:", `M switch n {`},
		{"in a case", `out += "2"`, `out += "3"`, `case 2: M out += "3"`},
		{"value of a case", `case 2`, `case 3`, `M switch n {`},
		{"in a literal", `out += "."`, `out += ","`, `func() { M out += "," }()`},
		{"whole body", code[strings.Index(code, "\tout = text"):strings.LastIndex(code, "}")], "\treturn \"\", errors.New(\"x\")\n", `M return "", errors.New("x") }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			change, err := tree.Locate(Edit{File: "p.go", Decl: "F", Find: c.find, Replace: c.replace})
			require.NoError(t, err)
			require.NoError(t, change.Check())
			text, marked, err := change.changed(1, "r")
			require.NoError(t, err)
			require.True(t, marked)
			got := strings.ReplaceAll(strings.ReplaceAll(string(text), " r.Tick();", ""), ";r.Reached(1); ", " M ")
			require.Contains(t, strings.Join(strings.Fields(got), " "), c.want)
			_, errs := tree.Switches([]*Change{change})
			require.NoError(t, errs[0])
		})
	}
}
