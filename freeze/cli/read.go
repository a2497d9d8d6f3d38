package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

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
		RunE: func(cmd *cobra.Command, _ []string) error { return a.read(cmd.Context(), opts) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.req.With, "with", read.This, "have this `VERSION` or revision read; \"this\" is the commit that is checked out")
	flags.BoolVar(&opts.req.Matrix, "matrix", false, "have every release read, and today's program")
	flags.BoolVar(&opts.check, "check", false, "with --matrix: compare with the table that is kept")
	flags.BoolVar(&opts.record, "record", false, "with --matrix: keep the table")
	flags.StringVar(&opts.format, "format", "text", "text, json or markdown")
	flags.IntVar(&opts.req.Jobs, "jobs", 0, "how many boxes run at once; 0 is the number of cores")
	return cmd
}

type readOptions struct {
	req           read.Request
	check, record bool
	format        string
}

func (a *app) read(ctx context.Context, opts readOptions) error {
	if a.json {
		opts.format = "json"
	}
	write := map[string]func(*read.Report, io.Writer) error{
		"text": (*read.Report).Text, "markdown": (*read.Report).Markdown,
		"json": func(r *read.Report, w io.Writer) error { return writeJSON(w, r) },
	}[opts.format]
	if err := opts.wrong(write != nil); err != nil {
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
	show := a.progress()
	report, err := read.Run(ctx, p, opts.req, show.show)
	show.end()
	if err != nil {
		return err
	}
	if err := write(report, a.stdout); err != nil {
		return err
	}
	return opts.verdict(report, dir)
}

// wrong refuses what cannot be meant.
func (o readOptions) wrong(known bool) error {
	switch {
	case !known:
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
	kept := o.check || o.record
	var err error
	switch {
	case o.check:
		err = r.Compare(dir)
	case o.record:
		err = r.Record(dir)
	}
	if bad := r.Bad(kept); bad != nil {
		err = errors.Join(fmt.Errorf("the promise is broken:\n%w", bad), err)
	}
	return err
}
