package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/report"
)

func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b))
	return b.String()
}

func page(t *testing.T, r *report.Report) string {
	t.Helper()
	return written(t, func(b *bytes.Buffer) error { return r.HTML(b) })
}

func summary(t *testing.T, r *report.Report) string {
	t.Helper()
	return written(t, func(b *bytes.Buffer) error { return r.Markdown(b) })
}

// Nothing that a name says is obeyed, and no page asks for anything.
func TestNamesAreText(t *testing.T) {
	r := odd(3, 9)
	html, markdown := page(t, r), summary(t, r)
	for _, raw := range []string{"<script>document", "<img", "\u202e", "</style></script>"} {
		require.NotContains(t, html, raw)
	}
	require.Contains(t, html, "&lt;script&gt;document.title")
	require.Contains(t, html, `\u202eright to left`)
	require.Contains(t, markdown, `# \<script\>document.title`)
	require.NotContains(t, markdown, "\u202e")
	for _, r := range samples(t) {
		html := page(t, r)
		for _, from := range []string{"<link", "url(", "@import", "src=\"", "href=\"http"} {
			require.NotContains(t, html, from)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	require.Equal(t, page(t, odd(3, 9)), page(t, odd(3, 9)))
	require.Equal(t, summary(t, odd(3, 9)), summary(t, odd(3, 9)))
}

// What is not there is said to be missing.
func TestMissing(t *testing.T) {
	require.Contains(t, page(t, &report.Report{Subject: "note"}), "No release is frozen yet.")
	html := page(t, one())
	for _, want := range []string{
		"There is no matrix of readers: freeze.toml has no [read] table", "There are no two releases with fixtures to compare.",
		"No results of mutation checks were given", "No results of contract tests were given",
	} {
		require.Contains(t, html, want)
	}
	const want = `# note: what its releases persist

| release | date | scenarios | waived | missing | entries | size |
| --- | --- | --- | --- | --- | --- | --- |
| v1.0.0 | 2026-11-30 | 1 | 0 | 0 | 3 | 348 B |

## Who reads what

There is no matrix of readers: freeze.toml has no [read] table, so no reader scripts are played.

## Format changes

There are no two releases with fixtures to compare.

## Faults that the suites catch

No results of mutation checks were given.

## Timings: Scenarios, when they were frozen

| longest | time |
| --- | --- |
| ` + "`notes/add`" + ` | 0.04 s |
`
	if d := cmp.Diff(want, summary(t, one())); d != "" {
		t.Errorf("Markdown of one release (-want +got):\n%s", d)
	}
}

func TestAddMutate(t *testing.T) {
	r := one()
	for _, doc := range []string{
		`{"regressions": [{"name": "a", "what": "w", "file": "d/a.go", "func": "F", "package": "./s", "test": "T", "assert": "r1", "verdict": "caught", "elapsed_ms": 7, "later": true}],
		  "fixtures": [{"fixture": "f/v1.0.0/s", "asked": 1, "caught": 1}]}`,
		`{"seed": 3, "mutants": [{"id": "p.F/boundary/00/1", "place": "d/a.go:3", "before": "<", "after": "<=", "verdict": "survived", "why": "none failed", "bad": true, "elapsed_ms": 9}], "not_viable": 2, "left": 4,
		  "fixtures": [{"fixture": "f/v1.0.0/s", "asked": 2, "caught": 0}], "untouched": ["d/a.go:1"]}`,
	} {
		require.NoError(t, r.AddMutate(strings.NewReader(doc)))
	}
	want := report.Mutation{
		Regressions: []report.Regression{{Name: "a", What: "w", File: "d/a.go", Package: "./s", Test: "T", Assert: "r1", Verdict: mutate.Caught, ElapsedMS: 7}},
		Mutants:     []report.Mutant{{ID: "p.F/boundary/00/1", Place: "d/a.go:3", Before: "<", After: "<=", Verdict: mutate.Survived, Why: "none failed", Bad: true, ElapsedMS: 9}},
		NotViable:   2, Left: 4,
		Fixtures:  []report.Catch{{Fixture: "f/v1.0.0/s", Asked: 3, Caught: 1}},
		Untouched: []string{"d/a.go:1"},
	}
	if d := cmp.Diff(want, r.Mutation); d != "" {
		t.Errorf("AddMutate (-want +got):\n%s", d)
	}
	for _, wrong := range []string{"", "{}", "[]", `{"regressions": 3}`, `{"readers": []}`, `{"regressions": [{"name": "a", "verdict": "bananas"}]}`,
		`{"mutants": [{"id": "a", "verdict": "bananas"}]}`, `{"mutants": [{"id": "a"}]}`} {
		require.Error(t, one().AddMutate(strings.NewReader(wrong)), wrong)
	}
}

func TestAddTests(t *testing.T) {
	const events = `{"Action":"start","Package":"example.org/c"}
{"Action":"run","Package":"example.org/c","Test":"TestA"}
{"Action":"pass","Package":"example.org/c","Test":"TestA/v1.0.0/add/deeper","Elapsed":0.1}
{"Action":"pass","Package":"example.org/c","Test":"TestA/v1.0.0/add","Elapsed":0.2}
{"Action":"fail","Package":"example.org/c","Test":"TestA/v1.0.0/edit","Elapsed":0.2}
{"Action":"skip","Package":"example.org/c","Test":"TestA/v1.0.0/old","Elapsed":0}
{"Action":"pass","Package":"example.org/c","Test":"TestA/v9.0.0/add","Elapsed":0}
{"Action":"fail","Package":"example.org/c","Test":"TestA/v1.0.0","Elapsed":0.4}
{"Action":"fail","Package":"example.org/c","Test":"TestA","Elapsed":0.43}
{"Action":"pass","Package":"example.org/c","Test":"TestOther/x","Elapsed":1}
{"Action":"pass","Package":"example.org/c","Test":"TestOther","Elapsed":1}
{"Action":"fail","Package":"example.org/c","Elapsed":1.6}
`
	r := one()
	require.NoError(t, r.AddTests(strings.NewReader(events)))
	want := []report.Contract{{Package: "example.org/c", Test: "TestA", ElapsedMS: 430, Failed: true,
		Releases: []report.ContractCount{{Release: "v1.0.0", Passed: 1, Failed: 1, Skipped: 1}}}}
	if d := cmp.Diff(want, r.Contracts); d != "" {
		t.Errorf("AddTests (-want +got):\n%s", d)
	}
	// Where the end of a run is missing, or a package did not compile, nothing
	// says that a test failed.
	r = one()
	require.NoError(t, r.AddTests(strings.NewReader(`{"Action":"pass","Package":"example.org/c","Test":"TestA/v1.0.0/add","Elapsed":0.2}
{"Action":"pass","Package":"example.org/c","Test":"TestB/v1.0.0/add","Elapsed":0.2}
{"Action":"pass","Package":"example.org/c","Test":"TestB","Elapsed":0.2}
{"Action":"build-fail","ImportPath":"example.org/d [example.org/d.test]"}
{"Action":"fail","Package":"example.org/d","Elapsed":0,"FailedBuild":"example.org/d [example.org/d.test]"}
`)))
	add := []report.ContractCount{{Release: "v1.0.0", Passed: 1}}
	want = []report.Contract{
		{Package: "example.org/c", Test: "TestA", Failed: true, Releases: add},
		{Package: "example.org/c", Test: "TestB", ElapsedMS: 200, Releases: add},
		{Package: "example.org/d", Test: "(the package)", Failed: true, Releases: []report.ContractCount{}},
	}
	if d := cmp.Diff(want, r.Contracts); d != "" {
		t.Errorf("AddTests (-want +got):\n%s", d)
	}
	for _, wrong := range []string{"", "ok  \texample.org/c\t0.1s\n", `{"Action":"pass","Package":"example.org/c","Test":"TestOther"}`} {
		require.Error(t, one().AddTests(strings.NewReader(wrong)), wrong)
	}
}

// A picture ends at a round number, which is not far beyond its longest time.
func TestPlotsHaveRoundScales(t *testing.T) {
	for ms, want := range map[int64]string{3: "0.00 s", 40: "0.04 s", 41: "0.08 s", 1990: "2.00 s", 2001: "4.00 s", 7999: "8.00 s", 3_000_000: "66 min 40 s"} {
		r := one()
		r.Scenarios[0].Fixtures[0].RanMS = ms
		require.Contains(t, page(t, r), "A scale from 0 to "+want+`"`, ms)
	}
}
