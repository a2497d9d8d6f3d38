package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	reader "github.com/freeze-contracts/permafrost/readers/project"
	"github.com/spf13/cobra"
)

// initView is what init --json prints.
type initView struct {
	ProjectID  string `json:"project_id"`
	Repository string `json:"repository"`
	StateDir   string `json:"state_dir"`
	Marker     bool   `json:"marker_written"`
	Ignore     bool   `json:"ignore_written"`
	Config     bool   `json:"config_written"`
	Shared     bool   `json:"id_from_path"`
}

func (a *app) init() *cobra.Command {
	var harness string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make this repository a project",
		Long: `init writes the project marker .stint/project.json and the configuration
stint.toml, each only where it is missing: running it again changes nothing.
It commits nothing. Commit stint.toml yourself; the marker stays untracked.`,
		Example: `  stint init
  stint init --harness claude`,
		Args: takes(),
	}
	cmd.Flags().StringVar(&harness, "harness", "codex", "what session open starts when it is not told, for a new stint.toml")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := runner.HarnessName(harness); err != nil {
			return misuse(cmd, err)
		}
		dir, err := here()
		if err != nil {
			return err
		}
		made, err := project.Init(cmd.Context(), a.env, dir, harness, time.Now())
		if err != nil {
			return err
		}
		if made.Shared {
			a.note("%s is tracked by git or no regular file, so the project's id is taken from its path: untrack it by git rm --cached %[1]s, or move it away, for an id of its own; stint doctor tells what goes by it and is not seen", reader.MarkerFile)
		}
		if is := made.Project.Config.Session.Harness; cmd.Flags().Changed("harness") && is != harness {
			a.note("--harness %s is not taken: %s is there, and session.harness in it is %q: change it there", harness, reader.ConfigFile, is)
		}
		for _, other := range made.Others {
			back := "stint doctor prints the command that brings them back"
			if !other.Former {
				back = "write that id into " + reader.MarkerFile + " to have them back"
			}
			a.note("project %s has sessions of this repository, which go by the marker that it had: %s", other.ID, back)
		}
		if err := a.moved(made.Project); err != nil {
			return err
		}
		v := initView{made.ID, made.Tree.Dir, made.StateDir, made.Marker, made.Ignore, made.Config, made.Shared}
		return a.print(v, func(w io.Writer) { initText(w, v) })
	}
	return cmd
}

// moved says if the project has sessions of the place that it was at before.
func (a *app) moved(p *project.Project) error {
	r, err := runner.New(p, a.env, time.Now)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.Sessions.Moved(); err != nil {
		a.note("%s", text.Error(err))
	}
	return nil
}

func initText(w io.Writer, v initView) {
	switch {
	case v.Marker || v.Config:
		fmt.Fprintf(w, "%s is a project now\n", v.Repository)
	case v.Ignore:
		fmt.Fprintf(w, "%s is a project already; %s was missing and was written\n", v.Repository, project.IgnoreFile)
	default:
		fmt.Fprintf(w, "%s is a project already, nothing was changed\n", v.Repository)
	}
	fmt.Fprintf(w, "  id     %s\n  state  %s\n", v.ProjectID, v.StateDir)
	if v.Config {
		fmt.Fprintf(w, "%s was written: look at it and commit it\n", reader.ConfigFile)
	}
}
