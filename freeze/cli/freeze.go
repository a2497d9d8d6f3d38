package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/cut"
)

// freezeCommand is freeze itself: freeze VERSION...
func (a *app) freezeCommand() *cobra.Command {
	var req cut.Request
	var all bool
	var part shardOptions
	cmd := &cobra.Command{
		Use:   "freeze VERSION... | --all | --dry-run REV",
		Short: "freeze what a release persists, or freeze it again and compare",
		Long: `freeze builds a release's own program, runs every scenario with it in a
private box, and writes what it persisted as fixtures. Where the fixtures are
there already it freezes again and compares: the same but for bindings is
success, and nothing is ever overwritten.`,
		Example: `  freeze v1.0.0                    the ledger's v1.0.0 again, or the tag v1.0.0 for the first time
  freeze v1.1.0 --commit HEAD~2    cut v1.1.0 from that commit
  freeze --all                     every release of the ledger
  freeze --dry-run HEAD            today's code, into a scratch folder
  freeze v1.0.0 --replace --why "the scenario missed the log file"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := part.take(cmd, args); err != nil {
				return err
			}
			req.Versions, req.Shard = args, part.Shard
			return a.freeze(interruptible(), req, all, part)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&all, "all", false, "every release of the ledger")
	flags.StringVar(&req.Commit, "commit", "", "cut the version, which the ledger lacks, from this `REV`")
	flags.BoolVar(&req.Add, "add", false, "cut the version, which the ledger lacks and which has no commit")
	flags.StringVar(&req.Integrity, "integrity", "", "with --add: the package's `HASH`, kept in the ledger; its registry has to state it, or the command that obtains it is given it")
	flags.StringVar(&req.DryRun, "dry-run", "", "freeze this `REV` as newer than every release, and write nothing")
	flags.BoolVar(&req.Replace, "replace", false, "write the fixtures that differ anew; needs --why")
	flags.StringVar(&req.Why, "why", "", "the reason for --replace, kept in the ledger")
	flags.IntVar(&req.Jobs, "jobs", 0, "how many boxes run at once; 0 is the number of cores")
	part.flags(cmd)
	return cmd
}

func (a *app) freeze(ctx context.Context, req cut.Request, all bool, part shardOptions) error {
	if err := checkRequest(req, all); err != nil {
		return err
	}
	p, err := a.project()
	if err != nil {
		return err
	}
	if all {
		for _, r := range p.Ledger.Releases {
			req.Versions = append(req.Versions, r.Version)
		}
		if len(req.Versions) == 0 {
			return errors.New("the ledger has no release yet; cut the first one with freeze VERSION --commit REV")
		}
	}
	show := a.progress()
	if !part.Whole() {
		return a.freezePart(ctx, p, req, part, show)
	}
	report, err := p.Freeze(ctx, req, show.show)
	show.end()
	if err != nil {
		return err
	}
	return a.printReport(report)
}

// freezePart does one shard, and leaves what is to be written to freeze merge.
func (a *app) freezePart(ctx context.Context, p *cut.Project, req cut.Request, o shardOptions, show *progress) error {
	state, err := a.state(ctx, p.Config)
	if err != nil {
		return err
	}
	part, report, err := p.FreezePart(ctx, req, show.show)
	show.end()
	if err != nil {
		return err
	}
	if part != nil {
		if err := a.write(o, partFreeze, state, part.Tools(), part.Plan, part); err != nil {
			return err
		}
	}
	return a.printReport(report)
}

// checkRequest refuses what cannot be meant.
func checkRequest(req cut.Request, all bool) error {
	named := len(req.Versions)
	switch {
	case all && named > 0:
		return usagef("--all is every release of the ledger; name none beside it")
	case req.DryRun != "" && (all || named > 0 || req.Commit != "" || req.Add || req.Replace):
		return usagef("--dry-run REV freezes that revision alone; it goes with no version and no other of these flags")
	case req.DryRun == "" && !all && named == 0:
		return usagef("no version given; say freeze VERSION, or freeze --all (see freeze --help)")
	case req.Commit != "" && (all || named != 1):
		return usagef("--commit REV is for exactly one version")
	case req.Add && (all || named != 1 || req.Commit != ""):
		return usagef("--add is for exactly one version, which has no commit")
	case req.Integrity != "" && !req.Add:
		return usagef("--integrity is the hash of a package that is added; it goes with --add")
	case req.Replace && strings.TrimSpace(req.Why) == "":
		return usagef("--replace needs --why TEXT: the ledger keeps the reason")
	case req.Why != "" && !req.Replace:
		return usagef("--why is the reason for --replace, which is not given")
	case req.Jobs < 0:
		return usagef("--jobs %d: a number of boxes, or 0 for the number of cores", req.Jobs)
	}
	return nil
}

// printReport says what became of the releases. Its error carries the exit
// code alone.
func (a *app) printReport(r *cut.Report) error {
	if a.json {
		if err := writeJSON(a.stdout, r); err != nil {
			return err
		}
	} else {
		for _, rel := range r.Releases {
			printRelease(a.stdout, a.stderr, rel)
			if !a.quiet {
				printNotes(a.stderr, rel)
			}
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w: %w", errSaid, err)
	}
	return nil
}

func printRelease(stdout, stderr io.Writer, r cut.ReleaseReport) {
	if err := r.Err(); err != nil {
		complain(stderr, err.Error())
		failed := slices.ContainsFunc(r.Scenarios, func(o cut.Outcome) bool { return o.Status.Bad() })
		if failed && slices.ContainsFunc(r.Scenarios, cut.Outcome.New) {
			fmt.Fprintf(stderr, "freeze: nothing of %s was written, since not all of it succeeded\n", r.Version)
		}
		return
	}
	if len(r.Scenarios) == 0 {
		return // no scenario is the shard's
	}
	count := make(map[cut.Status]int)
	for _, o := range r.Scenarios {
		count[o.Status]++
	}
	var parts []string
	for _, s := range []cut.Status{cut.Frozen, cut.Added, cut.Replaced, cut.Dropped, cut.Identical, cut.Waived} {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	fmt.Fprintf(stdout, "%s: %s\n", r.Version, strings.Join(parts, ", "))
}

func printNotes(stderr io.Writer, r cut.ReleaseReport) {
	for _, o := range r.Scenarios {
		for _, note := range o.Notes {
			fmt.Fprintf(stderr, "note: %s %s/%s: %s\n", r.Version, o.Family, o.Scenario, note)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(stderr, "note: %s\n", note)
	}
}
