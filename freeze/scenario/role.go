package scenario

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
)

const roleName = "scenario"

// orders are what the runner inside of the box is told.
type orders struct {
	Version string            `json:"version"`
	Tmux    bool              `json:"tmux"`
	Builds  map[string]string `json:"builds"`
}

// record is what the runner hands back.
type record struct {
	Before    snapshot          `json:"before"` // once the archive was in place
	Keeps     []string          `json:"keeps"`
	Kept      []tree.Entry      `json:"kept"` // by keep PATH as NAME, and views
	Witnesses []fixture.Witness `json:"witnesses"`
	Views     []fixture.View    `json:"views"`
}

// Role is the runner of scenarios, see sandbox.Main.
func Role() sandbox.Role {
	return script.Role(roleName, func(in *sandbox.Inside, args []string) script.Setup {
		r := &runner{in: in}
		return script.Setup{
			Commands:  map[string]script.Command{"use": r.use, "keep": r.keep, "witness": r.witness, "view": r.view},
			Condition: func(c string) (bool, error) { return where{r.orders.Version, r.orders.Tmux}.holds(c) },
			Begin:     func() error { return r.begin(args) },
			Finish:    func() ([]byte, error) { return json.Marshal(r.record) },
		}
	})
}

// runner plays one scenario from inside of its box.
type runner struct {
	in     *sandbox.Inside
	orders orders
	record record
}

func (r *runner) begin(args []string) (err error) {
	if len(args) != 1 {
		return fmt.Errorf("the role %s takes one argument, not %d", roleName, len(args))
	}
	if err := json.Unmarshal([]byte(args[0]), &r.orders); err != nil {
		return err
	}
	r.record.Before, err = look(r.in.Root)
	return err
}

func unnegated(ts *testscript.TestScript, neg bool, name string) {
	if neg {
		ts.Fatalf("unsupported: ! %s", name)
	}
}

// use VERSION: later lines run that release. use this: the one being frozen.
func (r *runner) use(ts *testscript.TestScript, neg bool, args []string) {
	unnegated(ts, neg, "use")
	if len(args) != 1 {
		ts.Fatalf("usage: use VERSION")
	}
	version := args[0]
	if version == this {
		version = r.orders.Version
	}
	dir, ok := r.orders.Builds[version]
	if !ok {
		ts.Fatalf("release %s was not built for this run", version)
	}
	ts.Check(r.in.Install(dir))
}

// keep PATH: capture that as well, as it is in the end. keep PATH as NAME:
// capture it under keep/NAME, as it is now.
func (r *runner) keep(ts *testscript.TestScript, neg bool, args []string) {
	unnegated(ts, neg, "keep")
	if len(args) != 1 && !(len(args) == 3 && args[1] == "as") {
		ts.Fatalf("usage: keep PATH [as NAME]")
	}
	p, err := r.inBox(ts.MkAbs(args[0]))
	ts.Check(err)
	entries, err := tree.Walk(r.in.Root, []string{p})
	ts.Check(err)
	if len(entries) == 0 {
		ts.Fatalf("%s is not there", args[0])
	}
	if len(args) == 1 {
		r.record.Keeps = append(r.record.Keeps, p)
		return
	}
	ts.Check(r.add("keep/"+args[2], args[2], func(to string) []tree.Entry {
		for i := range entries {
			entries[i].Path = to + strings.TrimPrefix(entries[i].Path, p)
		}
		return entries
	}))
}

// add takes entries under a place of their own, which name must not have yet.
func (r *runner) add(to, name string, entries func(to string) []tree.Entry) error {
	if !plainName.MatchString(name) {
		return fmt.Errorf("%q is not a name: letters, digits, dot, - and _", name)
	}
	if slices.ContainsFunc(r.record.Kept, func(e tree.Entry) bool { return within(e.Path, []string{to}) }) {
		return fmt.Errorf("%s is there already", to)
	}
	r.record.Kept = append(r.record.Kept, entries(to)...)
	return nil
}

// inBox makes an absolute path relative to the box, and refuses what a fixture
// does not hold.
func (r *runner) inBox(abs string) (string, error) {
	rel, err := filepath.Rel(r.in.Root, abs)
	if err != nil || !within(rel, []string{"home", "project"}) {
		return "", fmt.Errorf("%q is outside of home and project", abs)
	}
	return filepath.ToSlash(rel), nil
}

// witness FILE ...: what the bytes must show in the end.
func (r *runner) witness(ts *testscript.TestScript, neg bool, args []string) {
	unnegated(ts, neg, "witness")
	if len(args) == 0 {
		ts.Fatalf("usage: witness FILE POINTER VALUE, or FILE [POINTER] with -match RE, -count N, -mode MODE or -absent")
	}
	file := args[0]
	if !strings.HasPrefix(file, "view/") && !strings.HasPrefix(file, "keep/") {
		var err error
		file, err = r.inBox(ts.MkAbs(file))
		ts.Check(err)
	}
	w, err := fixture.ParseWitness(append([]string{file}, args[1:]...))
	ts.Check(err)
	r.record.Witnesses = append(r.record.Witnesses, w)
}

// view NAME COMMAND...: keep what the release says about its own state.
func (r *runner) view(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] view NAME COMMAND...")
	}
	err := script.Exec(ts, args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		ts.Fatalf("%s", script.Missing(args[1]))
	case err != nil && !errors.As(err, &exit) || exit != nil && !exit.Exited():
		ts.Fatalf("view %s: %v", args[0], err)
	case err != nil && !neg:
		ts.Fatalf("view %s: unexpected failure: %v", args[0], err)
	case err == nil && neg:
		ts.Fatalf("view %s: unexpected success", args[0])
	}
	code := 0
	if exit != nil {
		code = exit.ExitCode()
	}
	stdout := ts.ReadFile("stdout")
	ts.Check(r.add("view/"+args[0], args[0], func(to string) []tree.Entry { return viewEntries(to, stdout, code) }))
	r.record.Views = append(r.record.Views, fixture.View{Name: args[0], Command: args[1:]})
}

func viewEntries(to, stdout string, code int) []tree.Entry {
	file := func(name, data string) tree.Entry {
		return tree.Entry{Path: to + "/" + name, Type: tree.File, Mode: 0o644, Data: []byte(data)}
	}
	return []tree.Entry{file("exit", fmt.Sprintf("%d\n", code)), file("stdout", stdout)}
}
