package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/freeze/read"
	"github.com/freeze-contracts/permafrost/freeze/shard"
)

func (a *app) mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "merge PART...",
		Short: "join the parts of a run that was split with --shard",
		Long: `merge takes all parts that runs with --shard wrote, and does what the whole run
would have done: it writes the releases that were cut, compares or keeps the
table of freeze read, or says what came of each mutant. Its output and its exit
status are those of the whole run.

It fails, and does nothing, if a part is missing, there twice, altered, or made
by another call, of another commit or other files than those that are here, or
with another toolchain or other programs than the rest.`,
		Example: `  freeze --all --shard 0/2         on one machine
  freeze --all --shard 1/2         on another, at the same commit
  freeze merge freeze-*-of-2.json  with both files, on either`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return usagef("freeze merge takes the parts of a run; see freeze merge --help")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, files []string) error { return a.merge(interruptible(), files) },
	}
}

func (a *app) merge(ctx context.Context, files []string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	var parts []*shard.Part
	for _, file := range files {
		p, err := shard.Read(file)
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	if parts, err = shard.Join(parts); err != nil {
		return err
	}
	here, err := a.state(ctx, cfg)
	if err != nil {
		return err
	}
	if err := shard.Here(parts, here); err != nil {
		return err
	}
	switch command := parts[0].Command; command {
	case partFreeze:
		return a.mergeFreeze(ctx, parts)
	case partRead:
		return a.mergeRead(parts)
	case partMutate:
		return a.mergeMutate(parts)
	case partGenerated:
		return a.mergeGenerated(parts)
	default:
		return fmt.Errorf("part %s: of %q, which this build does not join", parts[0].File, command)
	}
}

func (a *app) mergeFreeze(ctx context.Context, parts []*shard.Part) error {
	done, err := results[cut.Part](parts)
	if err != nil {
		return err
	}
	p, err := a.project()
	if err != nil {
		return err
	}
	report, err := p.Merge(ctx, done, a.progress().show)
	if err != nil {
		return err
	}
	return a.printReport(report)
}

// readPart is what a part of freeze read holds.
type readPart struct {
	Check  bool       `json:"check"`
	Record bool       `json:"record"`
	Format string     `json:"format"`
	Read   *read.Part `json:"read"`
}

func (a *app) mergeRead(parts []*shard.Part) error {
	done, err := results[readPart](parts)
	if err != nil {
		return err
	}
	p, err := a.project()
	if err != nil {
		return err
	}
	dir, err := read.Scripts(p)
	if err != nil {
		return err
	}
	var all []*read.Part
	for _, d := range done {
		if d.Read == nil || d.Read.Report == nil {
			return fmt.Errorf("part %s: has no report", parts[len(all)].File)
		}
		all = append(all, d.Read)
	}
	opts := readOptions{check: done[0].Check, record: done[0].Record, format: done[0].Format}
	report := read.Merge(all)
	if err := opts.print(a, report); err != nil {
		return err
	}
	return opts.verdict(report, dir)
}

// mutatePart is what a part of freeze mutate holds.
type mutatePart struct {
	Output bool         `json:"output"` // what the tests printed is asked for
	Matrix bool         `json:"matrix"` // what each fixture catches, too
	Report mutateReport `json:"report"`
	// Fixtures are, by regression, what its test read, and whether it caught it.
	Fixtures map[string]map[string]bool `json:"fixtures"`
}

func newMutatePart(results []mutate.Result, opts mutateOptions, output bool) mutatePart {
	part := mutatePart{Output: output, Matrix: opts.matrix, Report: newMutateReport(results, opts.matrix), Fixtures: make(map[string]map[string]bool)}
	for _, r := range results {
		part.Fixtures[r.Regression.Name] = r.Fixtures
	}
	return part
}

func (a *app) mergeMutate(parts []*shard.Part) error {
	done, err := results[mutatePart](parts)
	if err != nil {
		return err
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	var all []*regression.Regression
	if plan := parts[0].Plan; len(plan) > 0 { // without names they would be all
		if all, err = regressions(cfg, plan); err != nil {
			return err
		}
	}
	var judged []mutate.Result
	for _, r := range all {
		result, err := find(done, r)
		if err != nil {
			return err
		}
		judged = append(judged, result)
	}
	return a.sayMutants(judged, mutateOptions{matrix: done[0].Matrix}, done[0].Output)
}

// find is what the parts say of a regression.
func find(done []*mutatePart, r *regression.Regression) (mutate.Result, error) {
	for _, d := range done {
		for _, j := range d.Report.Regressions {
			if j.Name == r.Name && j.Verdict != "" {
				return mutate.Result{Regression: r, Verdict: j.Verdict, Why: j.Why, Output: j.Output,
					Elapsed: time.Duration(j.ElapsedMS) * time.Millisecond, Fixtures: d.Fixtures[r.Name]}, nil
			}
		}
	}
	return mutate.Result{}, fmt.Errorf("no part has judged %s", r.Name)
}

// generatedPart is what a part of freeze mutate --generated holds.
type generatedPart struct {
	Whole  bool            `json:"whole"` // of each mutant all is asked for
	Report generatedReport `json:"report"`
}

func (a *app) mergeGenerated(parts []*shard.Part) error {
	done, err := results[generatedPart](parts)
	if err != nil {
		return err
	}
	all := &done[0].Report
	for _, d := range done[1:] {
		all.Mutants = append(all.Mutants, d.Report.Mutants...)
		all.NotViable += d.Report.NotViable
		all.Left += d.Report.Left
	}
	if said := len(all.Mutants) + all.NotViable + all.Left; said != len(parts[0].Plan) {
		return fmt.Errorf("the parts have judged %d of %d mutants", said, len(parts[0].Plan))
	}
	place := make(map[string]int)
	for i, id := range parts[0].Plan {
		place[id] = i
	}
	slices.SortStableFunc(all.Mutants, func(a, b mutantJSON) int { return place[a.ID] - place[b.ID] })
	return a.sayGenerated(all, new(mutate.Generated), done[0].Whole)
}
