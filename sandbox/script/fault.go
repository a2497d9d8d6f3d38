package script

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/rogpeppe/go-internal/testscript"
)

const faultUsage = "usage: fault PROGRAM [-stdin] PATTERN kill-caller|kill-caller-after|hang|fail CODE [MESSAGE] [COUNT]"

// ParseFault reads the arguments of a fault command. A last argument of digits
// only is the COUNT.
func ParseFault(args []string) (sandbox.Fault, error) {
	f := sandbox.Fault{Count: 1}
	if len(args) > 1 && args[1] == "-stdin" {
		f.Stdin = true
		args = append(args[:1:1], args[2:]...)
	}
	if len(args) < 3 {
		return f, errors.New(faultUsage)
	}
	f.Program, f.Pattern, f.Action = args[0], args[1], sandbox.FaultAction(args[2])
	if _, err := regexp.Compile(f.Pattern); err != nil {
		return f, err
	}
	rest := args[3:]
	switch f.Action {
	case sandbox.KillCaller, sandbox.KillCallerAfter, sandbox.Hang:
	case sandbox.Fail:
		code, err := strconv.ParseUint(first(rest), 10, 8)
		if err != nil || code == 0 {
			return f, fmt.Errorf("fail: %q is not an exit code from 1 to 255", first(rest))
		}
		f.Code, rest = int(code), rest[1:]
	default:
		return f, fmt.Errorf("action %q is not known; %s", f.Action, faultUsage)
	}
	return withCount(f, rest)
}

// withCount reads what follows an action: a message for fail, and a count.
func withCount(f sandbox.Fault, rest []string) (sandbox.Fault, error) {
	if n := len(rest); n > 0 && rest[n-1] != "" && strings.Trim(rest[n-1], "0123456789") == "" {
		count, err := strconv.Atoi(rest[n-1])
		if err != nil || count < 1 {
			return f, fmt.Errorf("count %q is not a number from 1 on", rest[n-1])
		}
		f.Count, rest = count, rest[:n-1]
	}
	if f.Action == sandbox.Fail && len(rest) > 0 {
		f.Message, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return f, fmt.Errorf("%q is one argument too many; %s", rest[0], faultUsage)
	}
	return f, nil
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// faults are the ones that a script declared, in its order.
type faults struct {
	in       *sandbox.Inside
	declared []sandbox.Fault
	at       []Line
	lines    []Line // the fault lines that were not played yet
}

func (fs *faults) cmdFault(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! fault")
	}
	f, err := ParseFault(args)
	ts.Check(err)
	f.ID = len(fs.declared) + 1
	ts.Check(fs.in.SetFault(f))
	fs.declared = append(fs.declared, f)
	fs.at = append(fs.at, fs.lineOf(args))
}

// lineOf finds the line that called with args, since testscript does not tell:
// the next one that could have.
func (fs *faults) lineOf(args []string) Line {
	for i, l := range fs.lines {
		if couldBe(l, args) {
			fs.lines = fs.lines[i+1:]
			return l
		}
	}
	return Line{}
}

func couldBe(l Line, args []string) bool {
	words := l.Args()
	if l.Command() != "fault" || len(words) != len(args) {
		return false
	}
	for i, w := range words {
		if !w.Vars && w.Text != args[i] {
			return false
		}
	}
	return true
}

// check reports the first fault that did not fire as often as it declares.
func (fs *faults) check() *Error {
	firings, err := fs.in.Firings()
	if err != nil {
		return &Error{Why: err.Error()}
	}
	fired := make(map[int]int)
	for _, f := range firings {
		fired[f.Fault]++
	}
	for i, f := range fs.declared {
		if n := fired[f.ID]; n != f.Count {
			return &Error{Line: fs.at[i].N, Command: fs.at[i].Text, Why: fmt.Sprintf("the fault fired %s, declared were %s", times(n), times(f.Count))}
		}
	}
	return nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
