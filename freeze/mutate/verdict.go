package mutate

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/mutate/testbin"
)

// Verdict is what came of one mutant.
type Verdict string

// All verdicts. Caught is the one that is good.
const (
	Caught         Verdict = "caught"          // by the assertion that is meant, three times of three
	Survived       Verdict = "survived"        // the test passes, or is skipped
	WrongAssertion Verdict = "wrong-assertion" // the test fails for another reason first
	Panicked       Verdict = "panicked"        // a panic or an exit, which no assertion saw
	Runaway        Verdict = "runaway"         // no end, or no end of memory or stack
	NotViable      Verdict = "not-viable"      // does not compile
	Stale          Verdict = "stale"           // what it names is not there any more
	NotReached     Verdict = "not-reached"     // the test does not run the changed code
	Unstable       Verdict = "unstable"        // not the same each time, or the tree itself does not pass
)

// Verdicts returns all verdicts, the good one first.
func Verdicts() []Verdict {
	return []Verdict{Caught, Survived, WrongAssertion, Panicked, Runaway, NotViable, Stale, NotReached, Unstable}
}

// judged is a verdict and why.
type judged struct {
	verdict Verdict
	why     string
	by      string // which assertion caught it: an id or a place
}

// judge says what one run under a mutant came to. Reached may be unknown: it
// is true then, for who changed a declaration and not a statement.
func judge(r *regression.Regression, run *testbin.Result, runaway, reached bool) judged {
	test := r.Test.Name
	message, failed := run.First()
	switch crash := run.Crash(); {
	case runaway:
		return judged{verdict: Runaway, why: "more turns of loops than any run without it"}
	case run.TimedOut:
		return judged{verdict: Runaway, why: fmt.Sprintf("no end after %s", run.Elapsed.Round(1e9))}
	case endless.MatchString(crash):
		return judged{verdict: Runaway, why: crash}
	case crash != "":
		return judged{verdict: Panicked, why: crash}
	case run.Exit < 0:
		return judged{verdict: Panicked, why: "the process was ended by a signal"}
	case !reached && failed:
		return judged{verdict: NotReached, why: "the test does not come to what is changed: it says before " + name(message)}
	case !reached:
		return judged{verdict: NotReached, why: "the test does not come to what is changed"}
	case run.Status(test) == testbin.Skipped:
		return judged{verdict: Survived, why: "the test is skipped"}
	case run.Status(test) == testbin.Passed:
		return judged{verdict: Survived, why: "the test passes"}
	case run.Status(test) == testbin.None:
		return judged{verdict: Panicked, why: fmt.Sprintf("the process ended before the test, with exit status %d", run.Exit)}
	case !failed:
		return judged{verdict: WrongAssertion, why: "the test fails without a message"}
	case !r.Assert.Is(message.ID, message.Text):
		return judged{verdict: WrongAssertion, why: fmt.Sprintf("the first is %s", name(message))}
	}
	return judged{Caught, name(message), cmp.Or(message.ID, message.At)}
}

// endless is what the runtime says of a process without an end.
var endless = regexp.MustCompile(`all goroutines are asleep|out of memory|cannot allocate memory|stack exceeds|stack overflow`)

// name tells a message by its id or its first line with words.
func name(m testbin.Message) string {
	if m.ID != "" {
		return m.ID
	}
	for line := range strings.Lines(m.Text) {
		// What testify says first is where, which is known.
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Error Trace:") && !strings.HasPrefix(line, "/") {
			return m.At + ": " + cut(line)
		}
	}
	return m.At
}

// cut cuts a line that is too long for a reason; the output has all of it.
func cut(line string) string {
	const longest = 200
	if r := []rune(line); len(r) > longest {
		return fmt.Sprintf("%s... (%d characters more)", string(r[:longest]), len(r)-longest)
	}
	return line
}

// agree is the verdict of several runs.
func agree(runs []judged) judged {
	for _, j := range runs[1:] {
		if j.verdict != runs[0].verdict || j.by != runs[0].by {
			var each []string
			for _, j := range runs {
				each = append(each, fmt.Sprintf("%s (%s)", j.verdict, j.why))
			}
			return judged{verdict: Unstable, why: strings.Join(each, ", ")}
		}
	}
	return runs[0]
}
