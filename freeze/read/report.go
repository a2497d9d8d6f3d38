package read

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/internal/plain"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// Outcome is how a program fared with one view.
type Outcome string

const (
	Reads    Outcome = "reads"    // it answers what the view says
	Refuses  Outcome = "refuses"  // it ends with an error, and has written nothing
	Writes   Outcome = "writes"   // it refuses, or was to change nothing, and has written
	Misreads Outcome = "misreads" // it ends well, and answers something else
)

// outcomes are all, the best first.
var outcomes = []Outcome{Reads, Refuses, Writes, Misreads}

// Step is one comparison with a view.
type Step struct {
	Script   string   `json:"script"`
	Reader   string   `json:"reader"`  // whose turn it was
	Release  string   `json:"release"` // that left the fixture
	Family   string   `json:"family"`
	Scenario string   `json:"scenario"`
	View     string   `json:"view"`
	Program  string   `json:"program"` // the version that was asked
	Writer   string   `json:"writer"`  // the newest version that had written to the tree by then
	Outcome  Outcome  `json:"outcome"`
	Message  string   `json:"message,omitempty"` // of a refusal, or what was misread
	Wrote    []string `json:"wrote,omitempty"`   // paths in the box
	Meant    bool     `json:"meant,omitzero"`    // the script says that it refuses
}

// wrote notes that the step left paths changed, where it did.
func (s *Step) wrote(paths []string) {
	if len(paths) == 0 {
		return
	}
	s.Wrote = paths
	if s.Outcome != Misreads {
		s.Outcome = Writes
	}
}

// Bad reports whether the step breaks the promise: a release may refuse only
// what a newer one wrote, or what its script says it refuses.
func (s Step) Bad() bool {
	switch s.Outcome {
	case Reads:
		return false
	case Refuses:
		return !s.Meant && scenario.Compare(s.Program, s.Writer) >= 0
	}
	return true
}

// today reports whether code that is not released yet took part: what releases
// do with each other's state cannot be helped any more.
func (s Step) today() bool { return s.Program == scenario.Head || s.Writer == scenario.Head }

func (s Step) String() string {
	text := fmt.Sprintf("%s, %s/%s of %s", s.Script, s.Family, s.Scenario, s.Release)
	if s.Reader != s.Program {
		text += " after " + s.Reader
	}
	text += fmt.Sprintf(": %s %s %s", s.Program, s.Outcome, s.View)
	if s.Message != "" {
		text += ": " + s.Message
	}
	if len(s.Wrote) > 0 {
		text += " (wrote " + strings.Join(s.Wrote, ", ") + ")"
	}
	return plain.Line(text)
}

// Failure is a script that did not come to its end.
type Failure struct {
	Script   string `json:"script"`
	Reader   string `json:"reader"`
	Release  string `json:"release"`
	Family   string `json:"family"`
	Scenario string `json:"scenario"`
	Error    string `json:"error"`

	err error
}

// Report is what became of all that was read.
type Report struct {
	Readers  []string  `json:"readers"`          // oldest first
	Releases []string  `json:"releases"`         // whose fixtures were read, oldest first
	Steps    []Step    `json:"steps"`            // by script, release, scenario, reader, and then as played
	Failed   []Failure `json:"failed,omitempty"` // scripts that did not come to their end
	Unread   []string  `json:"unread,omitempty"` // FAMILY/RELEASE/SCENARIO that no script is for
}

// sort brings a report into its order, whichever box ended first.
func (r *Report) sort() {
	slices.SortStableFunc(r.Steps, func(a, b Step) int {
		return cmp.Or(strings.Compare(a.Script, b.Script), scenario.Compare(a.Release, b.Release),
			strings.Compare(a.Scenario, b.Scenario), scenario.Compare(a.Reader, b.Reader))
	})
	slices.SortFunc(r.Failed, func(a, b Failure) int {
		return cmp.Or(strings.Compare(a.Script, b.Script), scenario.Compare(a.Release, b.Release),
			strings.Compare(a.Scenario, b.Scenario), scenario.Compare(a.Reader, b.Reader))
	})
	slices.Sort(r.Unread)
}

// Broken joins what could not be judged: scripts that failed, fixtures that no
// script reads.
func (r *Report) Broken() error {
	var all []error
	for _, f := range r.Failed {
		all = append(all, fmt.Errorf("%s by %s on %s/%s of %s: %w", f.Script, f.Reader, f.Family, f.Scenario, f.Release, f.err))
	}
	for _, name := range r.Unread {
		all = append(all, fmt.Errorf("%s: no reader script is for this fixture; see family, scenario, since and until", name))
	}
	return errors.Join(all...)
}

// held joins the boxes that could not be proved empty.
func (r *Report) held() error {
	var all []error
	for _, f := range r.Failed {
		var held *sandbox.HeldError
		if errors.As(f.err, &held) {
			all = append(all, f.err)
		}
	}
	return errors.Join(all...)
}

// Bad joins the steps that break the promise. With today they are those alone
// in which code took part that is not released yet.
func (r *Report) Bad(today bool) error {
	var all []error
	for _, s := range r.Steps {
		if s.Bad() && (!today || s.today()) {
			all = append(all, errors.New(s.String()))
		}
	}
	return errors.Join(all...)
}
