package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

// generatedOptions are about mutants that are made up.
type generatedOptions struct {
	on     bool
	sample int
	seed   uint64
	limit  time.Duration
	steady int

	isolate bool
}

func (o *generatedOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.on, "generated", false, "make up mutants of mutate.packages, and judge them by mutate.suites")
	flags.IntVar(&o.sample, "sample", 0, "with --generated: draw so many that are not listed as survivors; 0 is all")
	flags.Uint64Var(&o.seed, "seed", 0, "with --generated: by which they are drawn and tests shuffled; 0 is a new one")
	flags.DurationVar(&o.limit, "for", 0, "with --generated: begin no more after this time, and leave the rest; 0 is as long as it takes")
	flags.IntVar(&o.steady, "steady", 10, "with --generated: how often the tree itself has to pass first, shuffled")
	flags.BoolVar(&o.isolate, "isolate", false, "with --generated: judge each mutant in processes of its own, and not several in one first")
}

// wrong refuses what cannot be meant.
func (o *generatedOptions) wrong(cmd *cobra.Command, list bool) error {
	for _, name := range []string{"sample", "seed", "for", "steady", "isolate"} {
		if !o.on && cmd.Flags().Changed(name) {
			return usagef("--%s is about mutants that are made up; it goes with --generated", name)
		}
	}
	switch {
	case o.on && list:
		return usagef("--list is of the regressions; it does not go with --generated")
	case o.sample < 0:
		return usagef("--sample %d: a number of mutants, or 0 for all", o.sample)
	case o.steady < 0:
		return usagef("--steady %d: a number of runs", o.steady)
	case o.limit < 0:
		return usagef("--for %s: a time, or 0 for as long as it takes", o.limit)
	}
	return nil
}

func (a *app) generated(ctx context.Context, opts mutateOptions, cfg *config.Config, changes *mutate.Changes, ids []string) error {
	o := opts.generated
	if len(cfg.Mutate.Packages) == 0 {
		return usagef("%s: there is no mutate.packages in it, which says what mutants are made of", filepath.Join(cfg.Dir, config.Name))
	}
	if !opts.part.Whole() && o.seed == 0 {
		return usagef("--shard needs --seed N of what is made up: all parts have to draw the same mutants")
	}
	part, err := a.mutatePart(ctx, cfg, opts)
	if err != nil {
		return err
	}
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	known, err := mutate.ReadLedger(filepath.Join(cfg.Dir, filepath.FromSlash(cfg.Mutate.Regressions), mutate.Ledger))
	if err != nil {
		return err
	}
	var stop <-chan struct{}
	if o.limit > 0 {
		begin, cancel := context.WithTimeout(ctx, o.limit)
		defer cancel()
		stop = begin.Done()
	}
	show := a.mutants(0)
	got, err := mutate.Generate(ctx, mutate.Generation{
		Dir: cfg.Dir, Env: a.env, Packages: cfg.Mutate.Packages, Suites: cfg.Mutate.Suites, Known: known, Since: changes,
		IDs: ids, Sample: o.sample, Seed: o.seed, Stop: stop, Steady: o.steady, Isolate: o.isolate, Shard: part.Shard,
		Matrix: opts.matrix, Jobs: opts.jobs, Timeout: opts.timeout, Say: show.say, Show: show.generated,
	})
	show.end()
	if ctx.Err() != nil {
		report := newGeneratedReport(got, o.seed)
		report.interrupted = true
		said := a.sayGenerated(report, got, len(ids) > 0)
		if errors.Is(said, errSaid) {
			said = nil
		}
		return errors.Join(fmt.Errorf("not all was judged: %w", context.Cause(ctx)), said)
	}
	if err != nil {
		return err
	}
	part.plan = got.Chosen
	for _, id := range ids {
		there := slices.ContainsFunc(got.Results, func(r mutate.MutantResult) bool { return r.Mutant.ID == id })
		if !there && (part.Whole() || !slices.Contains(got.Chosen, id)) {
			return usagef("%s: no such mutant, or one that does not compile", id)
		}
	}
	report := newGeneratedReport(got, o.seed)
	if err := part.write(partGenerated, generatedPart{len(ids) > 0, *report}); err != nil {
		return err
	}
	return a.sayGenerated(report, got, len(ids) > 0)
}

// sayGenerated is the answer. A mutant that nothing caught, with no reason, is
// bad. The matrix is got's.
func (a *app) sayGenerated(report *generatedReport, got *mutate.Generated, whole bool) (err error) {
	if a.json {
		err = writeJSON(a.stdout, report)
	} else {
		err = errors.Join(report.print(a.stdout, whole), printFixtures(a.stdout, got.Fixtures),
			printLines(a.stdout, "no mutant is of", got.Untouched), printLines(a.stdout, "no test of a fixture reaches", got.Unreached))
	}
	if err == nil && report.bad() {
		return errSaid
	}
	return err
}

// generatedReport is mutate --generated as JSON.
type generatedReport struct {
	Seed      uint64       `json:"seed"`
	Mutants   []mutantJSON `json:"mutants"`
	NotViable int          `json:"not_viable"`
	Left      int          `json:"left"`
	Gone      []string     `json:"gone"`

	Fixtures  []fixtureJSON `json:"fixtures,omitzero"`
	Untouched []string      `json:"untouched,omitzero"`
	Unreached []string      `json:"unreached,omitzero"`

	interrupted bool // before all was judged
}

type mutantJSON struct {
	ID        string         `json:"id"`
	Place     string         `json:"place"`
	Before    string         `json:"before"`
	After     string         `json:"after"`
	Verdict   mutate.Verdict `json:"verdict"`
	Why       string         `json:"why"`
	Test      string         `json:"test,omitzero"`
	Known     string         `json:"known,omitzero"`
	Bad       bool           `json:"bad"`
	Output    string         `json:"output,omitzero"`
	ElapsedMS int64          `json:"elapsed_ms"`
	Asked     []string       `json:"asked,omitzero"`
	Failed    []string       `json:"failed,omitzero"`
	Fixtures  []string       `json:"fixtures,omitzero"`
}

func newGeneratedReport(g *mutate.Generated, seed uint64) *generatedReport {
	r := &generatedReport{Seed: seed, NotViable: g.NotViable, Left: g.Left,
		Fixtures: toFixtures(g.Fixtures), Untouched: places(g.Untouched), Unreached: places(g.Unreached)}
	for _, m := range g.Results {
		r.Mutants = append(r.Mutants, mutantJSON{m.Mutant.ID, m.Mutant.Place(), m.Mutant.Before(), m.Mutant.After(),
			m.Verdict, valid(m.Why), m.Test, m.Known, m.Bad(), valid(m.Output), m.Elapsed.Milliseconds(),
			m.Row.Asked, m.Row.Failed, m.Row.Fixtures})
	}
	for _, k := range g.Gone {
		r.Gone = append(r.Gone, k.ID)
	}
	return r
}

func (r *generatedReport) bad() bool {
	return len(r.Gone) > 0 || slices.ContainsFunc(r.Mutants, func(m mutantJSON) bool { return m.Bad })
}

func (r *generatedReport) print(w io.Writer, whole bool) error {
	var b strings.Builder
	count := make(map[mutate.Verdict]int)
	known := 0
	for _, m := range r.Mutants {
		count[m.Verdict]++
		if m.Known != "" && !m.Bad {
			known++
		}
		switch {
		case whole:
			fmt.Fprintf(&b, "%s\n  %s: %q -> %q\n  %s: %s\n  %s\n%s\n%s", m.ID, m.Place, m.Before, m.After, m.Verdict, m.Why, m.Test, m.row(), plain.Lines(strings.ReplaceAll(m.Output, "\x16", "")))
		case m.Bad && m.Known != "":
			fmt.Fprintf(&b, "%s: listed as a survivor, and %s by %s: take it from %s\n", m.ID, m.Verdict, m.Test, mutate.Ledger)
		case m.Bad:
			fmt.Fprintf(&b, "%s: %s: %s\n  %s: %q -> %q\n", m.ID, m.Verdict, plain.Lines(m.Why), m.Place, m.Before, m.After)
		}
	}
	for _, id := range r.Gone {
		fmt.Fprintf(&b, "%s: listed as a survivor, and no mutant any more: take it from %s\n", id, mutate.Ledger)
	}
	left := "were left when the time was over"
	if r.interrupted {
		left = "were left when it was interrupted"
	}
	parts := []string{}
	for _, v := range mutate.Verdicts() {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	b.WriteString(plain.Count(len(r.Mutants), "mutant"))
	if len(parts) > 0 {
		fmt.Fprintf(&b, ": %s", strings.Join(parts, ", "))
	}
	for _, more := range []struct {
		n    int
		what string
	}{{known, "listed with a reason"}, {r.NotViable, "more do not compile"}, {r.Left, left}} {
		if more.n > 0 {
			fmt.Fprintf(&b, "; %d %s", more.n, more.what)
		}
	}
	fmt.Fprintf(&b, " (--seed %d)\n", r.Seed)
	_, err := io.WriteString(w, b.String())
	return err
}
