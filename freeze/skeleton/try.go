package skeleton

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/sandbox/script"
)

// Try builds the program from HEAD and runs it in boxes: what it needs there,
// how it says its version, whether what a user does first leaves anything, and
// what it says about that, which is put into first.View where that is empty. env is the environment of the build, cache the folder that keeps it, and what
// the build prints goes to log.
func (d *Draft) Try(ctx context.Context, dir string, first *First, env []string, cache string, log io.Writer) error {
	p := cut.Draft(d.config(dir), env, cache)
	_, built, err := p.Obtain(ctx, "HEAD", log)
	if err != nil {
		return err
	}
	if d.Tools, err = toolsOf(filepath.Join(built.Dir, d.Name)); err != nil {
		return err
	}
	t := &trial{project: cut.Draft(d.config(dir), env, cache), program: d.Name, dir: built.Dir}
	if err := d.askVersion(ctx, t); err != nil {
		return err
	}
	if len(first.Args) == 0 {
		return d.askHelp(ctx, t)
	}
	if err := t.first(ctx, *first); err != nil {
		return err
	}
	if first.View == "" {
		first.View, err = t.findView(ctx, first.Args)
	}
	return err
}

// trial runs a program in boxes.
type trial struct {
	project      *cut.Project
	program, dir string
	asked        int
}

// ask runs the program once for each list of arguments, all in one box. Pids
// are others in each.
func (t *trial) ask(ctx context.Context, lists ...[]string) (cut.Answer, error) {
	var commands [][]string
	for _, args := range lists {
		commands = append(commands, append([]string{t.program}, args...))
	}
	box := t.project.Box("HEAD", t.dir)
	t.asked++
	box.FirstPID += 100 * t.asked
	return cut.Ask(ctx, box, commands...)
}

// askVersion finds the arguments at which the program says its version, and
// nothing else. A program may well have none.
func (d *Draft) askVersion(ctx context.Context, t *trial) error {
	for _, args := range [][]string{{"--version"}, {"version"}, {"-version"}, {"-V"}} {
		a, err := t.ask(ctx, args)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || a.Code != 0 {
			continue
		}
		if version, err := cut.VersionIn(a.Stdout); err == nil {
			d.VersionArgs, d.Version = args, version
			return nil
		}
	}
	return nil
}

// askHelp finds arguments at which the program prints something and ends well,
// for a scenario that nobody has said the commands of.
func (d *Draft) askHelp(ctx context.Context, t *trial) error {
	var last error
	for _, args := range [][]string{{"--help"}, {"help"}, {"-h"}, d.VersionArgs, nil} {
		a, err := t.ask(ctx, args)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			last = err
		case a.Code == 0 && a.Stdout != "":
			d.Help = args
			return nil
		default:
			last = a.Failed(append([]string{t.program}, args...))
		}
	}
	return fmt.Errorf("%s prints nothing at --help or alone (%w); say what a user does first, as in freeze init -- ARG", t.program, last)
}

// first does in a box what a user does first.
func (t *trial) first(ctx context.Context, f First) error {
	a, err := t.ask(ctx, f.Args)
	switch command := append([]string{t.program}, f.Args...); {
	case err != nil:
		return err
	case a.Code != 0:
		return a.Failed(command)
	case !a.Wrote:
		return fmt.Errorf("%q wrote nothing below HOME or in the project: say something that does, or freeze has nothing to keep", strings.Join(command, " "))
	}
	if f.View == "" {
		return nil
	}
	view, err := viewArgs(f.View)
	if err != nil {
		return err
	}
	if a, err = t.ask(ctx, f.Args, view); err == nil && a.Code != 0 {
		err = a.Failed(append([]string{t.program}, view...))
	}
	return err
}

// views are words at which programs say what they keep.
var views = []string{"list", "ls", "show", "status", "log", "get", "print", "dump", "export"}

// findView looks for a word at which the program says what it says because of
// what the user did: without that the answer is another, and with it the same
// in each box. There may be none.
func (t *trial) findView(ctx context.Context, did []string) (string, error) {
	for _, view := range views {
		after, err := t.say(ctx, did, []string{view})
		if err != nil || after == "" {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			continue
		}
		before, err := t.say(ctx, []string{view})
		if err == nil && before == after {
			continue
		}
		if again, err := t.say(ctx, did, []string{view}); err == nil && again == after {
			return view, nil
		}
	}
	return "", context.Cause(ctx)
}

// say is what the program prints in the end, wherever the box was; nothing if it
// fails.
func (t *trial) say(ctx context.Context, lists ...[]string) (string, error) {
	a, err := t.ask(ctx, lists...)
	if err != nil || a.Code != 0 {
		return "", err
	}
	return strings.ReplaceAll(a.Stdout, a.Root, "/box"), nil
}

// viewArgs are the words of a view's command.
func viewArgs(view string) ([]string, error) {
	lines, err := script.Lines([]byte("view x " + view))
	if err != nil || len(lines) != 1 {
		return nil, errors.Join(fmt.Errorf("--view %q is no line of a script", view), err)
	}
	var args []string
	for _, w := range lines[0].Args()[1:] {
		args = append(args, w.Text)
	}
	return args, nil
}

// usual are programs that scripts of a shell run.
var usual = []string{
	"awk", "basename", "cat", "chmod", "cmp", "cp", "cut", "date", "dirname", "expr", "find", "grep", "head", "id", "ln", "ls",
	"mkdir", "mktemp", "mv", "od", "printf", "pwd", "readlink", "rm", "rmdir", "sed", "sh", "sleep", "sort", "stat", "tail",
	"tee", "test", "touch", "tr", "uname", "uniq", "wc", "xargs",
}

// toolsOf are the programs that a program needs in a box: of a script that
// which runs it, if it asks for that by name, and of a shell's what there is of
// the usual ones on this machine.
func toolsOf(program string) ([]string, error) {
	f, err := os.Open(program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	interpreter, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil, nil
	}
	runner, named := "", false
	for _, word := range strings.Fields(interpreter) {
		if runner = path.Base(word); runner == "env" {
			named = true
			continue
		}
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			break
		}
	}
	var tools []string
	if named {
		tools = append(tools, runner)
	}
	if slices.Contains([]string{"sh", "bash", "dash", "ksh", "zsh"}, runner) {
		for _, tool := range usual {
			if _, err := exec.LookPath(tool); err == nil {
				tools = append(tools, tool)
			}
		}
	}
	slices.Sort(tools)
	return slices.Compact(tools), nil
}
