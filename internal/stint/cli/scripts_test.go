package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	sandbox.Main(script.Role("script", func(*sandbox.Inside, []string) script.Setup {
		return script.Setup{Commands: map[string]script.Command{"get": get}}
	}))
	os.Exit(m.Run())
}

// get NAME REGEXP sets a variable to what the group of REGEXP matches in the
// standard output of the last command.
func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: get NAME REGEXP")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	out := ts.ReadFile("stdout")
	match := re.FindStringSubmatch(out)
	if len(match) != 2 {
		ts.Fatalf("no group of %q matches in %q", args[1], out)
	}
	ts.Setenv(args[0], match[1])
}

// tools are what the stories use beside stint, git and tmux.
var tools = []string{"git", "sh", "cat", "sleep", "ls", "env", "kill", "chmod", "ln", "mv", "find", "sort", "true", "sha256sum", "sed", "bash", "cmp", "rm", "mkdir", "cp", "grep", "dirname", "basename", "tail", "head", "printf", "date", "rmdir", "mkfifo", "test", "tr", "flock", "yes", "diff"}

// build builds the program that the stories are about.
func build(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a box needs Linux")
	}
	// Inside of the module, and ignored there.
	dir, err := filepath.Abs("../../../bin/stories")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "stint"), "../../../cmd/stint")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	return dir
}

func TestStories(t *testing.T) {
	script.Test(t, sandbox.Config{CLI: build(t), Tools: tools, Tmux: true}, "testdata/*.txtar")
}
