package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/read"
)

func (a *app) readCommand() *cobra.Command {
	var opts readOptions
	cmd := &cobra.Command{
		Use:   "read [--with VERSION | --matrix [--check | --record]]",
		Short: "have a program read back what every release left, by reader scripts",
		Long: `read thaws every fixture into a box, runs the reader scripts on it with today's
program or another release's, and compares what it says with what the release
itself said. Told apart are reads (the same answer), refuses (an error, and
nothing was written), writes (an error, and something was) and misreads
(success, and another answer). A program may refuse what a newer one wrote;
anything else but reads makes the exit status 1.

With --matrix every release reads, and today's program. --record keeps the
table beside the scripts, --check compares it with the one that is kept: what
releases do with each other's state is then accepted, what today's program
takes part in is not.`,
		Example: `  freeze read                      today's program: the commit that is checked out
  freeze read --with v1.0.0        the release v1.0.0, also on what newer ones left
  freeze read --matrix --record    every pair, and keep the table
  freeze read --matrix --check     is it still the one that is kept?`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opts.part.take(cmd, args); err != nil {
				return err
			}
			return a.read(interruptible(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.req.With, "with", read.This, "have this `VERSION` or revision read; \"this\" is the commit that is checked out")
	flags.BoolVar(&opts.req.Matrix, "matrix", false, "have every release read, and today's program")
	flags.BoolVar(&opts.check, "check", false, "with --matrix: compare with the table that is kept")
	flags.BoolVar(&opts.record, "record", false, "with --matrix: keep the table")
	flags.StringVar(&opts.format, "format", "text", "text, json or markdown")
	flags.IntVar(&opts.req.Jobs, "jobs", 0, "how many boxes run at once; 0 is the number of cores")
	opts.part.flags(cmd)
	return cmd
}

type readOptions struct {
	req           read.Request
	check, record bool
	format        string
	part          shardOptions
}

func (a *app) read(ctx context.Context, opts readOptions) error {
	if err := opts.wrong(); err != nil {
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
	if !opts.part.Whole() {
		return a.readPart(ctx, p, opts)
	}
	show := a.progress()
	report, err := read.Run(ctx, p, opts.req, show.show)
	show.end()
	if err != nil {
		return err
	}
	if err := opts.print(a, report); err != nil {
		return err
	}
	return opts.verdict(report, dir)
}

// readPart reads one shard. The table that is kept is for freeze merge.
func (a *app) readPart(ctx context.Context, p *cut.Project, opts readOptions) error {
	state, err := a.state(ctx, p.Config)
	if err != nil {
		return err
	}
	opts.req.Shard = opts.part.Shard
	show := a.progress()
	part, err := read.RunPart(ctx, p, opts.req, show.show)
	show.end()
	if err != nil {
		return err
	}
	done := readPart{Check: opts.check, Record: opts.record, Format: opts.format, Read: part}
	if err := a.write(opts.part, partRead, state, part.Tools, part.Plan, done); err != nil {
		return err
	}
	if err := opts.print(a, part.Report); err != nil {
		return err
	}
	return opts.judge(part.Report)
}

// printers write a report in a format.
func printers() map[string]func(*read.Report, io.Writer) error {
	return map[string]func(*read.Report, io.Writer) error{
		"text": (*read.Report).Text, "markdown": (*read.Report).Markdown,
		"json": func(r *read.Report, w io.Writer) error { return writeJSON(w, r) },
	}
}

func (o readOptions) print(a *app, r *read.Report) error {
	format := o.format
	if a.json {
		format = "json"
	}
	return printers()[format](r, a.stdout)
}

// wrong refuses what cannot be meant.
func (o readOptions) wrong() error {
	switch {
	case printers()[o.format] == nil:
		return usagef("--format %q: it is text, json or markdown", o.format)
	case o.req.Matrix && o.req.With != read.This:
		return usagef("--matrix is every release; it goes with no --with")
	case (o.check || o.record) && !o.req.Matrix:
		return usagef("--check and --record are about the whole table; they go with --matrix")
	case o.check && o.record:
		return usagef("--check compares with the table that --record writes; say one of them")
	case o.req.Jobs < 0:
		return usagef("--jobs %d: a number of boxes, or 0 for the number of cores", o.req.Jobs)
	}
	return nil
}

// verdict is what the exit status follows from. A table that is kept settles
// what the releases do with each other's state, and nothing of today's.
func (o readOptions) verdict(r *read.Report, dir string) error {
	if err := r.Broken(); err != nil {
		return err
	}
	var err error
	switch {
	case o.check:
		err = r.Compare(dir)
	case o.record:
		err = r.Record(dir)
	}
	if bad := o.judge(r); bad != nil {
		err = errors.Join(bad, err)
	}
	return err
}

// judge is the verdict without the table.
func (o readOptions) judge(r *read.Report) error {
	if err := r.Broken(); err != nil {
		return err
	}
	if bad := r.Bad(o.check || o.record); bad != nil {
		return fmt.Errorf("the promise is broken:\n%w", bad)
	}
	return nil
}
