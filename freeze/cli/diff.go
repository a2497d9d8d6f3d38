package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/diff"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
)

func (a *app) diffCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff V1 V2",
		Short: "show what changed in the persisted contract between two releases",
		Long: `diff compares the fixtures of two releases by kind of document: documents,
fields, types, formats, modes, paths and links. What belongs to the box that a
fixture was written in does not count. The exit status is 0 if nothing
changed, 1 if something did, and 2 for an error.`,
		Example: `  freeze diff v1.0.0 v1.1.0
  freeze diff v1.0.0 v1.1.0 --format markdown >>CHANGELOG.md`,
		Args: exactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.diff(args[0], args[1], format) },
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	return cmd
}

// errDiffer is the answer of a diff that found something.
var errDiffer = fmt.Errorf("%w: the releases differ", errSaid)

func (a *app) diff(v1, v2, format string) error {
	if a.json {
		format = "json"
	}
	write := map[string]func(*diff.Report, io.Writer) error{
		"text": (*diff.Report).Text, "json": (*diff.Report).JSON, "markdown": (*diff.Report).Markdown,
	}[format]
	if write == nil {
		return usagef("--format %q: it is text, json or markdown", format)
	}
	report, err := a.compare(v1, v2)
	if err == nil {
		err = write(report, a.stdout)
	}
	if err != nil {
		return usageError{err} // every error of diff is exit 2, since 1 is an answer
	}
	if !report.Empty() {
		return errDiffer
	}
	return nil
}

func (a *app) compare(v1, v2 string) (*diff.Report, error) {
	p, err := a.project()
	if err != nil {
		return nil, err
	}
	before, err := releases(p, v1)
	if err != nil {
		return nil, err
	}
	after, err := releases(p, v2)
	if err != nil {
		return nil, err
	}
	return diff.Releases(before, after), nil
}

// releases loads the fixtures of one release of the ledger, sorted by family.
func releases(p *cut.Project, version string) ([]*fixture.Release, error) {
	if _, err := p.Ledger.Get(version); err != nil {
		return nil, err
	}
	byFamily, err := p.Load(version)
	if err != nil {
		return nil, err
	}
	if len(byFamily) == 0 {
		return nil, errors.New("release " + version + " has no fixtures; see its waiver in the ledger")
	}
	var all []*fixture.Release
	for _, family := range slices.Sorted(maps.Keys(byFamily)) {
		all = append(all, byFamily[family])
	}
	return all, nil
}
