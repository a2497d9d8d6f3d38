package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/internal/stint/cli"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// stint runs a command in this process.
func stint(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(args, os.Environ(), os.Stdin, &out, &errs)
	return code, out.String(), errs.String()
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An answer that does not arrive is no success.
func TestAnswerThatIsNotWritten(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("STINT_STATE_DIR", "")
	t.Chdir(t.TempDir())
	require.NoError(t, exec.Command("git", "init", "-q").Run())
	code, _, errs := stint(t, "init")
	require.Zero(t, code, errs)
	for _, args := range [][]string{{"init"}, {"session", "list"}, {"runs", "list"}, {"runs", "list", "--json"}} {
		var said bytes.Buffer
		code := cli.Main(args, os.Environ(), os.Stdin, full{}, &said)
		require.Equal(t, 1, code, args)
		require.Equal(t, "stint: no space left\n", said.String(), args)
	}
}

var available = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)

// commands lists every command by walking the help.
func commands(t *testing.T, at ...string) []string {
	t.Helper()
	code, help, _ := stint(t, append(at, "--help")...)
	require.Zero(t, code)
	all := []string{strings.Join(at, " ")}
	_, list, _ := strings.Cut(help, "Available Commands:")
	list, _, _ = strings.Cut(list, "Flags:")
	for _, m := range available.FindAllStringSubmatch(list, -1) {
		if m[1] != "help" {
			all = append(all, commands(t, append(at[:len(at):len(at)], m[1])...)...)
		}
	}
	return all
}

// The commands of this release, each with an example and with --json.
func TestCommands(t *testing.T) {
	got := commands(t)
	want := []string{
		"", "completion", "continue", "conversations", "conversations close", "conversations list", "conversations show", "doctor", "init", "run",
		"runs", "runs apply", "runs diff", "runs discard", "runs list", "runs prune", "runs recover", "runs show",
		"session", "session attach", "session checkpoint", "session close", "session list", "session open", "session recover", "session restart", "session show",
		"status", "tui",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got)\n%s", diff)
	}
	for _, command := range got {
		_, help, _ := stint(t, append(strings.Fields(command), "--help")...)
		_, example, ok := strings.Cut(help, "Examples:\n")
		if !ok || !strings.Contains(example, strings.TrimSpace("stint "+command)) {
			t.Errorf("stint %s --help has no example of it", command)
		}
		if !strings.Contains(help, "--json") {
			t.Errorf("stint %s --help does not name --json", command)
		}
	}
}

// refusable is a command line of each command, which names what is not there.
var refusable = map[string]string{
	"continue": "nosuch prompt", "conversations close": "nosuch", "conversations list": "", "conversations show": "nosuch",
	"doctor": "", "init": "", "run": "nosuch prompt",
	"runs apply": "nosuch", "runs diff": "nosuch", "runs discard": "nosuch", "runs list": "--session nosuch", "runs prune": "", "runs recover": "nosuch", "runs show": "nosuch",
	"session attach": "nosuch", "session checkpoint": "nosuch", "session close": "nosuch", "session list": "", "session open": "nosuch",
	"session recover": "nosuch", "session restart": "nosuch", "session show": "nosuch", "status": "",
}

// What is refused prints nothing with --json, and its reason on one line. In a
// folder that is no repository that is every command but completion and doctor,
// whose answer that is; in a project it is each that is to act on what is not
// there.
func TestRefusalsAsJSON(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("STINT_STATE_DIR", "")
	t.Chdir(t.TempDir())
	refused := func(t *testing.T, want int, args []string) {
		t.Helper()
		code, out, said := stint(t, append(args, "--json")...)
		got := fmt.Sprintf("%d, %q, %d line of %t", code, out, strings.Count(said, "\n"), strings.HasPrefix(said, "stint: "))
		if diff := cmp.Diff(fmt.Sprintf("%d, \"\", 1 line of true", want), got); diff != "" {
			t.Errorf("stint %s (-want +got)\n%s%s", args, diff, said)
		}
	}
	all := commands(t)
	for _, command := range all {
		words := strings.Fields(command)
		line, ok := refusable[command]
		switch {
		case command == "doctor", command == "completion":
		case slices.Contains([]string{"", "session", "runs", "conversations", "tui"}, command):
			refused(t, 2, words)
		case !ok:
			t.Errorf("nobody says how stint %s is refused", command)
		default:
			refused(t, 1, append(words, strings.Fields(line)...))
		}
	}
	require.NoError(t, exec.Command("git", "init", "-q").Run())
	code, _, errs := stint(t, "init")
	require.Zero(t, code, errs)
	for _, command := range all {
		if line := refusable[command]; strings.Contains(line, "nosuch") {
			refused(t, 1, append(strings.Fields(command), strings.Fields(line)...))
		}
	}
}

// The manual has a section on every command.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/stint.md")
	require.NoError(t, err)
	for _, command := range commands(t) {
		if command == "" || slices.Contains([]string{"session", "runs", "conversations"}, command) {
			continue
		}
		if !regexp.MustCompile("`stint " + command + `\b`).Match(manual) {
			t.Errorf("docs/stint.md does not describe stint %s", command)
		}
	}
	require.Contains(t, string(manual), "\n### A session whose document is lost\n", "messages name it")
	if release, _, _ := strings.Cut(cli.Version, "-"); !bytes.Contains(manual, []byte(release)) {
		t.Errorf("docs/stint.md does not name %s", release)
	}
}
