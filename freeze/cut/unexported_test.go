package cut

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/tree"
)

func TestMatchVersion(t *testing.T) {
	tests := []struct {
		name, text, want string
		err              string // empty: accepted
	}{
		{"plain", "1.0.0\n", "v1.0.0", ""},
		{"with name and v", "demo v1.0.0\n", "v1.0.0", ""},
		{"more lines", "demo 1.0.0\nbuilt with python 3.11.7\n", "v1.0.0", ""},
		{"said twice", "demo 1.0.0 (tag v1.0.0)\n", "v1.0.0", ""},
		{"a pre-release is another version", "demo 1.0.0-rc.1\n", "v1.0.0", "says that it is v1.0.0-rc.1"},
		{"a build is another version", "demo 1.0.0+dirty\n", "v1.0.0", "says that it is v1.0.0+dirty"},
		{"a longer number is another version", "demo 1.0.01.0\n", "v1.0.0", "says that it is"},
		{"the wrong binary", "demo 1.0.10\n", "v1.0.1", "says that it is v1.0.10"},
		{"two versions in one line", "demo 1.0.0 (1.1.0)\n", "v1.0.0", "names 2 versions"},
		{"none", "demo, a program\n", "v1.0.0", "names no version"},
		{"nothing", "", "v1.0.0", "names no version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := matchVersion(tt.text, tt.want)
			if tt.err == "" && err != nil {
				t.Fatalf("matchVersion(%q, %q) = %v, want it accepted", tt.text, tt.want, err)
			}
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("matchVersion(%q, %q) = %v, want an error with %q", tt.text, tt.want, err, tt.err)
			}
		})
	}
}

func TestDayNotes(t *testing.T) {
	from := time.Date(2026, 11, 3, 23, 0, 0, 0, time.UTC)
	bound := func(kind binding.Kind, value string) []binding.Binding {
		return []binding.Binding{{Kind: kind, Value: value, At: []binding.Occurrence{{Path: "a"}}}}
	}
	tests := []struct {
		text     string
		bindings []binding.Binding
		layout   string // that is told of; empty for none
	}{
		{"made 2026-11-03\n", nil, "2006-01-02"},
		{"log-20261103.txt", nil, "20060102"},
		{`{"_date":"Tue Nov 03 2026"}`, nil, "Mon Jan 02 2006"},
		{"Nov 3, 2026", nil, "Jan 2, 2006"},
		{"on 3 Nov 2026.", nil, "2 Jan 2006"},
		{"made 2026-11-04\n", nil, ""},
		{"12026110334", nil, ""},
		{"2026-11-03T23:00:00Z", bound(binding.Time, "2026-11-03T23:00:00Z"), ""},
		{"2026-11-03", bound(binding.Date, "2026-11-03"), ""},
		{"2026-11-03T23:00:00Z 2026-11-03", bound(binding.Time, "2026-11-03T23:00:00Z"), "2006-01-02"},
	}
	for _, tt := range tests {
		r := &scenario.Result{Run: binding.Run{From: from, Entries: []tree.Entry{{Path: "a", Type: tree.File, Data: []byte(tt.text)}}}}
		var want []string
		if tt.layout != "" {
			want = []string{fmt.Sprintf("a: holds %q, the day of this run, frozen as it is; if it is meant as that, declare it (kind date, layout %q)", from.Format(tt.layout), tt.layout)}
		}
		if diff := cmp.Diff(want, machineNotes(r, tt.bindings)); diff != "" {
			t.Errorf("%q: machineNotes (-want +got)\n%s", tt.text, diff)
		}
	}
}

// What is told of a machine whose user is root.
func TestMachineNotes(t *testing.T) {
	const note = `: holds "root", the user of this machine, frozen as it is; if it is meant as that, declare it (kind user)`
	tests := []struct {
		name, file, text string
		bindings         []binding.Binding
		told             bool
	}{
		{"a value", "a.json", `{"owner":"root"}`, nil, true},
		{"an element", "a.json", `{"owners":["ada",{"of":["root"]}]}`, nil, true},
		{"a name of a member", "a.json", `{"root" : "/tmp/fz.a"}`, nil, false},
		{"a name below", "a.json", `{"places":[{"root":1}]}`, nil, false},
		{"a name, and a value", "a.json", `{"root":{"root":"root"}}`, nil, true},
		{"a part of a value", "a.json", `{"text":"rooted, by root"}`, nil, false},
		{"quoted in a value", "a.json", `{"text":"by \"root\": today"}`, nil, true},
		{"a record", "a.jsonl", "{\"root\":1}\n{\"owner\":\"root\"}\n", nil, true},
		{"names of records", "a.jsonl", "{\"root\":1}\n{\"root\":2}\n", nil, false},
		{"a value of TOML", "a.toml", "owner = \"root\"\n", nil, true},
		{"names of TOML", "a.toml", "\"root\" = 1\n[a.\"root\"]\n", nil, false},
		{"what a view printed as JSON", "view/list/stdout", `{"root":"/"}`, nil, false},
		{"quoted in text", "log", "by \"root\": today\n", nil, true},
		{"a word in text", "log", "root\n", nil, false},
		{"in bytes", "db", "\x00\"root\"", nil, true},
		{"declared", "a.json", `{"owner":"root"}`, []binding.Binding{{Kind: binding.User}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &scenario.Result{Run: binding.Run{
				Known:   map[string]string{"user": "root"},
				Entries: []tree.Entry{{Path: tt.file, Type: tree.File, Data: []byte(tt.text)}},
			}}
			var want []string
			if tt.told {
				want = []string{tt.file + note}
			}
			if diff := cmp.Diff(want, machineNotes(r, tt.bindings)); diff != "" {
				t.Errorf("machineNotes (-want +got)\n%s", diff)
			}
		})
	}
}
