package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/mutate"
	"github.com/freeze-contracts/permafrost/freeze/mutate/regression"
	"github.com/freeze-contracts/permafrost/internal/plain"
)

type mutateOptions struct {
	list    bool
	jobs    int
	timeout time.Duration
	since   string
	matrix  bool

	generated generatedOptions
	part      shardOptions
}

func (a *app) mutateCommand() *cobra.Command {
	var opts mutateOptions
	cmd := &cobra.Command{
		Use:   "mutate [NAME...] [--generated [ID...]]",
		Short: "inject faults, and see that the suites fail for the intended reason",
		Long: `mutate takes the regressions of the folder that freeze.toml names, each an edit
of one function, and requires of each that the one test that is meant for it
fails under it, by the one assertion that is meant, three times of three, while
the tree itself passes. Of what is not Go it is an edit of a file, in a copy of
the tree, and a command. Everything else has a verdict of its own and makes the
exit status 1. Nothing is written into the tree.

With --generated it makes up mutants of packages, and requires that each is
caught by some test of the suites, or listed with a reason in survivors.toml
beside the regressions.

With names it shows what the test printed.`,
		Example: `  freeze mutate                    all regressions
  freeze mutate attach-any-state   one, and how its test fails
  freeze mutate --list             which there are
  freeze mutate --generated --sample 50 --for 2m`,
		Args: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := opts.generated.wrong(cmd, opts.list); err != nil {
				return err
			}
			if err := opts.part.take(cmd, names); err != nil {
				return err
			}
			return a.mutate(interruptible(), opts, names)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&opts.list, "list", false, "list the regressions, and run nothing")
	flags.IntVar(&opts.jobs, "jobs", 0, "how many tests run at once; 0 is the number of cores")
	flags.DurationVar(&opts.timeout, "timeout", mutate.DefaultTimeout, "after what time a test has no end, unless the tree itself is that slow")
	flags.StringVar(&opts.since, "since", "", "only what changed since the revision `REV`, committed or not: regressions and what they are about, or lines that mutants change")
	flags.BoolVar(&opts.matrix, "matrix", false, "show what each fixture catches, too; with --generated all tests are asked, which takes long")
	opts.generated.flags(cmd)
	opts.part.flags(cmd)
	return cmd
}

func (a *app) mutate(ctx context.Context, opts mutateOptions, names []string) error {
	switch {
	case opts.jobs < 0:
		return usagef("--jobs %d: a number of tests, or 0 for the number of cores", opts.jobs)
	case opts.timeout <= 0:
		return usagef("--timeout %s: a time, such as 30s", opts.timeout)
	case opts.matrix && opts.generated.on && !opts.part.Whole():
		return usagef("--matrix of what is made up is of all mutants and tests; it goes with no --shard")
	case opts.list && !opts.part.Whole():
		return usagef("--list runs nothing, so there is no part of it; it goes with no --shard")
	}
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if cfg.Mutate.Regressions == "" {
		return usagef("%s: there is no [mutate] in it, which says what is mutated", filepath.Join(cfg.Dir, config.Name))
	}
	var changes *mutate.Changes
	if opts.since != "" {
		if changes, err = mutate.Since(ctx, cfg.Dir, a.env, opts.since); err != nil {
			return err
		}
	}
	if opts.generated.on {
		return a.generated(ctx, opts, cfg, changes, names)
	}
	all, err := regressions(cfg, names)
	if err != nil {
		return err
	}
	if changes != nil {
		all = slices.DeleteFunc(all, func(r *regression.Regression) bool {
			return !changes.Regression(filepath.ToSlash(cfg.Mutate.Regressions), r)
		})
	}
	if opts.list {
		if opts.matrix {
			return usagef("--list runs nothing; it does not go with --matrix")
		}
		return a.listRegressions(all)
	}
	part, err := a.mutatePart(ctx, cfg, opts)
	if err != nil {
		return err
	}
	for _, r := range all {
		part.plan = append(part.plan, r.Name)
	}
	mine := part.Take(part.plan)
	all = slices.DeleteFunc(all, func(r *regression.Regression) bool { return !slices.Contains(mine, r.Name) })
	show := a.mutants(len(all))
	var results []mutate.Result
	if len(all) > 0 || part.Whole() {
		results, err = mutate.Run(ctx, mutate.Request{Dir: cfg.Dir, Env: a.env, Regressions: all, Jobs: opts.jobs, Timeout: opts.timeout, Show: show.result})
	}
	show.end()
	if ctx.Err() != nil {
		// What was judged is true all the same.
		judged := slices.DeleteFunc(results, func(r mutate.Result) bool { return r.Verdict == "" })
		said := a.sayMutants(judged, opts, len(names) > 0)
		if errors.Is(said, errSaid) {
			said = nil
		}
		return errors.Join(fmt.Errorf("not all was judged: %w", context.Cause(ctx)), said)
	}
	if err != nil {
		return err
	}
	if err := part.write(partMutate, newMutatePart(results, opts, len(names) > 0)); err != nil {
		return err
	}
	return a.sayMutants(results, opts, len(names) > 0)
}

// config reads the freeze.toml of this call, for what needs no more of it.
func (a *app) config() (*config.Config, error) {
	file, err := a.configPath()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(file)
	var wrong *config.Error
	if errors.As(err, &wrong) {
		return nil, usageError{err}
	}
	return cfg, err
}

// regressions are those of the project, or those with the names.
func regressions(cfg *config.Config, names []string) ([]*regression.Regression, error) {
	all, err := regression.Load(filepath.Join(cfg.Dir, filepath.FromSlash(cfg.Mutate.Regressions)))
	if err != nil || len(names) == 0 {
		return all, err
	}
	var chosen []*regression.Regression
	for _, name := range names {
		i := slices.IndexFunc(all, func(r *regression.Regression) bool { return r.Name == name })
		if i < 0 {
			return nil, usagef("%s: no such regression; freeze mutate --list shows which there are", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// mutateReport is mutate as JSON.
type mutateReport struct {
	Regressions []regressionJSON `json:"regressions"`
	Fixtures    []fixtureJSON    `json:"fixtures,omitzero"`
}

// regressionJSON is one regression of mutate and of mutate --list.
type regressionJSON struct {
	Name    string `json:"name"`
	What    string `json:"what"`
	File    string `json:"file"`
	Func    string `json:"func,omitzero"`
	Package string `json:"package,omitzero"`
	Test    string `json:"test,omitzero"`
	Build   string `json:"build,omitzero"`
	Run     string `json:"run,omitzero"`
	Assert  string `json:"assert"`

	Verdict   mutate.Verdict `json:"verdict,omitzero"`
	Why       string         `json:"why,omitzero"`
	Output    string         `json:"output,omitzero"`
	ElapsedMS int64          `json:"elapsed_ms,omitzero"`
	Fixtures  []string       `json:"fixtures,omitzero"`
}

func newMutateReport(results []mutate.Result, matrix bool) (report mutateReport) {
	if matrix {
		report.Fixtures = toFixtures(mutate.Fixtures(results))
	}
	for _, r := range results {
		j := toJSON(r.Regression)
		j.Verdict, j.Why, j.Output, j.ElapsedMS = r.Verdict, valid(r.Why), valid(r.Output), r.Elapsed.Milliseconds()
		if matrix {
			j.Fixtures = caughtIn(r.Fixtures)
		}
		report.Regressions = append(report.Regressions, j)
	}
	return report
}

// valid is text as JSON can hold it: a test may print anything.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func toJSON(r *regression.Regression) regressionJSON {
	return regressionJSON{Name: r.Name, What: r.What, File: r.File, Func: r.Func, Package: r.Test.Package, Test: r.Test.Name,
		Build: r.Build, Run: r.Run, Assert: string(r.Assert)}
}

func (a *app) listRegressions(all []*regression.Regression) error {
	if a.json {
		var report mutateReport
		for _, r := range all {
			report.Regressions = append(report.Regressions, toJSON(r))
		}
		return writeJSON(a.stdout, report)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, r := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, r.Assert, r.By(), r.What)
	}
	return w.Flush()
}

// sayMutants is the answer. What is not caught is bad.
func (a *app) sayMutants(results []mutate.Result, opts mutateOptions, output bool) error {
	if a.json {
		if err := writeJSON(a.stdout, newMutateReport(results, opts.matrix)); err != nil {
			return err
		}
	} else if err := a.printMutants(results, output); err != nil {
		return err
	} else if opts.matrix {
		if err := printFixtures(a.stdout, mutate.Fixtures(results)); err != nil {
			return err
		}
	}
	if mutate.Bad(results) {
		return errSaid
	}
	return nil
}

func (a *app) printMutants(results []mutate.Result, output bool) error {
	for _, r := range results {
		var err error
		switch {
		case output:
			err = r.Explain(a.stdout)
		case r.Verdict != mutate.Caught:
			_, err = fmt.Fprintf(a.stdout, "%s: %s: %s\n", r.Regression.Name, r.Verdict, plain.Lines(r.Why))
		}
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n", plain.Count(len(results), "regression"), mutate.Summary(results))
	return err
}
