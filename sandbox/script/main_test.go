package script_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	sandbox.Main(script.Plain(), handing())
	// These tests wait more than they work. A -parallel of the command line wins.
	flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

// handing is a role with everything that Setup can add.
func handing() sandbox.Role {
	return script.Role("handing", func(in *sandbox.Inside, args []string) script.Setup {
		var begun []string
		return script.Setup{
			Commands: map[string]script.Command{"run": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(script.Exec(ts, args[0], args[1:]...))
			}},
			Condition: func(cond string) (bool, error) {
				if cond != "odd" {
					return false, errors.New("there is only odd")
				}
				return len(args)%2 == 1, nil
			},
			Begin: func() error {
				entries, err := os.ReadDir(in.Project())
				for _, e := range entries {
					begun = append(begun, e.Name())
				}
				return err
			},
			Finish: func() ([]byte, error) {
				return []byte(strings.Join(append(begun, args...), " ")), nil
			},
		}
	})
}

var tools = []string{"sh", "git", "cat", "sleep", "env", "ls"}

// cli is the subject of these tests: a program of the box's own.
const cli = `#!/bin/sh
case $1 in
say) shift; echo "$@" ;;
complain) echo "this went wrong" >&2; exit 3 ;;
commit) echo before >state; git hash-object state >hash || exit 4; echo after >state ;;
patient) fired=$(cat "$PERMAFROST_BOX/self/firings"); git hash-object state &
	until [ "$fired" != "$(cat "$PERMAFROST_BOX/self/firings")" ]; do sleep 0.05; done
	kill -KILL $!; wait; echo 'gave up on git' ;;
pipe) printf %s "$2" | git hash-object --stdin >hash || exit 5 ;;
ask) while printf '%s' 'name? ' && read -r name; do echo "hello $name"; done ;;
look) tmux list-sessions || exit 6 ;;
open) tmux new-session -d -s talk -x 60 -y 20 'cli ask' ;;
esac
`

func needTmux(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("PERMAFROST_CHECK") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// config is a box with cli, git and tmux in it.
func config(t testing.TB) sandbox.Config {
	t.Helper()
	needTmux(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cli"), []byte(cli), 0o777))
	return sandbox.Config{CLI: dir, Tools: tools, Tmux: true}
}

// start is a box that the test closes with the proof.
func start(t testing.TB, cfg sandbox.Config) *sandbox.Box {
	t.Helper()
	box, err := sandbox.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	return box
}

// play plays text in a box of its own.
func play(t testing.TB, ctx context.Context, name, text string) (*sandbox.Box, error) {
	t.Helper()
	box := start(t, config(t))
	return box, script.Play(ctx, box, "script", name, []byte(text))
}
