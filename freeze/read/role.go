package read

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
)

const roleName = "reader"

// Role is the runner of reader scripts, see sandbox.Main.
func Role() sandbox.Role {
	return script.Role(roleName, func(in *sandbox.Inside, args []string) script.Setup {
		r := &runner{in: in}
		err := r.take(args)
		return script.Setup{
			Commands:  map[string]script.Command{"use": r.use, "read": r.read, "view": r.view, "unchanged": r.unchanged},
			Env:       r.env(),
			Condition: r.orders.holds,
			Begin:     func() error { return errors.Join(err, r.begin()) },
			Finish:    func() ([]byte, error) { return json.Marshal(r.steps) },
		}
	})
}

// runner plays one reader script from inside of its box.
type runner struct {
	in      *sandbox.Inside
	orders  orders
	program string            // the version on PATH
	writer  string            // the newest version that wrote to the tree
	seen    map[string]string // the tree when it was last looked at
	mark    map[string]string // the tree that unchanged compares with
	marked  int               // the step that the mark was set for, counted from 1, or 0
	steps   []Step
}

func (r *runner) take(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("the role %s takes one argument, not %d", roleName, len(args))
	}
	return json.Unmarshal([]byte(args[0]), &r.orders)
}

func (r *runner) env() []string {
	return []string{
		"READER=" + r.orders.Reader,
		"FIXTURE_RELEASE=" + r.orders.Release,
		"FIXTURE_FAMILY=" + r.orders.Family,
		"FIXTURE_SCENARIO=" + r.orders.Scenario,
		"VIEWS=" + r.views(),
	}
}

func (r *runner) views() string { return filepath.Join(r.in.Root, viewsDir) }

func (r *runner) begin() (err error) {
	r.program, r.writer = r.orders.Reader, r.orders.Release
	r.seen, err = tree.States(r.in.Root, r.orders.Roots)
	r.mark = r.seen
	return err
}

// look notes who wrote to the tree since the last look.
func (r *runner) look() error {
	now, err := tree.States(r.in.Root, r.orders.Roots)
	if err != nil {
		return err
	}
	if len(changed(r.seen, now)) > 0 && scenario.Compare(r.program, r.writer) > 0 {
		r.writer = r.program
	}
	r.seen = now
	return nil
}

func unnegated(ts *testscript.TestScript, neg bool, name string) {
	if neg {
		ts.Fatalf("unsupported: ! %s", name)
	}
}

// use VERSION, use this, use fixture: later lines run those programs.
func (r *runner) use(ts *testscript.TestScript, neg bool, args []string) {
	unnegated(ts, neg, "use")
	version := args[0] // there is one: Load has looked
	switch version {
	case This:
		version = r.orders.Reader
	case fromFixture:
		version = r.orders.Release
	}
	ts.Check(r.look())
	ts.Check(r.in.Install(r.orders.Programs[version]))
	r.program, r.mark, r.marked = version, r.seen, 0
}

const readUsage = "usage: [!] read NAME [-refused POINTER] [-warned REGEXP] [POINTER[=POINTER]...] COMMAND [ARG...]"

// read NAME COMMAND: run it, and compare what it says with the view NAME. With
// ! it is meant to refuse.
func (r *runner) read(ts *testscript.TestScript, neg bool, args []string) {
	name, how, command, err := question(args)
	ts.Check(err)
	view, err := r.said(name)
	ts.Check(err)
	ts.Check(r.look())
	before := r.seen
	step := Step{View: name, Program: r.program, Writer: r.writer, Meant: neg}
	got, stderr := r.run(ts, "read "+name, command)
	ts.Check(r.look())
	r.mark, r.marked = before, len(r.steps)+1
	step.Outcome, step.Message, err = how.judge(view, got, stderr)
	ts.Check(err)
	if step.Outcome == Refuses {
		step.wrote(r.tell(changed(before, r.seen)))
	}
	step.Message = r.plain(step.Message)
	r.steps = append(r.steps, step)
	if neg && step.Outcome != Refuses && step.Outcome != Writes {
		ts.Fatalf("read %s: it was to refuse, and %s", name, step.Outcome)
	}
}

// view NAME COMMAND: what the program says now becomes the view NAME, for
// another one to be compared with.
func (r *runner) view(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] view NAME COMMAND [ARG...]")
	}
	if !viewName.MatchString(args[0]) {
		ts.Fatalf("view %q: a name has letters, digits, dot, - and _", args[0])
	}
	got, _ := r.run(ts, "view "+args[0], args[1:])
	if neg != (got.Exit != 0) {
		ts.Fatalf("view %s: exited with status %d", args[0], got.Exit)
	}
	err := layView(filepath.Join(r.views(), args[0]), got)
	if errors.Is(err, fs.ErrExist) {
		ts.Fatalf("view %s: there is one of that name already, of the release or of a line above; take another name", args[0])
	}
	ts.Check(err)
}

var viewName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// unchanged: nothing below the family's roots was written since the last read
// began, or since the last use or unchanged.
func (r *runner) unchanged(ts *testscript.TestScript, neg bool, args []string) {
	unnegated(ts, neg, "unchanged")
	if len(args) > 0 {
		ts.Fatalf("usage: unchanged")
	}
	ts.Check(r.look())
	wrote := r.tell(changed(r.mark, r.seen))
	switch {
	case len(wrote) > 0 && r.marked == 0:
		ts.Fatalf("was written: %s", strings.Join(wrote, ", "))
	case r.marked > 0:
		r.steps[r.marked-1].wrote(wrote)
	}
	r.mark, r.marked = r.seen, 0
}

// run runs a command of the box to its end.
func (r *runner) run(ts *testscript.TestScript, what string, command []string) (got fixture.Output, stderr string) {
	err := script.Exec(ts, command[0], command[1:]...)
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		ts.Fatalf("%s", script.Missing(command[0]))
	case err != nil && !errors.As(err, &exit) || exit != nil && !exit.Exited():
		ts.Fatalf("%s: %v", what, err)
	case exit != nil:
		got.Exit = exit.ExitCode()
	}
	got.Stdout = []byte(ts.ReadFile("stdout"))
	return got, ts.ReadFile("stderr")
}

// said is a view, of the release or of the script.
func (r *runner) said(name string) (v fixture.Output, err error) {
	dir := filepath.Join(r.views(), name)
	if !viewName.MatchString(name) {
		return v, fmt.Errorf("read %q: not the name of a view; %s", name, readUsage)
	}
	exit, err := os.ReadFile(filepath.Join(dir, "exit"))
	if errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("read %s: %s/%s of %s has no such view, only %q; a line for some fixtures begins with [view:NAME]",
			name, r.orders.Family, r.orders.Scenario, r.orders.Release, slices.Sorted(slices.Values(r.orders.Views)))
	}
	if err != nil {
		return v, err
	}
	if v.Exit, err = strconv.Atoi(strings.TrimSpace(string(exit))); err != nil {
		return v, err
	}
	v.Stdout, err = os.ReadFile(filepath.Join(dir, "stdout"))
	return v, err
}

// changed lists, sorted, the paths at which two states of a tree differ.
func changed(was, is map[string]string) []string {
	var paths []string
	for p, state := range is {
		if was[p] != state {
			paths = append(paths, p)
		}
	}
	for p := range was {
		if _, there := is[p]; !there {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}
