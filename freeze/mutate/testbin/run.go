package testbin

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/process"
)

// Run is tests in a process of their own.
type Run struct {
	Binary  *Binary
	Args    []string // flags of the binary, without -test.
	Env     []string
	Timeout time.Duration
}

// Result is how it ended, and what its output says.
type Result struct {
	*process.Result

	said
}

// Start runs the tests and waits for them. What they left running in their
// process group is ended. An error means that they could not be run, or that
// ctx ended.
func (r Run) Start(ctx context.Context) (*Result, error) {
	args := r.Binary.args()
	for _, arg := range r.Args {
		args = append(args, "-test."+arg)
	}
	l := newListener()
	result, err := process.Run{Args: args, Dir: r.Binary.Dir, Env: r.Env, Timeout: r.Timeout, Also: l}.Start(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("tests of %s: %w", r.Binary.Package, err)
	}
	return &Result{result, l.said}, nil
}

// args are the arguments of each process. Exit 0 in the middle of a test is no
// success, as under go test.
func (b *Binary) args() []string {
	return []string{b.Path, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=0"}
}

// Alone is the argument that runs one test alone, by its full name.
func Alone(name string) string { return "run=" + pattern(name) }

// Together is the argument that runs some tests that are no subtests.
func Together(names []string) string { return "run=" + Pattern(names) }

// Pattern matches some tests that are no subtests.
func Pattern(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, regexp.QuoteMeta(n))
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}

func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// value is the last value of a variable.
func value(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v
		}
	}
	return ""
}
