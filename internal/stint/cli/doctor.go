package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/freeze-contracts/permafrost/internal/stint/doctor"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/spf13/cobra"
)

type doctorAnswer struct {
	Findings []doctor.Finding `json:"findings"`
}

func (a *app) doctor() *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is missing or does not go together, and say how to mend it",
		Long: `doctor looks at the programs that stint needs, at the project's configuration,
marker, env file and state, and at what git and tmux have of its sessions. Of
each thing that is not as it should be it says what is wrong, and the command
that mends it. It changes nothing.

With --config it looks at that configuration alone, in a project or outside.

Exit code 0 says that nothing is wrong.`,
		Example: `  stint doctor
  stint doctor --json
  stint doctor --config stint.toml`,
		Args: takes(),
	}
	cmd.Flags().StringVar(&config, "config", "", "look at this configuration alone (`file`)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var found []doctor.Finding
		if cmd.Flags().Changed("config") {
			if config == "" {
				return misuse(cmd, errors.New("--config needs the name of a file"))
			}
			found = doctor.Config(config)
		} else {
			dir, err := here()
			if err != nil {
				return err
			}
			if found, err = doctor.Project(cmd.Context(), a.env, dir); err != nil {
				return err
			}
		}
		return a.findings(found)
	}
	return cmd
}

func (a *app) findings(found []doctor.Finding) error {
	v := doctorAnswer{Findings: []doctor.Finding{}}
	for _, f := range found {
		f.Why = text.OneLine(f.Why)
		v.Findings = append(v.Findings, f)
	}
	if err := a.print(v, func(w io.Writer) { findingsText(w, v.Findings) }); err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("not as it should be: %s: mend each, and run stint doctor again", text.Count(len(found), "thing"))
	}
	return nil
}

func findingsText(w io.Writer, found []doctor.Finding) {
	if len(found) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
	}
	for _, f := range found {
		fmt.Fprintf(w, "%s %s: %s\n", f.What, text.Plain(f.Thing), text.Plain(f.Why))
		if f.Mend != "" {
			fmt.Fprintf(w, "  mend  %s\n", text.Plain(f.Mend))
		}
	}
}
