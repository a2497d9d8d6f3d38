package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/report"
	"github.com/freeze-contracts/permafrost/internal/whole"
)

type reportOptions struct {
	format, output string
	mutate, tests  []string
}

func (a *app) reportCommand() *cobra.Command {
	var opts reportOptions
	cmd := &cobra.Command{
		Use:   "report",
		Short: "show on one page what is known of the releases",
		Long: `report writes one HTML page that needs no other file and no network: who reads
whose state, as freeze read --matrix --record has recorded it, what changed from
each release to the next, which faults the suites catch, and how long things
took. It runs nothing; what was not recorded or given is said to be missing.`,
		Example: `  freeze report --output report.html
  freeze report --format markdown >>"$GITHUB_STEP_SUMMARY"
  freeze mutate --json >mutate.json; freeze report --mutate mutate.json --output report.html
  go test -json ./contracts/... >tests.json; freeze report --tests tests.json --output report.html`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.report(opts) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.format, "format", "html", "html, json or markdown")
	flags.StringVarP(&opts.output, "output", "o", "", "write into this `FILE` instead of standard output")
	flags.StringArrayVar(&opts.mutate, "mutate", nil, "show the faults of this `FILE`, which freeze mutate --json has written; may be given several times")
	flags.StringArrayVar(&opts.tests, "tests", nil, "show the contract tests of this `FILE`, which go test -json has written; may be given several times")
	for _, name := range []string{"output", "mutate", "tests"} {
		if err := cmd.MarkFlagFilename(name); err != nil {
			panic(err) // there is no such flag
		}
	}
	return cmd
}

func (a *app) report(opts reportOptions) error {
	if a.json {
		opts.format = "json"
	}
	write := map[string]func(*report.Report, io.Writer) error{
		"html": (*report.Report).HTML, "markdown": (*report.Report).Markdown,
		"json": func(r *report.Report, w io.Writer) error { return writeJSON(w, r) },
	}[opts.format]
	if write == nil {
		return usagef("--format %q: it is html, json or markdown", opts.format)
	}
	p, err := a.project()
	if err != nil {
		return err
	}
	r, err := report.Collect(p)
	if err != nil {
		return err
	}
	if err := errors.Join(addFiles(opts.mutate, r.AddMutate), addFiles(opts.tests, r.AddTests)); err != nil {
		return err
	}
	if opts.output == "" {
		return write(r, a.stdout)
	}
	var page bytes.Buffer
	if err := write(r, &page); err != nil {
		return err
	}
	return whole.Write(opts.output, page.Bytes())
}

// addFiles hands over files that other commands have written.
func addFiles(names []string, add func(io.Reader) error) error {
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := add(bytes.NewReader(data)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
