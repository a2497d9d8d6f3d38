package begin_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox/script/begin"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// What a binary does before it begins is what each command of a script pays
// for: nothing that is larger than package os is made ready.
func TestBeginIsFirst(t *testing.T) {
	box := t.TempDir()
	_, stderr := run(t, filepath.Join(box, "self", "role", "any"), begin.Word, "1", "true")
	var got []string
	for line := range strings.Lines(stderr) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "init" {
			got = append(got, f[1])
		}
	}
	require.Contains(t, got, "syscall", "the packages that were made ready are not told")
	require.Equal(t, "os", got[len(got)-1], "packages were made ready that a beginning does not need")
	require.Contains(t, stderr, "no such file or directory", "nobody listens in this box")
}

// Other processes go on, whatever their arguments are.
func TestOthersDoNotBegin(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, program string
		args          []string
	}{
		{"no role of a box", filepath.Join(dir, "bin", "any"), []string{begin.Word, "1", "true"}},
		{"another word", filepath.Join(dir, "self", "role", "any"), []string{"start", "1", "true"}},
		{"no command", filepath.Join(dir, "self", "role", "any"), []string{begin.Word, "1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, _ := run(t, tt.program, tt.args...)
			require.Equal(t, "went on\n", stdout)
		})
	}
}

func TestSocket(t *testing.T) {
	for _, tt := range []struct{ program, want string }{
		{"/tmp/fz.a/self/role/script", "/tmp/fz.a/script/begin"},
		{"/self/role/x/self/role/script", "/self/role/x/script/begin"},
		{"/tmp/fz.a/self/supervisor", ""},
		{"/role/script", ""},
		{"", ""},
	} {
		if d := cmp.Diff(tt.want, begin.Socket(tt.program)); d != "" {
			t.Errorf("Socket(%q) (-want +got)\n%s", tt.program, d)
		}
	}
}

func TestLook(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"none", "plain", "folder/tool", "tools", "more"} {
		require.NoError(t, os.MkdirAll(dir, 0o777))
	}
	for name, mode := range map[string]os.FileMode{"plain/tool": 0o666, "tools/tool": 0o777, "more/tool": 0o777, "here": 0o777} {
		require.NoError(t, os.WriteFile(name, nil, mode))
	}
	for _, tt := range []struct{ command, path, want string }{
		{"tool", "tools:more", "tools/tool"},
		{"tool", "none:plain:folder:more:tools", "more/tool"},
		{"tool", "none:plain:folder", "none"},
		{"tool", "", "none"},
		{"here", "", "none"},
		{"here", "none", "none"},
		{"here", "none::tools", "here"},
		{"here", "none:", "here"},
		{"here", ":none", "here"},
		{"none/tool", "tools", "none/tool"},
		{"/tool", "tools", "/tool"},
		{"", "tools", ""},
	} {
		got, ok := begin.Look(tt.command, tt.path)
		if !ok {
			got = "none"
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("Look(%q, %q) (-want +got)\n%s", tt.command, tt.path, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "1", "a\x001\x00\x00", "1\x00b\x00\x00"} {
		_, err := begin.Parse([]byte(text))
		require.ErrorContains(t, err, "invalid syntax", "Parse(%q)", text)
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("GODEBUG") == "inittrace=1" {
		_, _ = os.Stdout.WriteString("went on\n")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// run runs a copy of this binary that lies at program.
func run(t *testing.T, program string, args ...string) (stdout, stderr string) {
	t.Helper()
	exe, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer exe.Close()
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o777))
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o777)
	require.NoError(t, err)
	_, err = io.Copy(to, exe)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	var out, errs strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String()
}
