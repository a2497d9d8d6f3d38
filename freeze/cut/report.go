package cut

import (
	"errors"
	"fmt"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/binding"
)

// Status is how the freezing of one scenario ended.
type Status string

const (
	Frozen    Status = "frozen"    // its fixture is new, with the release
	Added     Status = "added"     // its fixture is new, the release was there
	Identical Status = "identical" // frozen again, and the same but for bindings
	Replaced  Status = "replaced"  // it differed, and was to be replaced
	Dropped   Status = "dropped"   // its script is gone, and was to be replaced
	Waived    Status = "waived"    // the ledger says why it has no fixture
	Differs   Status = "differs"
	Failed    Status = "failed"
	Stopped   Status = "stopped" // by whoever called freeze, as with Ctrl-C
)

// Bad reports whether the status makes freeze fail.
func (s Status) Bad() bool { return s == Differs || s == Failed || s == Stopped }

// Outcome is what became of one scenario of one release.
type Outcome struct {
	Family      string               `json:"family"`
	Scenario    string               `json:"scenario"`
	Status      Status               `json:"status"`
	Boxes       int                  `json:"boxes"`
	ElapsedMS   int64                `json:"elapsed_ms"`
	Entries     int                  `json:"entries"`
	Bindings    int                  `json:"bindings"`
	Notes       []string             `json:"notes,omitempty"`
	Differences []binding.Difference `json:"differences,omitempty"`
	Error       string               `json:"error,omitempty"`

	err error
}

// New reports whether the scenario has a fixture to be written.
func (o Outcome) New() bool {
	return o.Status == Frozen || o.Status == Added || o.Status == Replaced
}

// ReleaseReport is what became of one release.
type ReleaseReport struct {
	Version   string    `json:"version"`
	Commit    string    `json:"commit,omitempty"`
	Package   string    `json:"package,omitempty"`
	Integrity string    `json:"integrity,omitempty"` // of the package
	Written   bool      `json:"written"`             // fixtures or the ledger changed
	Cached    bool      `json:"cached"`              // its programs were built before
	Scenarios []Outcome `json:"scenarios"`
	Notes     []string  `json:"notes,omitempty"`
	Error     string    `json:"error,omitempty"` // of the release as a whole

	err error
}

// Report is what became of all that was asked for.
type Report struct {
	Releases []ReleaseReport `json:"releases"`
}

// Err joins all that went wrong, nil where nothing did.
func (r *Report) Err() error {
	var all []error
	for _, rel := range r.Releases {
		all = append(all, rel.Err())
	}
	return errors.Join(all...)
}

// Err joins what went wrong with this release. Each says which one it is.
func (r *ReleaseReport) Err() error {
	var all []error
	if r.err != nil {
		all = append(all, r.err)
	}
	for _, o := range r.Scenarios {
		if o.err != nil {
			all = append(all, fmt.Errorf("%s %s/%s: %w", r.Version, o.Family, o.Scenario, o.err))
		}
	}
	return errors.Join(all...)
}

// DifferentError says that what a release left behind is not the same in two
// boxes, and that no binding explains it.
type DifferentError struct {
	What        string // what was compared with what
	Differences []binding.Difference
}

func (e *DifferentError) Error() string {
	const shown = 20
	s := fmt.Sprintf("%s: %d difference(s) that no binding explains", e.What, len(e.Differences))
	for i, d := range e.Differences {
		if i == shown {
			return s + fmt.Sprintf("\n  and %d more", len(e.Differences)-shown)
		}
		s += "\n  " + d.Error()
	}
	return s
}

// Event is one step of the work, for whoever shows it.
type Event struct {
	Kind    EventKind
	Version string
	Name    string // family/scenario, or empty for the release
	Count   int    // of Planned: how many scenarios were added to the plan
	Status  Status // of Ended
	Elapsed time.Duration
	Text    string // of Said
}

// EventKind is the kind of an Event.
type EventKind int

const (
	Planned EventKind = iota
	Began
	Ended
	Said
)
