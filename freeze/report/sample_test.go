package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/report"
)

// samples are reports of all kinds, by name.
func samples(t *testing.T) map[string]*report.Report {
	t.Helper()
	p, err := cut.Open("../../freeze.toml", nil, t.TempDir())
	require.NoError(t, err)
	here, err := report.Collect(p)
	require.NoError(t, err)
	return map[string]*report.Report{"here": here, "odd": odd(4, 12), "large": odd(8, 300), "none": {Subject: "note", Matrix: report.Matrix{Missing: "freeze read --matrix --record has not recorded one."}}, "one": one()}
}

// hostile are names that a page must show and not obey.
var hostile = []string{
	`<script>document.title = "obeyed"</script>`, `"><img src=x onerror=alert(1)>`, `a & b`, `'quoted'`, "`code`", `{{.Subject}}`,
	`</style></script>`, "\u202eright to left", strings.Repeat("endless", 40), `a|b\|c`, "two\nlines", "*[x](javascript:alert(1))*",
}

// odd is a project with names from hell, where much goes wrong.
func odd(releases, scenarios int) *report.Report {
	r := &report.Report{Subject: hostile[0]}
	for i := range releases {
		version := fmt.Sprintf("v1.%d.0", i)
		r.Matrix.Readers = append(r.Matrix.Readers, version)
		r.Releases = append(r.Releases, report.Release{Version: version, Date: "2026-11-30", Package: hostile[i%len(hostile)], Frozen: scenarios, Waived: 1, Missing: i % 2, Files: 1234, Bytes: 1 << 22})
	}
	r.Matrix.Readers = append(r.Matrix.Readers, "HEAD")
	outcomes := []read.Outcome{read.Reads, read.Reads, read.Refuses, read.Misreads, read.Writes}
	for i := range scenarios {
		s := report.Scenario{Family: fmt.Sprintf("family-%d", i%3), Name: fmt.Sprintf("scenario-%d", i), What: hostile[i%len(hostile)]}
		for j, release := range r.Releases {
			f := report.Fixture{Release: release.Version, State: report.Frozen, RanMS: int64(i*37 + j*911 + 5)}
			for k, reader := range r.Matrix.Readers {
				o := outcomes[(i*j*k+k)%len(outcomes)]
				f.Readings = append(f.Readings, report.Reading{Reader: reader, Outcome: o, Bad: o != read.Reads && k >= j})
			}
			switch {
			case i == 1:
				f = report.Fixture{Release: release.Version, State: report.Waived, Reason: hostile[j%len(hostile)]}
			case i == 2 && j == 1:
				f = report.Fixture{Release: release.Version, State: report.Missing}
			case i == 3 && j == 0:
				continue
			}
			s.Fixtures = append(s.Fixtures, f)
		}
		r.Scenarios = append(r.Scenarios, s)
	}
	for i, program := range r.Matrix.Readers {
		for j, writer := range r.Matrix.Readers {
			r.Matrix.Pairs = append(r.Matrix.Pairs, report.Pair{Program: program, Writer: writer, Reads: 100 + i, Refuses: max(0, j-i), Misreads: i * j % 3, Bad: i * j % 3})
		}
	}
	for i, text := range hostile {
		r.Matrix.Without = append(r.Matrix.Without, text)
		r.Matrix.Others = append(r.Matrix.Others, report.Other{Program: "v1.0.0", Writer: text, Outcome: read.Refuses, Bad: i%2 == 0, Message: text, Fixtures: hostile, Answers: i + 1})
		r.Contracts = append(r.Contracts, report.Contract{Package: "./" + hostile[i/4], Test: text, ElapsedMS: int64(i * 1000), Failed: i == 3,
			Releases: []report.ContractCount{{Release: "v1.0.0", Passed: i, Failed: i % 2, Skipped: i % 3}}})
		r.Mutation.Regressions = append(r.Mutation.Regressions, report.Regression{Name: text, What: text, File: fmt.Sprintf("dir%d/%s", i%3, "a.go"), Package: "./" + text, Test: text, Assert: text,
			Run: []string{"", text}[i/6], Verdict: append(mutate.Verdicts(), "")[i%10], Why: text, ElapsedMS: int64(i * 333)})
		r.Mutation.Mutants = append(r.Mutation.Mutants, report.Mutant{ID: text, Place: text, Before: text, After: text, Verdict: mutate.Survived, Why: text, Known: []string{"", text}[i%2], Bad: i%2 == 0, ElapsedMS: 5,
			Asked: []string{"./a TestA", text}, Failed: []string{"./a TestA/v1.0.0/" + text}})
		r.Mutation.Fixtures = append(r.Mutation.Fixtures, report.Catch{Fixture: fmt.Sprintf("f%d/v1.%d.0/%s", i/6, i%3, text), Asked: i, Caught: i / 4})
		r.Mutation.Untouched = append(r.Mutation.Untouched, text+":1")
		r.Mutation.Unreached = append(r.Mutation.Unreached, text+":2")
	}
	r.Changes = []diff.Report{{A: "v1.0.0", B: "v1.1.0", Compared: hostile, OnlyA: hostile, OnlyB: hostile,
		Unread: []diff.Unread{{Version: "v1.0.0", Family: "f", Document: hostile[8], Why: hostile[0]}}}, {A: "v1.1.0", B: "v1.2.0", Compared: hostile}, {A: "v1.2.0", B: "v1.3.0"}}
	for i, text := range hostile {
		r.Changes[0].Changes = append(r.Changes[0].Changes, diff.Change{Family: fmt.Sprint("f", i/6), Scenarios: hostile, Document: text, Kind: "json", Pointer: "/" + text, What: diff.Value, Old: text, New: text},
			diff.Change{Family: fmt.Sprint("f", i/6), Scenarios: hostile[:1], Document: text, Kind: "text", What: diff.Lines, Old: text, New: text + "\n" + text})
	}
	return r
}

// one is a project with one release, and nothing recorded.
func one() *report.Report {
	return &report.Report{
		Subject:   "note",
		Releases:  []report.Release{{Version: "v1.0.0", Date: "2026-11-30", Commit: strings.Repeat("ab", 20), Frozen: 1, Files: 3, Bytes: 348}},
		Scenarios: []report.Scenario{{Family: "notes", Name: "add", Fixtures: []report.Fixture{{Release: "v1.0.0", State: report.Frozen, RanMS: 40}}}},
		Matrix:    report.Matrix{Missing: "freeze.toml has no [read] table, so no reader scripts are played."},
	}
}
