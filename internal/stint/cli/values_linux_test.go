package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// Every value that a file can hold is the new program's, byte for byte.
func TestRestartValues(t *testing.T) {
	d := newRotation(t, "VALUE=first\n")
	id := d.open("sleep", "agent")
	for _, test := range []struct{ name, line, want string }{
		{"empty", "VALUE=\n", ""},
		{"quotes", `VALUE="a \"b\" 'c' ` + "`d`\"\n", "a \"b\" 'c' `d`"},
		{"newlines", "VALUE=\"a\nb\n\"\n", "a\nb\n"},
		{"of a shell", `VALUE='; # $HOME ~ \ #{pid} %if * !' ` + "\n", `; # $HOME ~ \ #{pid} %if * !`},
		{"a semicolon at the end", "VALUE=a;\n", "a;"},
		{"a home folder", "VALUE=~\n", "~"},
		{"a hash", "VALUE='#'\n", "#"},
		{"bytes that are no text", "VALUE=\x80\xfe\xff\xc3\n", "\x80\xfe\xff\xc3"},
		{"text of other scripts", "VALUE=é漢🙂\n", "é漢🙂"},
		{"100 KB", "VALUE='" + strings.Repeat("0;$~#\"\xff\n", 12_800) + "'\n", strings.Repeat("0;$~#\"\xff\n", 12_800)},
	} {
		d.rotate(test.line)
		out, _ := d.stint(0, "session", "restart", id)
		require.Equal(t, map[string]string{id: "restarted"}, rows(out), test.name)
		if diff := cmp.Diff(map[string]string{"VALUE": test.want}, d.has(id, "VALUE")); diff != "" {
			t.Errorf("%s: what the program has (-want +got)\n%s", test.name, diff)
		}
	}
}

// A name that was deleted from the file is none of the new program's, though
// the server has it, and is back when it is declared again.
func TestRestartDeletedName(t *testing.T) {
	d := newRotation(t, "KEPT=1\nGONE=1\n")
	d.env = append(d.env, "GONE=server's")
	d.tmux("new-session", "-d", "sleep 1000")
	id := d.open("sleep", "agent")
	require.Equal(t, map[string]string{"KEPT": "1", "GONE": "1"}, d.has(id, "KEPT", "GONE"))
	for _, test := range []struct {
		file, dry, want string
		has             map[string]string
	}{
		{"KEPT=1\n", "would-restart differs: GONE", "restarted", map[string]string{"KEPT": "1"}},
		{"KEPT=1\n", "fresh", "fresh", map[string]string{"KEPT": "1"}},
		{"KEPT=2\n", "would-restart differs: KEPT", "restarted", map[string]string{"KEPT": "2"}},
		{"KEPT=2\nGONE=3\n", "would-restart differs: GONE", "restarted", map[string]string{"KEPT": "2", "GONE": "3"}},
		{"GONE=\n", "would-restart differs: GONE, KEPT", "restarted", map[string]string{"GONE": ""}},
	} {
		d.rotate(test.file)
		out, _ := d.stint(0, "session", "restart", id, "--dry-run")
		require.Equal(t, map[string]string{id: test.dry}, rows(out), "%q", test.file)
		names, stale := strings.CutPrefix(test.dry, "would-restart differs: ")
		require.Equal(t, stale, strings.Contains(d.driftLine(), " of "+names+":"), "%q", test.file)
		out, _ = d.stint(0, "session", "restart", id)
		require.Equal(t, map[string]string{id: test.want}, rows(out), "%q", test.file)
		require.Equal(t, test.has, d.has(id, "KEPT", "GONE"), "%q", test.file)
	}
	require.Equal(t, "GONE=server's\n", d.tmux("show-environment", "-g", "GONE"))
}

// What stint itself sets is as session open sets it.
func TestRestartKeepsStintsOwn(t *testing.T) {
	d := newRotation(t, "TOKEN=1\nSTINT_WORK_ITEM=mine\n")
	own := []string{"STINT_SESSION_ID", "STINT_RUN_DIR", "STINT_CONFIG", "STINT_WORK_ITEM", "STINT_INSTANCE", "STINT_MEMORY_DIR", "STINT_ENV_NAMES"}
	d.config("[instance]\nname = \"desk-1\"\n[project]\nmemory_dir = \"notes\"\n")
	item, standing := d.open("sleep", "agent", "--work-item", "github:octo/repo#1"), d.open("sleep", "agent", "--standing", "one")
	was := []map[string]string{d.has(item, own...), d.has(standing, own...)}
	require.Len(t, was[0], 7)
	require.Equal(t, []string{"github:octo/repo#1", "desk-1"}, []string{was[0]["STINT_WORK_ITEM"], was[0]["STINT_INSTANCE"]})
	require.NotContains(t, was[1], "STINT_WORK_ITEM")
	d.rotate("TOKEN=2\nSTINT_WORK_ITEM=mine\n")
	out, said := d.stint(0, "session", "restart", "--all")
	require.Equal(t, map[string]string{"github:octo/repo#1": "restarted", standing: "restarted"}, rows(out))
	require.Equal(t, fmt.Sprintf("stint: env file %q: STINT_WORK_ITEM: set by tmux or stint, whatever the file says\n", d.dir+"/secrets.env"), said)
	if diff := cmp.Diff(was, []map[string]string{d.has(item, own...), d.has(standing, own...)}); diff != "" {
		t.Errorf("stint's own variables (-before +after)\n%s", diff)
	}
}
