package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/cut"
)

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list releases, scenarios, fixtures and waivers",
		Example: `  freeze list
  freeze list --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.list() },
	}
}

// row is one line of freeze list: one scenario of one release.
type row struct {
	Version  string `json:"version"`
	Date     string `json:"date"`
	Family   string `json:"family"`
	Scenario string `json:"scenario"`
	State    string `json:"state"`   // frozen, missing, waived
	Entries  int    `json:"entries"` // files, folders and links
	Bindings int    `json:"bindings"`
	Reason   string `json:"reason,omitempty"` // of a waiver
}

func (a *app) list() error {
	p, err := a.project()
	if err != nil {
		return err
	}
	rows, err := list(p)
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.stdout, rows)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RELEASE\tDATE\tSCENARIO\tSTATE\tENTRIES\tBINDINGS\tREASON")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s/%s\t%s\t%d\t%d\t%s\n", r.Version, r.Date, r.Family, r.Scenario, r.State, r.Entries, r.Bindings, r.Reason)
	}
	return w.Flush()
}

func list(p *cut.Project) ([]row, error) {
	rows := []row{}
	for _, r := range p.Ledger.Releases {
		frozen, err := p.Load(r.Version)
		if err != nil {
			return nil, err
		}
		for _, sc := range p.Scenarios {
			if !sc.For(r.Version) {
				continue
			}
			row := row{Version: r.Version, Date: r.Date, Family: sc.Family, Scenario: sc.Name, State: "missing"}
			if w, ok := r.Waiver(sc.Family, sc.Name); ok {
				row.State, row.Reason = "waived", w.Reason
			}
			if f := frozen[sc.Family]; f != nil && f.Scenarios[sc.Name] != nil {
				row.State = "frozen"
				row.Entries, row.Bindings = len(f.Scenarios[sc.Name].Entries), len(f.Scenarios[sc.Name].Bindings)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
