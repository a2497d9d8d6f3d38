package runner

import (
	"io"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/google/go-cmp/cmp"
)

func TestReporter(t *testing.T) {
	long := `{"text": "` + strings.Repeat("x", 100<<10) + `", "id": "far behind"}` + "\n"
	for _, test := range []struct {
		name, printed string
		want          []string
	}{
		{"one line", `{"id": "a"}` + "\n", []string{"a"}},
		{"no newline at the end", `{"id": "a"}`, []string{"a"}},
		{"one of many lines", "text\n{\"x\": 1}\n{\"id\": \"a\"}\n[]\n", []string{"a"}},
		{"the first of several", "{\"id\": \"a\"}\n{\"id\": \"b\"}\n", []string{"a"}},
		{"one value of many lines", "{\n  \"x\": [1],\n  \"id\": \"a\"\n}\n", []string{"a"}},
		{"a long line", long, []string{"far behind"}},
		{"carriage returns", "{\"id\": \"a\"}\r\n", []string{"a"}},
		{"not at the top", `{"x": {"id": "a"}}`, nil},
		{"a number", `{"id": 1}`, nil},
		{"empty", `{"id": ""}`, nil},
		{"what would be taken for an option", `{"id": "--yes"}`, nil},
		{"what moves a cursor", `{"id": "a\u001b[2J"}`, nil},
		{"more than a name", `{"id": "` + strings.Repeat("x", 1025) + `"}`, nil},
		{"text", "id: a\n", nil},
		{"nothing", "", nil},
		{"too long a line", `{"id": "a", "x": "` + strings.Repeat("x", readers.MaxDocument) + `"}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, chunk := range []int{7, 1 << 20} {
				if chunk < len(test.printed)>>14 {
					continue // It would take long.
				}
				var out strings.Builder
				var got []string
				r := &reporter{out: &out, member: "id", found: func(name string) { got = append(got, name) }}
				for rest := test.printed; rest != ""; {
					n := min(chunk, len(rest))
					io.WriteString(r, rest[:n])
					rest = rest[n:]
				}
				r.Close()
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("in pieces of %d bytes (-want +got)\n%s", chunk, diff)
				}
				if out.String() != test.printed {
					t.Errorf("in pieces of %d bytes: what was printed is not handed on", chunk)
				}
			}
		})
	}
}
