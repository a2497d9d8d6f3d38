// Package report shows what is known of a project's releases on one page: what
// is frozen, who reads whose state, what changed from each release to the next,
// which faults the suites catch, and how long things took.
//
// It runs nothing and measures nothing. All it shows is in the ledger, the
// fixtures and the recorded matrix, or in files that other commands wrote, and
// what is not there is said to be missing. The same input makes the same bytes.
package report

import (
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/read"
)

// Report is all that a page shows.
type Report struct {
	Subject   string        `json:"subject"`
	Releases  []Release     `json:"releases"`  // oldest first
	Scenarios []Scenario    `json:"scenarios"` // by family and name
	Matrix    Matrix        `json:"matrix"`
	Contracts []Contract    `json:"contracts"` // as in the files of tests
	Changes   []diff.Report `json:"changes"`   // from each release that has fixtures to the next
	Mutation  Mutation      `json:"mutation"`
}

// Release is one of the ledger.
type Release struct {
	Version string `json:"version"`
	Date    string `json:"date"`
	Commit  string `json:"commit,omitzero"`
	Package string `json:"package,omitzero"`
	Frozen  int    `json:"frozen"` // scenarios
	Waived  int    `json:"waived"`
	Missing int    `json:"missing"`
	Files   int    `json:"files"` // files, folders and links
	Bytes   int64  `json:"bytes"`
}

// Scenario is one script and what every release left of it.
type Scenario struct {
	Family   string    `json:"family"`
	Name     string    `json:"scenario"`
	What     string    `json:"what,omitzero"` // the comment that its script begins with
	Fixtures []Fixture `json:"fixtures"`      // of releases that it is for, oldest first
}

// State says whether there is a fixture.
type State string

const (
	Frozen  State = "frozen"
	Waived  State = "waived"
	Missing State = "missing"
)

// Fixture is what one release left of one scenario.
type Fixture struct {
	Release  string    `json:"release"`
	State    State     `json:"state"`
	Reason   string    `json:"reason,omitzero"` // of a waiver
	RanMS    int64     `json:"ran_ms,omitzero"` // from before its box was made until that was proved empty
	Readings []Reading `json:"readings,omitempty"`
}

// Reading is how one program fared with a fixture that nobody else had written
// to: the worst of its answers.
type Reading struct {
	Reader  string       `json:"reader"`
	Outcome read.Outcome `json:"outcome"`
	Bad     bool         `json:"bad,omitzero"` // it breaks the promise
}

// Matrix is the one that freeze read recorded.
type Matrix struct {
	Missing string   `json:"missing,omitzero"` // why there is none
	Readers []string `json:"readers"`          // oldest first
	Without []string `json:"without"`          // releases with fixtures that it does not know
	Pairs   []Pair   `json:"pairs"`
	Others  []Other  `json:"others"` // what is not simply read
}

// Pair is how a program fared with what a version wrote.
type Pair struct {
	Program  string `json:"program"`
	Writer   string `json:"writer"`
	Reads    int    `json:"reads"`
	Refuses  int    `json:"refuses"`
	Writes   int    `json:"writes"`
	Misreads int    `json:"misreads"`
	Bad      int    `json:"bad"`
}

// Other is one answer that is not the view's, with the fixtures on which it
// was given.
type Other struct {
	Program  string       `json:"program"`
	Writer   string       `json:"writer"`
	Outcome  read.Outcome `json:"outcome"`
	Bad      bool         `json:"bad,omitzero"`
	Message  string       `json:"message,omitzero"`
	Fixtures []string     `json:"fixtures"` // FAMILY/RELEASE/SCENARIO
	Answers  int          `json:"answers"`
}

// Contract is one test function that asked something of fixtures, release by
// release.
type Contract struct {
	Package   string          `json:"package"`
	Test      string          `json:"test"` // "(the package)" where it failed and no test of it did
	ElapsedMS int64           `json:"elapsed_ms"`
	Failed    bool            `json:"failed,omitzero"`
	Releases  []ContractCount `json:"releases"`
}

// ContractCount counts a test's scenarios of one release.
type ContractCount struct {
	Release string `json:"release"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}

// Mutation is what files of freeze mutate --json say.
type Mutation struct {
	Regressions []Regression `json:"regressions"`
	Mutants     []Mutant     `json:"mutants"`
	NotViable   int          `json:"not_viable"` // mutants that do not compile
	Left        int          `json:"left"`       // mutants that no time was left for

	// With --matrix.
	Fixtures  []Catch  `json:"fixtures"`
	Untouched []string `json:"untouched"` // FILE:LINE that no mutant is of
	Unreached []string `json:"unreached"` // FILE:LINE that no test of a fixture comes to
}

// Catch is what the tests of one fixture caught.
type Catch struct {
	Fixture string `json:"fixture"` // FAMILY/RELEASE/SCENARIO
	Asked   int    `json:"asked"`
	Caught  int    `json:"caught"`
}

// Regression is a fault that somebody wrote down.
type Regression struct {
	Name      string         `json:"name"`
	What      string         `json:"what"`
	File      string         `json:"file"`
	Package   string         `json:"package,omitzero"`
	Test      string         `json:"test,omitzero"`
	Run       string         `json:"run,omitzero"` // the command that has to fail, where it is no Go test
	Assert    string         `json:"assert"`
	Verdict   mutate.Verdict `json:"verdict,omitzero"` // empty: it was listed, and not judged
	Why       string         `json:"why,omitzero"`
	ElapsedMS int64          `json:"elapsed_ms,omitzero"`
}

// Mutant is a fault that freeze made up.
type Mutant struct {
	ID        string         `json:"id"`
	Place     string         `json:"place"`
	Before    string         `json:"before"`
	After     string         `json:"after"`
	Verdict   mutate.Verdict `json:"verdict"`
	Why       string         `json:"why"`
	Known     string         `json:"known,omitzero"` // the reason for which it may survive
	Bad       bool           `json:"bad"`
	Asked     []string       `json:"asked,omitempty"`  // the package and the name of each test
	Failed    []string       `json:"failed,omitempty"` // of those that failed
	ElapsedMS int64          `json:"elapsed_ms"`
}
