package readers_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// outcome is what a caller can tell an answer by.
func outcome(err error) string {
	var corrupt *readers.CorruptError
	var newer *readers.NewerError
	switch {
	case err == nil:
		return "read"
	case errors.As(err, &newer):
		if !errors.Is(err, readers.ErrNewer) {
			return "a NewerError that is not ErrNewer"
		}
		return "newer"
	case errors.As(err, &corrupt):
		return "corrupt " + corrupt.Pointer
	case errors.Is(err, readers.ErrTooLarge):
		return "too large"
	case errors.Is(err, readers.ErrNotRegular):
		return "not regular"
	case errors.Is(err, fs.ErrInvalid):
		return "invalid name"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	}
	return "unnamed: " + err.Error()
}

func TestDecode(t *testing.T) {
	for _, test := range []struct{ name, doc, want string }{
		{"this schema", `{"schema": 2, "n": 1}`, "read"},
		{"older schema", `{"schema": 1}`, "read"},
		{"unknown field", `{"schema": 2, "x": [1]}`, "read"},
		{"newer", `{"schema": 3}`, "newer"},
		{"newer, with another type", `{"schema": 3, "n": "one"}`, "newer"},
		{"schema zero", `{"schema": 0}`, "corrupt /schema"},
		{"no schema", `{"n": 1}`, "corrupt /schema"},
		{"schema of another type", `{"schema": "2"}`, "corrupt /schema"},
		{"schema null", `{"schema": null}`, "corrupt /schema"},
		{"schema in another case", `{"Schema": 2}`, "corrupt /schema"},
		{"field of another type", `{"schema": 2, "n": "1"}`, "corrupt /n"},
		{"fraction", `{"schema": 2, "n": 1.5}`, "corrupt /n"},
		{"empty", ``, "corrupt "},
		{"blank", " \n", "corrupt "},
		{"cut short", `{"schema": 2, "n": 1`, "corrupt "},
		{"more behind it", `{"schema": 2} {}`, "corrupt "},
		{"duplicate", `{"schema": 2, "n": 1, "n": 1}`, "corrupt /n"},
		{"duplicate unknown", `{"schema": 2, "x": {"y": 1, "y": 2}}`, "corrupt /x/y"},
		{"not an object", `[2]`, "corrupt "},
		{"not UTF-8", "{\"schema\": 2, \"x\": \"\xff\"}", "corrupt /x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var v struct {
				Schema int `json:"schema"`
				N      int `json:"n"`
			}
			schema, err := readers.Schema("doc.json", []byte(test.doc), 2)
			require.Equal(t, err != nil, schema == 0, "schema %d: %v", schema, err)
			if err == nil {
				err = readers.Decode("doc.json", []byte(test.doc), &v)
			}
			got := outcome(err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Decode(%s) (-want +got)\n%s", test.doc, diff)
			}
		})
	}
}

// What is wrong is said in the words of JSON, not of Go.
func TestDecodeSaysWhatIsWrong(t *testing.T) {
	for doc, want := range map[string]string{
		" \n":                           `"doc.json": does not read: it is empty`,
		`{"schema": 2, "n": "1"}`:       `"doc.json": does not read at /n near byte 19: a JSON string does not fit here`,
		`{"schema": 2, "n": 1, "n": 1}`: `"doc.json": does not read at /n near byte 22: duplicate object member name`,
	} {
		var v struct {
			N int `json:"n"`
		}
		_, err := readers.Schema("doc.json", []byte(doc), 2)
		if err == nil {
			err = readers.Decode("doc.json", []byte(doc), &v)
		}
		require.EqualError(t, err, want)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&readers.NewerError{Path: "a", Schema: 3, Newest: 1}, `"a": schema 3 is newer than 1, the newest this build reads: use a newer stint`},
		{&readers.CorruptError{Path: "a", Offset: 7, Pointer: "/n", Err: errors.New("odd")}, `"a": does not read at /n near byte 7: odd`},
		{&readers.CorruptError{Path: "a", Offset: 1, Err: errors.New("odd")}, `"a": does not read near byte 1: odd`},
		{&readers.CorruptError{Path: "a", Line: 1, Column: 1, Err: errors.New("odd")}, `"a": does not read in line 1, column 1: odd`},
		{&readers.CorruptError{Path: "a", Line: 3, Column: 9, Pointer: "n", Err: errors.New("odd")}, `"a": does not read at n in line 3, column 9: odd`},
		{&readers.CorruptError{Path: "a", Err: errors.New("it is empty")}, `"a": does not read: it is empty`},
		{&readers.BindingError{Field: "worktree", Got: "/x", Want: "/y"}, `worktree is "/x", where this project has "/y"`},
	} {
		if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
			t.Errorf("Error() (-want +got)\n%s", diff)
		}
	}
}

// A caller can ask for the cause of a document that does not read.
func TestCorruptErrorHasItsCause(t *testing.T) {
	odd := errors.New("odd")
	require.ErrorIs(t, &readers.CorruptError{Path: "a", Err: odd}, odd)
}

func TestValues(t *testing.T) {
	long := strings.Repeat("a", 64)
	for _, test := range []struct {
		name  string
		check func(string) bool
		yes   []string
		no    []string
	}{
		{"ID", readers.ID, []string{"a", "0b-c", long}, []string{"", "..", "a/b", "A", "-a", "a-", "a.b", long + "a"}},
		{"Commit", readers.Commit, []string{strings.Repeat("0f", 20), strings.Repeat("0f", 32)}, []string{"", "0f", strings.Repeat("0F", 20), strings.Repeat("0g", 20)}},
		{"Absolute", readers.Absolute, []string{"/", "/a/b c"}, []string{"", "a", "/a/", "/a/../b", "/a//b", "/a/./b", "/a\x00"}},
		{"Hex", func(s string) bool { return readers.Hex(s, 4) }, []string{"09af"}, []string{"", "09a", "09aff", "09AF", "09ag"}},
		{"Name", readers.Name, []string{"a", "_a-B9"}, []string{"", "-a", "a.b", "a:b", "=a", "a b", "ä"}},
		{"Fingerprint", readers.Fingerprint, []string{"v1:ab", "v9:" + long}, []string{"", ":", "v1:", ":ab", "ab", "v1:xy", "v1:ab:cd", "v 1:ab"}},
		{"Instance", readers.Instance, []string{"a", "B", "build-3.example_x", long}, []string{"", ".", "-a", "a.", "_a", "a_", "a b", "a/b", "ä", long + "a"}},
	} {
		for _, s := range test.yes {
			if !test.check(s) {
				t.Errorf("%s(%q) = false", test.name, s)
			}
		}
		for _, s := range test.no {
			if test.check(s) {
				t.Errorf("%s(%q) = true", test.name, s)
			}
		}
	}
}
