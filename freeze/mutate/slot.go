package mutate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/mutate/source/switches"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// slot is one test binary and the folder that tells it which mutant is on. At
// most one process, with its children, uses it at a time.
type slot struct {
	dir    string // with a folder for what tests leave
	memory string // another, in memory
	binary *testbin.Binary
	env    []string

	timeout time.Duration // at least
	// What the tree itself needed, for the limits of mutants.
	turns   int64
	elapsed time.Duration
}

// marks are what the processes of a run have marked.
type marks []bool

func (m marks) at(i int) bool { return i < len(m) && m[i] }

func (m marks) runaway() bool { return m.at(switches.MarkRunaway) }

func (m marks) reached(mutant int) bool { return m.at(switches.MarkReached + mutant) }

// turns is how many turns of loops were made, at least.
func (m marks) turns() int64 {
	for exp := switches.MarkReached - switches.MarkTurns - 1; exp >= 0; exp-- {
		if m.at(switches.MarkTurns + exp) {
			return 1 << exp
		}
	}
	return 0
}

// The limits of a mutant, over what the tree itself took.
const (
	leastTurns   = 10_000_000
	firstTimeout = 10 * time.Minute // of the tree itself, like go test's
	moreTimes    = 20
)

// thawEnv tells the harness of the contracts where to thaw fixtures.
const thawEnv = "PERMAFROST_THAW"

// run runs one test with a mutant on, or none.
func (s *slot) run(ctx context.Context, test string, mutant int) (*testbin.Result, marks, error) {
	l := limits{turns: max(leastTurns, moreTimes*s.turns), timeout: max(s.timeout, moreTimes*s.elapsed)}
	if mutant == 0 {
		l = limits{timeout: firstTimeout}
	}
	result, made, err := s.start(ctx, mutant, l, testbin.Alone(test))
	if err == nil && mutant == 0 {
		s.turns, s.elapsed = max(s.turns, made.turns()*2), max(s.elapsed, result.Elapsed)
	}
	return result, made, err
}

// limits are how long a run may go on.
type limits struct {
	turns   int64 // of loops, 0 for any number
	timeout time.Duration
}

// start runs the tests that args choose.
func (s *slot) start(ctx context.Context, state int, l limits, args ...string) (*testbin.Result, marks, error) {
	env, err := s.ready(state, l.turns)
	if err != nil {
		return nil, nil, err
	}
	result, err := testbin.Run{Binary: s.binary, Args: args, Env: env, Timeout: l.timeout}.Start(ctx)
	data, readErr := os.ReadFile(filepath.Join(s.dir, switches.Marks))
	err = errors.Join(err, readErr, s.clean())
	if err != nil {
		return nil, nil, err
	}
	made := make(marks, len(data))
	for i, b := range data {
		made[i] = b != 0
	}
	return result, made, nil
}

// ready makes what a process needs, and returns its environment.
func (s *slot) ready(state int, turns int64) (env []string, err error) {
	tmp := filepath.Join(s.dir, "t")
	env = append(slices.Clone(s.env), "TMPDIR="+tmp, thawEnv+"="+s.memory)
	// A process that was to serve may have ended before it began.
	if err := os.Remove(filepath.Join(s.dir, switches.Serving)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return env, errors.Join(
		s.state(state, turns),
		os.WriteFile(filepath.Join(s.dir, switches.Marks), nil, 0o666),
		// Whoever the suite runs itself as has to be able to mark.
		os.Chmod(filepath.Join(s.dir, switches.Marks), 0o666),
		everyone(tmp), everyone(s.memory))
}

// state says which mutant is on.
func (s *slot) state(state int, turns int64) error {
	return os.WriteFile(filepath.Join(s.dir, switches.State), fmt.Appendf(nil, "%d %d\n", state, turns), 0o644)
}

// clean removes what a process left behind, a panic among others: it is not for
// the next.
func (s *slot) clean() error {
	return errors.Join(removeAll(filepath.Join(s.dir, "t")), removeAll(s.memory))
}
