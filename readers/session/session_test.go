package session_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/session"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// document is by hand, so that reader and writer cannot agree on a mistake.
const document = `{
  "schema": 1,
  "id": "4k8x2mzq0t",
  "project_id": "00112233445566778899aabbccddeeff",
  "revision": 3,
  "state": "closed",
  "harness": "sh",
  "repository": "/src/my repo",
  "workspace_root": "/state/projects/p/workspaces/4k8x2mzq0t",
  "worktree": "/state/projects/p/workspaces/4k8x2mzq0t/worktree",
  "run_root": "/state/projects/p/workspaces/4k8x2mzq0t/run",
  "branch": "stint/4k8x2mzq0t",
  "base": "0123456789abcdef0123456789abcdef01234567",
  "fingerprint": "v1:abcdef",
  "tmux_session": "stint-4k8x2mzq0t",
  "tmux_socket": "/tmp/tmux-1000/default",
  "created_at": 1750000000,
  "updated_at": 1750000300,
  "opened_at": 1750000001,
  "closed_at": 1750000300,
  "failure": "none of it",
  "later": {
    "a": 1
  }
}
`

func want() *session.Document {
	return &session.Document{
		Schema: 1, ID: "4k8x2mzq0t", ProjectID: "00112233445566778899aabbccddeeff", Revision: 3,
		State: session.Closed, Harness: "sh", Repository: "/src/my repo",
		WorkspaceRoot: "/state/projects/p/workspaces/4k8x2mzq0t",
		Worktree:      "/state/projects/p/workspaces/4k8x2mzq0t/worktree",
		RunRoot:       "/state/projects/p/workspaces/4k8x2mzq0t/run",
		Branch:        "stint/4k8x2mzq0t", Base: "0123456789abcdef0123456789abcdef01234567", Fingerprint: "v1:abcdef",
		TmuxSession: "stint-4k8x2mzq0t", TmuxSocket: "/tmp/tmux-1000/default",
		CreatedAt: 1750000000, UpdatedAt: 1750000300, OpenedAt: 1750000001, ClosedAt: 1750000300,
		Failure: "none of it", Unknown: jsontext.Value(`{"later":{"a":1}}`),
	}
}

func TestRead(t *testing.T) {
	fsys := fstest.MapFS{"sessions/4k8x2mzq0t/session.json": {Data: []byte(document)}}
	got, err := session.Read(fsys, "4k8x2mzq0t")
	require.NoError(t, err)
	require.NoError(t, got.Unknown.Compact())
	if diff := cmp.Diff(want(), got); diff != "" {
		t.Errorf("Read (-want +got)\n%s", diff)
	}
}

func TestEncode(t *testing.T) {
	got, err := want().Encode()
	require.NoError(t, err)
	if diff := cmp.Diff(document, string(got)); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ name, old, new, pointer string }{
		{"unknown state", `"closed"`, `"paused"`, "/state"},
		{"no state", `"state": "closed",`, ``, "/state"},
		{"id with a path", `"id": "4k8x2mzq0t"`, `"id": "../x"`, "/id"},
		{"no id", `"id": "4k8x2mzq0t",`, ``, "/id"},
		{"project id with a path", `"00112233445566778899aabbccddeeff"`, `"a/b"`, "/project_id"},
		{"no harness", `"sh"`, `""`, "/harness"},
		{"relative repository", `"/src/my repo"`, `"src"`, "/repository"},
		{"workspace root with ..", `"/state/projects/p/workspaces/4k8x2mzq0t"`, `"/state/projects/p/workspaces/a/../4k8x2mzq0t"`, "/workspace_root"},
		{"worktree with ..", `4k8x2mzq0t/worktree`, `4k8x2mzq0t/../worktree`, "/worktree"},
		{"run root with ..", `4k8x2mzq0t/run`, `4k8x2mzq0t/../run`, "/run_root"},
		{"branch that is an option", `"stint/4k8x2mzq0t"`, `"-D"`, "/branch"},
		{"branch with ..", `"stint/4k8x2mzq0t"`, `"stint/../x"`, "/branch"},
		{"short base", `"0123456789abcdef0123456789abcdef01234567"`, `"0123456"`, "/base"},
		{"fingerprint without a version", `"v1:abcdef"`, `"abcdef"`, "/fingerprint"},
		{"fingerprint of a later version", `"v1:abcdef"`, `"v9:abcdef"`, ""},
		{"tmux name that is a target", `"stint-4k8x2mzq0t"`, `"=stint:0.1"`, "/tmux_session"},
		{"relative socket", `"/tmp/tmux-1000/default"`, `"default"`, "/tmux_socket"},
		{"revision zero", `"revision": 3`, `"revision": 0`, "/revision"},
		{"revision in text", `"revision": 3`, `"revision": "3"`, "/revision"},
		{"no creation", `"created_at": 1750000000,`, ``, "/created_at"},
		{"no update", `"updated_at": 1750000300,`, ``, "/updated_at"},
		{"opened before time", `"opened_at": 1750000001`, `"opened_at": -1`, "/opened_at"},
		{"closed before time", `"closed_at": 1750000300`, `"closed_at": -1`, "/closed_at"},
		{"time in text", `"created_at": 1750000000`, `"created_at": "2025-06-15T15:06:40Z"`, "/created_at"},
		{"never opened", `"opened_at": 1750000001,`, ``, ""},
		{"not closed", `"closed_at": 1750000300,`, ``, ""},
		{"no failure", `"failure": "none of it",`, ``, ""},
		{"duplicate", `"schema": 1,`, `"schema": 1, "schema": 1,`, "/schema"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(document, test.old), "the text to replace")
			got := "none"
			_, err := session.Parse("session.json", []byte(strings.Replace(document, test.old, test.new, 1)))
			if corrupt := (*readers.CorruptError)(nil); errors.As(err, &corrupt) {
				got = corrupt.Pointer
			} else if err == nil {
				got = ""
			}
			if diff := cmp.Diff(test.pointer, got); diff != "" {
				t.Errorf("Parse: %v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestParseNewer(t *testing.T) {
	_, err := session.Parse("s", []byte(strings.Replace(document, `"schema": 1`, `"schema": 2`, 1)))
	want := &readers.NewerError{Path: "s", Schema: 2, Newest: 1}
	var got *readers.NewerError
	require.ErrorAs(t, err, &got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got)\n%s", diff)
	}
}

func TestParseTruncated(t *testing.T) {
	whole := strings.TrimSpace(document)
	for n := range len(whole) {
		_, err := session.Parse("s", []byte(whole[:n]))
		if corrupt := (*readers.CorruptError)(nil); !errors.As(err, &corrupt) {
			t.Errorf("the first %d bytes: %v, want a CorruptError", n, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	other := strings.Replace(document, `"id": "4k8x2mzq0t"`, `"id": "another"`, 1)
	for _, test := range []struct {
		name string
		fsys fstest.MapFS
		id   string
		want error
	}{
		{"missing", fstest.MapFS{}, "a", fs.ErrNotExist},
		{"id that leads out", fstest.MapFS{"session.json": {Data: []byte(document)}}, "..", fs.ErrInvalid},
		{"folder", fstest.MapFS{"sessions/a/session.json": {Mode: fs.ModeDir}}, "a", readers.ErrNotRegular},
		{"symlink", fstest.MapFS{"sessions/a/session.json": {Mode: fs.ModeSymlink, Data: []byte("b.json")}, "sessions/a/b.json": {Data: []byte(document)}}, "a", readers.ErrNotRegular},
		{"folder behind a symlink", fstest.MapFS{"sessions/a": {Mode: fs.ModeSymlink, Data: []byte("4k8x2mzq0t")}, "sessions/4k8x2mzq0t/session.json": {Data: []byte(document)}}, "a", readers.ErrNotRegular},
		{"too large", fstest.MapFS{"sessions/a/session.json": {Data: make([]byte, readers.MaxDocument+1)}}, "a", readers.ErrTooLarge},
	} {
		if _, err := session.Read(test.fsys, test.id); !errors.Is(err, test.want) {
			t.Errorf("%s: Read = %v, want %v", test.name, err, test.want)
		}
	}
	var corrupt *readers.CorruptError
	_, err := session.Read(fstest.MapFS{"sessions/4k8x2mzq0t/session.json": {Data: []byte(other)}}, "4k8x2mzq0t")
	require.ErrorAs(t, err, &corrupt, "a document in another's folder")
}

func TestBind(t *testing.T) {
	place := session.Place{ProjectID: "00112233445566778899aabbccddeeff", StateDir: "/state/projects/p", Repository: "/src/my repo"}
	for _, test := range []struct {
		name   string
		change func(*session.Document)
		want   *readers.BindingError
	}{
		{"as it is", func(*session.Document) {}, nil},
		{"second tmux name", func(d *session.Document) { d.TmuxSession = "stint-4k8x2mzq0t-00112233" }, nil},
		{"project", func(d *session.Document) { d.ProjectID = "ff" }, &readers.BindingError{Field: "project_id", Got: "ff", Want: "00112233445566778899aabbccddeeff"}},
		{"repository", func(d *session.Document) { d.Repository = "/src/other" }, &readers.BindingError{Field: "repository", Got: "/src/other", Want: "/src/my repo"}},
		{"workspace root", func(d *session.Document) { d.WorkspaceRoot = "/else" }, &readers.BindingError{Field: "workspace_root", Got: "/else", Want: "/state/projects/p/workspaces/4k8x2mzq0t"}},
		{"worktree", func(d *session.Document) { d.Worktree = "/src/my repo" }, &readers.BindingError{Field: "worktree", Got: "/src/my repo", Want: "/state/projects/p/workspaces/4k8x2mzq0t/worktree"}},
		{"run root", func(d *session.Document) { d.RunRoot = "/" }, &readers.BindingError{Field: "run_root", Got: "/", Want: "/state/projects/p/workspaces/4k8x2mzq0t/run"}},
		{"branch", func(d *session.Document) { d.Branch = "main" }, &readers.BindingError{Field: "branch", Got: "main", Want: "stint/4k8x2mzq0t"}},
		{"tmux name", func(d *session.Document) { d.TmuxSession = "stint-4k8x2mzq0" }, &readers.BindingError{Field: "tmux_session", Got: "stint-4k8x2mzq0", Want: "stint-4k8x2mzq0t"}},
		{"tmux name of another project", func(d *session.Document) { d.TmuxSession = "stint-4k8x2mzq0t-ffffffff" }, &readers.BindingError{Field: "tmux_session", Got: "stint-4k8x2mzq0t-ffffffff", Want: "stint-4k8x2mzq0t"}},
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

// FuzzParse looks for a panic, for an error without a name, and for a document
// that loses anything when it is written again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte(`{"schema":1,"id":"a","x":{"b":[1,2]}}`))
	f.Add([]byte(`{"schema":9}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := session.Parse("s", b)
		if err != nil {
			var corrupt *readers.CorruptError
			if !errors.As(err, &corrupt) && !errors.Is(err, readers.ErrNewer) {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		again, err := d.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if diff := cmp.Diff(canonical(t, b), canonical(t, again)); diff != "" {
			t.Fatalf("a rewrite changes the document (-read +written)\n%s", diff)
		}
	})
}

// canonical leaves out what is written as absent: the times and texts that
// mean that something did not happen.
func canonical(t *testing.T, b []byte) string {
	v := jsontext.Value(b).Clone()
	require.NoError(t, v.Canonicalize())
	s := string(v)
	for _, absent := range []string{`"closed_at":0,`, `"opened_at":0,`, `"failure":"",`, `"failure":null,`, `"closed_at":null,`, `"opened_at":null,`} {
		s = strings.ReplaceAll(s, absent, "")
	}
	return s
}
