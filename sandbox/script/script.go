// Package script plays testscript scripts inside of a box.
//
// The script runner itself is a process of the box, so all that a script
// starts is under the box's supervisor and ends with it. The working folder,
// and the place of the archive's files, is the box's project; the environment
// is the box's and nothing else. Beside testscript's own commands there are
// always fault, screen and keys.
//
// It knows nothing of releases or fixtures: whoever does adds commands and
// conditions by a role of their own.
package script

import (
	"context"
	"fmt"
	"strings"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/rogpeppe/go-internal/testscript"
)

// Command is a command of a script, as testscript calls it.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Setup is what a role adds to the commands that are always there.
type Setup struct {
	Commands map[string]Command
	// Condition decides the conditions that testscript does not know. Nil
	// means that there are none.
	Condition func(cond string) (bool, error)
	// Begin, where given, is called when the archive's files are in place and
	// before the first line. Its error fails the script.
	Begin func() error
	// Finish, where given, is called when the script came to its end and
	// every fault fired as declared.
	Finish func() error
}

// Error is a script that failed.
type Error struct {
	Script  string // the name given to Play
	Line    int    // 0 where no single line is to blame
	Command string // the text of that line
	Why     string
	Log     string // testscript's log of the phase that failed: what was run, and what it printed
	Screen  string // what the panes of the box's tmux showed; empty where it had none
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Script)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d: %s", e.Line, e.Command)
	}
	fmt.Fprintf(&b, ": %s", e.Why)
	if e.Log != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(e.Log, "\n"))
	}
	if e.Screen != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(e.Screen, "\n"))
	}
	return b.String()
}

// Role is the script runner as a role of the running binary, see sandbox.Main.
// The arguments that setup gets are the ones given to Play.
func Role(name string, setup func(in *sandbox.Inside, args []string) Setup) sandbox.Role {
	panic("unbuilt")
}

// Plain is the role "script": no commands but testscript's, fault, screen and
// keys. A test binary that uses Test begins its TestMain with
// sandbox.Main(script.Plain()).
func Plain() sandbox.Role {
	return Role("script", func(*sandbox.Inside, []string) Setup { return Setup{} })
}

// Play plays the script txtar in the box, by the role of that name, and hands
// args to the role's setup. A script that fails is an *Error.
func Play(ctx context.Context, box *sandbox.Box, role, name string, txtar []byte, args ...string) error {
	panic("unbuilt")
}
