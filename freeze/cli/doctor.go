package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/sandbox"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "say what this machine has and lacks, and which boxes were kept",
		Example: `  freeze doctor
  freeze doctor --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.doctor() },
	}
}

// doctorReport is the shape of freeze doctor --json.
type doctorReport struct {
	Findings []sandbox.Finding `json:"findings"`
	Boxes    []sandbox.Found   `json:"boxes"`
}

func (a *app) doctor() error {
	r := doctorReport{Findings: sandbox.Doctor()}
	var err error
	if r.Boxes, err = sandbox.Boxes(); err != nil {
		return err
	}
	if a.json {
		if err := writeJSON(a.stdout, r); err != nil {
			return err
		}
	} else {
		a.printDoctor(r)
	}
	for _, f := range r.Findings {
		if !f.OK {
			return fmt.Errorf("%w: %s", errSaid, f.Name)
		}
	}
	return nil
}

func (a *app) printDoctor(r doctorReport) {
	for _, f := range r.Findings {
		mark := "ok"
		if !f.OK {
			mark = "LACKS"
		}
		fmt.Fprintf(a.stdout, "%-6s %s: %s\n", mark, f.Name, f.Detail)
		if f.Remedy != "" {
			fmt.Fprintf(a.stdout, "       %s\n", f.Remedy)
		}
	}
	for _, b := range r.Boxes {
		if b.Owner {
			fmt.Fprintf(a.stdout, "box    %s: in use\n", b.Root)
			continue
		}
		fmt.Fprintf(a.stdout, "box    %s: kept, held by %d process(es); freeze reap ends and removes it\n", b.Root, len(b.Left))
	}
}

func (a *app) reapCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reap",
		Short: "end what holds the boxes of earlier runs and remove them once proved empty",
		Long: `reap looks at the boxes of the user who runs it. One whose owner lives is left
alone; one that cannot be proved empty is kept, and the exit status is 3.`,
		Example: "  freeze reap",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.reap(interruptible()) },
	}
}

// reaped is one row of freeze reap --json.
type reaped struct {
	Root  string `json:"root"`
	Done  string `json:"done"` // removed, in use, kept
	Error string `json:"error,omitempty"`
}

func (a *app) reap(ctx context.Context) error {
	boxes, err := sandbox.Boxes()
	if err != nil {
		return err
	}
	rows := []reaped{}
	var failed []error
	for _, b := range boxes {
		row := reaped{Root: b.Root, Done: "in use"}
		if !b.Owner {
			row.Done = "removed"
			if err := sandbox.Reap(ctx, b); err != nil {
				row.Done, row.Error = "kept", err.Error()
				failed = append(failed, err)
			}
		}
		rows = append(rows, row)
	}
	if a.json {
		if err := writeJSON(a.stdout, rows); err != nil {
			return err
		}
	} else {
		for _, row := range rows {
			fmt.Fprintf(a.stdout, "%s: %s\n", row.Root, row.Done)
		}
	}
	return errors.Join(failed...)
}
