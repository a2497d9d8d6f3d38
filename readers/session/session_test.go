package session_test

import (
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/session"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func at(minute, second, millisecond int) readers.Time {
	return readers.Time{Time: time.Date(2025, 6, 15, 15, minute, second, millisecond*1e6, time.UTC)}
}

// want is testdata/v2.json.
func want() *session.Document {
	return &session.Document{
		Head: readers.Head{
			Schema: 2, ID: "4k8x2mzq0t", ProjectID: "00112233445566778899aabbccddeeff", Revision: 3,
			CreatedAt: at(6, 40, 0), UpdatedAt: at(11, 40, 250),
		},
		State: session.Closed, Harness: "sh", WorkItem: "github:octo/repo#15", Instance: "build-3.example",
		Branch: "stint/4k8x2mzq0t", Base: "0123456789abcdef0123456789abcdef01234567", Fingerprint: "v1:abcdef", Conversation: "c0nv",
		Paths: session.Paths{
			Repository:    "/src/my repo",
			WorkspaceRoot: "/state/projects/p/workspaces/4k8x2mzq0t",
			Worktree:      "/state/projects/p/workspaces/4k8x2mzq0t/worktree",
			RunRoot:       "/state/projects/p/workspaces/4k8x2mzq0t/run",
			Unknown:       jsontext.Value(`{"cache":[1,2]}`),
		},
		Tmux:     session.Tmux{Session: "stint-github-octo-repo-15", Socket: "/tmp/tmux-1000/default", Unknown: jsontext.Value(`{"pane":"%1"}`)},
		OpenedAt: at(6, 41, 7), ClosedAt: at(11, 40, 250), Failure: "none of it", Unknown: jsontext.Value(`{"later":{"a":1}}`),
	}
}

// wantV1 is testdata/v1.json, in the shape of today.
func wantV1() *session.Document {
	d := want()
	d.WorkItem, d.Instance, d.Conversation = "", "", ""
	d.UpdatedAt, d.OpenedAt, d.ClosedAt = at(11, 40, 0), at(6, 41, 0), at(11, 40, 0)
	d.Tmux.Session, d.Tmux.Unknown, d.Paths.Unknown = "stint-4k8x2mzq0t", nil, nil
	return d
}

var compact = cmp.Transformer("compact", func(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Compact()
	return string(v)
})

func TestRead(t *testing.T) {
	for name, want := range map[string]*session.Document{"v1.json": wantV1(), "v2.json": want()} {
		b, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		got, err := session.Read(fstest.MapFS{"sessions/4k8x2mzq0t/session.json": {Data: b}}, "4k8x2mzq0t")
		require.NoError(t, err)
		if diff := cmp.Diff(want, got, compact); diff != "" {
			t.Errorf("Read(%s) (-want +got)\n%s", name, diff)
		}
	}
}

// What is written is of today's schema, whatever was read.
func TestEncode(t *testing.T) {
	today, err := os.ReadFile("testdata/v2.json")
	require.NoError(t, err)
	d := want()
	d.Schema = 1
	got, err := d.Encode()
	require.NoError(t, err)
	if diff := cmp.Diff(string(today), string(got)); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
	require.Equal(t, 1, d.Schema, "of what was encoded")
}

func TestEncodeV1(t *testing.T) {
	b, err := wantV1().Encode()
	require.NoError(t, err)
	got, err := session.Parse("s", b)
	require.NoError(t, err)
	if diff := cmp.Diff(wantV1(), got, compact); diff != "" {
		t.Errorf("Parse(Encode) (-want +got)\n%s", diff)
	}
}

func TestBind(t *testing.T) {
	place := session.Place{ProjectID: "00112233445566778899aabbccddeeff", StateDir: "/state/projects/p", Repository: "/src/my repo"}
	for _, test := range []struct {
		name   string
		change func(*session.Document)
		want   *readers.BindingError
	}{
		{"as it is", func(*session.Document) {}, nil},
		{"project", func(d *session.Document) { d.ProjectID = "ff" }, &readers.BindingError{Field: "project_id", Got: "ff", Want: "00112233445566778899aabbccddeeff"}},
		{"repository", func(d *session.Document) { d.Paths.Repository = "/src/other" }, &readers.BindingError{Field: "repository", Got: "/src/other", Want: "/src/my repo"}},
		{"workspace root", func(d *session.Document) { d.Paths.WorkspaceRoot = "/else" }, &readers.BindingError{Field: "workspace_root", Got: "/else", Want: "/state/projects/p/workspaces/4k8x2mzq0t"}},
		{"worktree", func(d *session.Document) { d.Paths.Worktree = "/src/my repo" }, &readers.BindingError{Field: "worktree", Got: "/src/my repo", Want: "/state/projects/p/workspaces/4k8x2mzq0t/worktree"}},
		{"run root", func(d *session.Document) { d.Paths.RunRoot = "/" }, &readers.BindingError{Field: "run_root", Got: "/", Want: "/state/projects/p/workspaces/4k8x2mzq0t/run"}},
		{"branch", func(d *session.Document) { d.Branch = "main" }, &readers.BindingError{Field: "branch", Got: "main", Want: "stint/4k8x2mzq0t"}},
		{"tmux name", func(d *session.Document) { d.Tmux.Session = "stint-4k8x2mzq0" }, &readers.BindingError{Field: "tmux session", Got: "stint-4k8x2mzq0", Want: "stint-github-octo-repo-15"}},
		{"tmux name of another project", func(d *session.Document) { d.Tmux.Session = "stint-github-octo-repo-15-ffffffff" }, &readers.BindingError{Field: "tmux session", Got: "stint-github-octo-repo-15-ffffffff", Want: "stint-github-octo-repo-15"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := want()
			test.change(d)
			var got *readers.BindingError
			if err := d.Bind(place); err != nil {
				require.ErrorAs(t, err, &got)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Bind (-want +got)\n%s", diff)
			}
		})
	}
}
