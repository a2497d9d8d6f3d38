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
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

// Command is a command of a script, as testscript calls it.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Setup is what a role adds to the commands that are always there.
type Setup struct {
	Commands map[string]Command
	// Env is added to the box's environment, for the script and all it runs.
	Env []string
	// Condition decides the conditions that testscript does not know. Nil
	// means that there are none.
	Condition func(cond string) (bool, error)
	// Begin, where given, is called when the archive's files are in place and
	// before the first line. Its error fails the script.
	Begin func() error
	// Finish, where given, is called when the script came to its end and
	// every fault fired as declared. What it returns is Result.Record; its
	// error fails the script.
	Finish func() ([]byte, error)
}

// Result is what a script that passed hands back.
type Result struct {
	Faults []sandbox.Fault `json:"faults,omitempty"` // as declared, in the order of the script
	Record []byte          `json:"record,omitempty"` // from Setup.Finish
}

// Error is a script that failed.
type Error struct {
	Script  string `json:"script"`            // the name given to Play
	Line    int    `json:"line,omitempty"`    // 0 where no single line is to blame
	Command string `json:"command,omitempty"` // the text of that line
	Why     string `json:"why"`
	Log     string `json:"log,omitempty"`    // testscript's log of the phase that failed: what was run, and what it printed
	Screen  string `json:"screen,omitempty"` // what the panes of the box's tmux showed; empty where it had none
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Script)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d: %s", e.Line, e.Command)
	}
	fmt.Fprintf(&b, ": %s", e.Why)
	for _, more := range []string{e.Log, e.Screen} {
		if more = strings.TrimRight(more, "\n"); more != "" {
			fmt.Fprintf(&b, "\n%s", more)
		}
	}
	return b.String()
}

// Plain is the role "script": no commands but testscript's, fault, screen and
// keys. A test binary that uses Test begins its TestMain with
// sandbox.Main(script.Plain()).
func Plain() sandbox.Role {
	return Role("script", func(*sandbox.Inside, []string) Setup { return Setup{} })
}

// Play plays the script txtar in the box, by the role of that name, and hands
// args to the role's setup. A script that fails is an *Error that calls it by
// name. One that has not come to its end by ctx's deadline fails then, and
// Play may take some seconds more to say where it stood.
func Play(ctx context.Context, box *sandbox.Box, role, name string, txtar []byte, args ...string) error {
	_, err := Run(ctx, box, role, name, txtar, args...)
	return err
}

// Run is Play for a role that hands something back.
func Run(ctx context.Context, box *sandbox.Box, role, name string, txtar []byte, args ...string) (*Result, error) {
	in, err := json.Marshal(job{Name: name, Script: txtar, Args: args, Deadline: deadline(ctx), Limit: left(ctx)}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	longer, cancel := withGrace(ctx)
	defer cancel()
	code, err := box.Run(longer, sandbox.Cmd{Role: role, Stdin: bytes.NewReader(in), Stdout: &stdout, Stderr: &stderr})
	if ended := ctx.Err(); err != nil && ended != nil {
		err = ended
	}
	if err != nil {
		return nil, fmt.Errorf("script %q: %w", name, err)
	}
	var out outcome
	if err := json.Unmarshal(stdout.Bytes(), &out); code != 0 || err != nil {
		return nil, &Error{Script: name, Why: fmt.Sprintf("the script runner ended with exit status %d and no answer", code), Log: stderr.String()}
	}
	if out.Error != nil {
		return nil, out.Error
	}
	return out.Result, nil
}

// job is what the runner inside is told, on its standard input.
type job struct {
	Name     string    `json:"name"`
	Script   []byte    `json:"script"`
	Args     []string  `json:"args"`
	Deadline time.Time `json:"deadline"`
	Limit    string    `json:"limit"` // how long there is until then, as it is told
}

// outcome is its answer, on its standard output.
type outcome struct {
	Result *Result `json:"result,omitempty"`
	Error  *Error  `json:"error,omitempty"`
}

func deadline(ctx context.Context) time.Time {
	end, _ := ctx.Deadline()
	return end
}

func left(ctx context.Context) string {
	end, _ := ctx.Deadline()
	return time.Until(end).Round(time.Second).String()
}

// grace is what the runner has, after the deadline that it was told, to say
// where the script stood. It is long, since the machine may be busy.
const grace = 15 * time.Second

// withGrace ends as ctx does, but later where that was by its deadline.
func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			time.AfterFunc(grace, cancel)
			return
		}
		cancel()
	})
	return longer, func() {
		stop()
		cancel()
	}
}
