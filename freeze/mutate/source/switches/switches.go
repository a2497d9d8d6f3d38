// Package switches is compiled into the test binaries of a mutation run, below
// the module that is mutated: it knows which mutant is on, and that a mutant
// was reached or runs away.
//
// What is on is read from a file whose place is linked into the binary. An
// environment is cleared, and a binary copied elsewhere, by suites that start
// themselves again; what is linked in stays. The package imports nothing
// outside of the standard library, and no more of that than it needs: whatever
// it imports cannot be mutated.
package switches

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// The files in the folder of a binary.
const (
	// State holds the number of the mutant that is on, 0 for none or -1 to mark
	// all that are come to, and after how many turns of loops a process runs
	// away, 0 for never.
	State = "state"
	// Marks holds a byte for each of the numbers below, and then for each
	// mutant, that is 1 once a process marked it.
	Marks = "marks"
)

// The bytes of Marks.
const (
	MarkRunaway = 0  // a process ran away
	MarkTurns   = 1  // at 1+n: a process made 1<<n turns
	MarkReached = 64 // at 64+n: mutant n was reached
)

// RunawayExit is the exit status of a process that ran away.
const RunawayExit = 97

// dir is the folder of State and Marks; it is set by the linker.
var dir string

var (
	on     int   // the mutant that is on
	limit  int64 // of turns
	turns  int64
	next   int64 = 1 // the number of turns at which to look up
	marked [1 << 16]bool
)

func init() {
	if dir == "" {
		return
	}
	if !read() {
		return // a run that is over, of which this binary was left
	}
	// A recursion without end is to end before the machine swaps.
	debug.SetMaxStack(64 << 20)
	limitMemory(2 << 30)
}

// read reads State.
func read() bool {
	data, err := os.ReadFile(dir + "/" + State)
	if err != nil {
		return false
	}
	if _, err := fmt.Fscan(strings.NewReader(string(data)), &on, &limit); err != nil {
		panic("switches: " + err.Error())
	}
	return true
}

// On reports whether a mutant is the one that is on.
func On(mutant int) bool {
	if on < 0 {
		mark(MarkReached + mutant)
	}
	return on == mutant
}

// Reached marks that the changed code of a mutant is about to run.
func Reached(mutant int) { mark(MarkReached + mutant) }

// Tick counts a turn of a loop. The count is not exact where goroutines race
// for it, and need not be.
func Tick() {
	turns++
	if turns >= next {
		lookUp()
	}
}

func lookUp() {
	if limit > 0 && turns >= limit {
		mark(MarkRunaway)
		os.Stdout.WriteString("\nswitches: more turns of loops than any run without a mutant\n")
		os.Exit(RunawayExit)
	}
	exp := 0
	for n := turns; n > 1; n >>= 1 {
		exp++
	}
	mark(MarkTurns + exp)
	next = turns * 2
	if limit > 0 && next > limit {
		next = limit
	}
}

// mark writes one byte, once in a process. It is written at once, since the
// process may end in any way.
func mark(at int) {
	if dir == "" || at >= len(marked) || marked[at] {
		return
	}
	marked[at] = true
	f, err := os.OpenFile(dir+"/"+Marks, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	f.WriteAt([]byte{1}, int64(at))
}
