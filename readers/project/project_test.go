package project_test

import (
	_ "embed"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var (
	//go:embed testdata/marker.json
	marker string
	//go:embed testdata/stint.toml
	config string
)

const (
	// sha256sum of "/src/my repo", by hand.
	pathID = "364983c960bdcbeaf3b7644ff0105b2c"
)

func TestMarkerKeepsWhatItDoesNotKnow(t *testing.T) {
	m, err := project.ParseMarker("m", []byte(marker))
	require.NoError(t, err)
	got, err := m.Encode()
	require.NoError(t, err)
	if diff := cmp.Diff(marker, string(got)); diff != "" {
		t.Errorf("Encode (-want +got)\n%s", diff)
	}
	if m.CreatedAt != 1750000000 {
		t.Errorf("CreatedAt = %d", m.CreatedAt)
	}
}

func TestParseMarkerRefuses(t *testing.T) {
	for _, test := range []struct{ name, old, new, pointer string }{
		{"path as id", `00112233445566778899aabbccddeeff`, `../../etc`, "/project_id"},
		{"short id", `00112233445566778899aabbccddeeff`, `0011`, "/project_id"},
		{"no id", `"project_id": "00112233445566778899aabbccddeeff",`, ``, "/project_id"},
		{"id of another type", `"00112233445566778899aabbccddeeff"`, `1`, "/project_id"},
		{"no time", `"created_at": 1750000000,`, ``, "/created_at"},
		{"time in text", `1750000000`, `"2025-06-15"`, "/created_at"},
		{"time in text, before the id", "\"project_id\": \"00112233445566778899aabbccddeeff\",\n  \"created_at\": 1750000000", `"created_at": "2025-06-15", "project_id": "00112233445566778899aabbccddeeff"`, "/created_at"},
		{"time before 1970", `1750000000`, `-1`, "/created_at"},
		{"duplicate", `"schema": 1,`, `"schema": 1, "schema": 1,`, "/schema"},
	} {
		require.Equal(t, 1, strings.Count(marker, test.old), test.name)
		_, err := project.ParseMarker("m", []byte(strings.Replace(marker, test.old, test.new, 1)))
		var corrupt *readers.CorruptError
		require.ErrorAs(t, err, &corrupt, test.name)
		if corrupt.Pointer != test.pointer {
			t.Errorf("%s: at %q, want %q", test.name, corrupt.Pointer, test.pointer)
		}
	}
	for n := range len(marker) - 2 {
		_, err := project.ParseMarker("m", []byte(marker[:n]))
		if corrupt := (*readers.CorruptError)(nil); !errors.As(err, &corrupt) {
			t.Errorf("the first %d bytes: %v, want a CorruptError", n, err)
		}
	}
}

func TestMarkerOfTheFirstSecond(t *testing.T) {
	m, err := project.ParseMarker("m", []byte(strings.Replace(marker, "1750000000", "1", 1)))
	require.NoError(t, err)
	require.EqualValues(t, 1, m.CreatedAt)
}

func TestID(t *testing.T) {
	const file = project.MarkerFile
	for _, test := range []struct {
		name    string
		fsys    fstest.MapFS
		tracked bool
		want    string
		err     error
	}{
		{"untracked", fstest.MapFS{file: {Data: []byte(marker)}}, false, "00112233445566778899aabbccddeeff", nil},
		{"tracked", fstest.MapFS{file: {Data: []byte(marker)}}, true, pathID, nil},
		{"symlink", fstest.MapFS{file: {Mode: fs.ModeSymlink, Data: []byte("other.json")}, ".stint/other.json": {Data: []byte(marker)}}, false, pathID, nil},
		{"tracked symlink", fstest.MapFS{file: {Mode: fs.ModeSymlink, Data: []byte("other.json")}}, true, pathID, nil},
		{"folder that is a symlink", fstest.MapFS{".stint": {Mode: fs.ModeSymlink, Data: []byte("other")}, "other/project.json": {Data: []byte(marker)}}, false, pathID, nil},
		{"missing", fstest.MapFS{}, false, "", fs.ErrNotExist},
		{"tracked and missing", fstest.MapFS{}, true, "", fs.ErrNotExist},
		{"newer", fstest.MapFS{file: {Data: []byte(`{"schema": 2}`)}}, false, "", readers.ErrNewer},
		{"tracked and newer", fstest.MapFS{file: {Data: []byte(`{"schema": 2}`)}}, true, "", readers.ErrNewer},
		{"too large", fstest.MapFS{file: {Data: make([]byte, readers.MaxDocument+1)}}, false, "", readers.ErrTooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := project.ID(test.fsys, test.tracked, "/src/my repo")
			if !errors.Is(err, test.err) {
				t.Fatalf("ID: %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ID (-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadConfig(t *testing.T) {
	got, err := project.ReadConfig(fstest.MapFS{"stint.toml": {Data: []byte(config)}})
	require.NoError(t, err)
	want := &project.Config{
		Version: 1,
		Project: project.Settings{MemoryDir: "docs/memory"},
		Session: project.Session{Harness: "sh", RetentionDays: 30},
		Harness: map[string]project.Harness{"codex": {
			Command:  []string{"codex", "--full-auto"},
			Prompt:   []string{"--", "{prompt}"},
			Begin:    []string{"--name", "{conversation}"},
			Resume:   []string{"resume", "{conversation}"},
			Run:      []string{"exec", "{prompt}"},
			Continue: []string{"exec", "resume={conversation}", "{prompt}"},
			Report:   "thread_id",
		}},
		Env:      project.Env{File: ".env"},
		Instance: project.Instance{Name: "build-3.example"},
		Tmux:     project.Tmux{Socket: "/tmp/tmux-1000/own"},
		Unknown:  []string{"env.more", "harness.codex.speed", "later", "unheard"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ReadConfig (-want +got)\n%s", diff)
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for _, test := range []struct{ name, doc, pointer string }{
		{"empty", "", "config_version"},
		{"no version", "[session]\nharness = 'sh'", "config_version"},
		{"version zero", "config_version = 0", "config_version"},
		{"version of another type", "config_version = '1'", "config_version"},
		{"duplicate", "config_version = 1\nconfig_version = 1", "config_version"},
		{"duplicate table", "config_version = 1\n[session]\n[session]", "session"},
		{"harness of another type", "config_version = 1\n[session]\nharness = 1", "session.harness"},
		{"days of another type", "config_version = 1\n[session]\nretention_days = '30'", "session.retention_days"},
		{"days below zero", "config_version = 1\n[session]\nretention_days = -1", "session.retention_days"},
		{"days beyond a century", "config_version = 1\n[session]\nretention_days = 36501", "session.retention_days"},
		{"memory at the top", "config_version = 1\n[project]\nmemory_dir = '.'", "project.memory_dir"},
		{"memory that leads out", "config_version = 1\n[project]\nmemory_dir = '../x'", "project.memory_dir"},
		{"absolute memory", "config_version = 1\n[project]\nmemory_dir = '/x'", "project.memory_dir"},
		{"harness without a program", "config_version = 1\n[harness.a]\ncommand = []", "harness.a.command"},
		{"harness with an empty program", "config_version = 1\n[harness.a]\ncommand = ['']", "harness.a.command"},
		{"command in text", "config_version = 1\n[harness.a]\ncommand = 'a b'", "harness.a.command"},
		{"NUL in an argument", "config_version = 1\n[harness.a]\nresume = [\"\\u0000\"]", "harness.a"},
		{"begin without a place", "config_version = 1\n[harness.a]\nbegin = ['--id']", "harness.a.begin"},
		{"begin without arguments", "config_version = 1\n[harness.a]\nbegin = []", "harness.a.begin"},
		{"run without a prompt", "config_version = 1\n[harness.a]\nrun = ['exec', '{conversation}']", "harness.a.run"},
		{"continue without a conversation", "config_version = 1\n[harness.a]\ncontinue = ['{prompt}']", "harness.a.continue"},
		{"continue without a prompt", "config_version = 1\n[harness.a]\ncontinue = ['{conversation}']", "harness.a.continue"},
		{"run in text", "config_version = 1\n[harness.a]\nrun = '{prompt}'", "harness.a.run"},
		{"report of another type", "config_version = 1\n[harness.a]\nreport = ['id']", "harness.a.report"},
		{"NUL in the environment's file", "config_version = 1\n[env]\nfile = \"a\\u0000\"", "env.file"},
		{"environment's file of another type", "config_version = 1\n[env]\nfile = 1", "env.file"},
		{"environment in text", "config_version = 1\nenv = '.env'", "env"},
		{"instance with a space", "config_version = 1\n[instance]\nname = 'a b'", "instance.name"},
		{"instance of another type", "config_version = 1\n[instance]\nname = 1", "instance.name"},
		{"relative socket", "config_version = 1\n[tmux]\nsocket = 'own'", "tmux.socket"},
		{"socket with ..", "config_version = 1\n[tmux]\nsocket = '/tmp/../own'", "tmux.socket"},
		{"cut short", "config_version = 1\n[session", ""},
	} {
		_, err := project.ParseConfig("c", []byte(test.doc))
		var corrupt *readers.CorruptError
		require.ErrorAs(t, err, &corrupt, test.name)
		if corrupt.Pointer != test.pointer {
			t.Errorf("%s: at %q, want %q (%v)", test.name, corrupt.Pointer, test.pointer, err)
		}
	}
}

func TestConfigOfACentury(t *testing.T) {
	c, err := project.ParseConfig("c", []byte("config_version = 1\n[session]\nretention_days = 36500"))
	require.NoError(t, err)
	require.Equal(t, 36500, c.Session.RetentionDays)
}

func TestConfigErrors(t *testing.T) {
	for _, test := range []struct {
		name string
		fsys fstest.MapFS
		want error
	}{
		{"missing", fstest.MapFS{}, fs.ErrNotExist},
		{"newer", fstest.MapFS{"stint.toml": {Data: []byte("config_version = 2\nsession = 'of another type'")}}, readers.ErrNewer},
		{"symlink", fstest.MapFS{"stint.toml": {Mode: fs.ModeSymlink, Data: []byte("a")}, "a": {Data: []byte(config)}}, readers.ErrNotRegular},
		{"folder", fstest.MapFS{"stint.toml": {Mode: fs.ModeDir}}, readers.ErrNotRegular},
		{"too large", fstest.MapFS{"stint.toml": {Data: make([]byte, readers.MaxDocument+1)}}, readers.ErrTooLarge},
	} {
		if _, err := project.ReadConfig(test.fsys); !errors.Is(err, test.want) {
			t.Errorf("%s: ReadConfig = %v, want %v", test.name, err, test.want)
		}
	}
}

func TestConfigErrorSaysWhere(t *testing.T) {
	const doc = "config_version = 1\n[session]\nharness = 1\n"
	_, err := project.ParseConfig("stint.toml", []byte(doc))
	var corrupt *readers.CorruptError
	require.ErrorAs(t, err, &corrupt)
	if diff := cmp.Diff(`"stint.toml": does not read at session.harness in line 3, column 11: it is not a text in quotes`, corrupt.Error()); diff != "" {
		t.Errorf("ParseConfig (-want +got)\n%s", diff)
	}
}

// A value of another type is spoken of in the words of the manual, not of Go.
func TestConfigErrorSaysWhatIsWanted(t *testing.T) {
	for doc, want := range map[string]string{
		"config_version = '1'":                                  "it is not a whole number",
		"config_version = 1\n[session]\nretention_days = 1.5":   "it is not a whole number",
		"config_version = 1\n[session]\nharness = ['sh']":       "it is not a text in quotes",
		"config_version = 1\n[project]\nmemory_dir = 1":         "it is not a text in quotes",
		"config_version = 1\n[harness.sh]\nprompt = '{prompt}'": "it is not a list of texts in quotes",
		"config_version = 1\n[harness.sh]\ncommand = ['sh', 1]": "it is not a list of texts in quotes",
		"config_version = 1\n[harness]\nsh = 'sh'":              "it is not a table",
		"config_version = 1\nsession = 1":                       "it is not a table",
		"config_version = 1\nharness = 'sh'":                    "it is not a table",
		"config_version = 1\n[env]\nfile = 1":                   "it is not a text in quotes",
		"config_version = 1\n[instance]\nname = 1":              "it is not a text in quotes",
		"config_version = 1\n[tmux]\nsocket = 1":                "it is not a text in quotes",
		"config_version = 1\n[harness.run]\nrun = 1":            "it is not a list of texts in quotes",
		"config_version = 1\n[harness]\nrun = 1":                "it is not a table",
		"config_version = 1\n[harness]\nname = 1":               "it is not a table",
		"config_version = 1\ninstance = 'a'":                    "it is not a table",
		"config_version = 1\nconfig_version = 1":                "toml: key config_version is already defined",
	} {
		_, err := project.ParseConfig("stint.toml", []byte(doc))
		var corrupt *readers.CorruptError
		require.ErrorAs(t, err, &corrupt, doc)
		if diff := cmp.Diff(want, corrupt.Err.Error()); diff != "" {
			t.Errorf("ParseConfig(%q) (-want +got)\n%s", doc, diff)
		}
	}
}

// The program of a harness is the one of its name, unless another is named.
func TestHarnessWithoutACommand(t *testing.T) {
	c, err := project.ParseConfig("stint.toml", []byte("config_version = 1\n[harness.sh]\nprompt = ['{prompt}']\n"))
	require.NoError(t, err)
	if diff := cmp.Diff(project.Harness{Prompt: []string{"{prompt}"}}, c.Harness["sh"]); diff != "" {
		t.Errorf("harness.sh (-want +got)\n%s", diff)
	}
}
