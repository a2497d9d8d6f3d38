package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/freeze-contracts/permafrost/freeze/cli"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/internal/subjects"
	"github.com/freeze-contracts/permafrost/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main(scenario.Role(), read.Role())
	// Under the race detector each freeze would sleep a second before it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"freeze": func() { os.Exit(cli.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// requireTmux skips where tmux is missing at a desk, and fails in make check.
func requireTmux(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") != "" {
			t.Fatal("tmux is missing")
		}
		t.Skip("tmux is missing")
	}
}

// Each script is one story of a maintainer at a terminal.
func TestScripts(t *testing.T) {
	requireTmux(t)
	// With a HOME of its own, go would compile its whole library for each script.
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PERMAFROST_CACHE", filepath.Join(env.WorkDir, "kept builds")) // as below a HOME with a blank
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("GOCACHE", strings.TrimSpace(string(goCache)))
			if home, err := os.UserHomeDir(); err == nil && os.Getenv("RUSTUP_HOME") == "" {
				env.Setenv("RUSTUP_HOME", filepath.Join(home, ".rustup")) // where rustup is at all
			}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Condition: func(cond string) (bool, error) {
			if cond != "pip" {
				return false, fmt.Errorf("there is no condition %q", cond)
			}
			return exec.Command("python3", "-m", "pip", "--version").Run() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"subject": subject,
			"commit":  commit,
			"exits":   exits,

			"regression": regression,
		},
	})
}

// subject NAME DIR makes the repository of a development subject.
func subject(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: subject NAME DIR")
	}
	ts.Check(subjects.Build(context.Background(), args[0], ts.MkAbs(args[1])))
}

// commit TAG makes a release of all that lies in the current folder, which is a
// git repository from then on.
func commit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: commit TAG")
	}
	for _, git := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", args[0]}, {"tag", args[0]},
	} {
		ts.Check(ts.Exec("git", git...))
	}
}

// regression NAME puts ../NAME.txtar into mutations. It is an archive in an
// archive, so its sections begin with = in the script.
func regression(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: regression NAME")
	}
	text := strings.ReplaceAll(ts.ReadFile("../"+args[0]+".txtar"), "\n=-- ", "\n-- ")
	ts.Check(os.WriteFile(ts.MkAbs("mutations/"+args[0]+".txtar"), []byte(text), 0o644))
}

// exits CODE PROGRAM [ARG...] requires an exit status; stdout and stderr work
// after it as they do after exec.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%q exited %d, want %d\n%s%s", args[1:], got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}
