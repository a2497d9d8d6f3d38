package cli

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/freeze/skeleton"
)

func (a *app) newCommand() *cobra.Command {
	var first skeleton.First
	cmd := &cobra.Command{
		Use:   "new FAMILY/NAME [--view ARGS] [-- ARG...]",
		Short: "write a scenario to begin with",
		Long: `new writes fixtures/scenarios/FAMILY/NAME.txtar: what a user does with the
program, the words behind --, or where nobody says it, what the program prints of
its version. With --view it writes a reader script, too, for a family that has
none of its name; without it the scenario keeps what that script asks, if there
is one. A release that is frozen gets the scenario when it is frozen again.`,
		Example: `  freeze new notes/add -- add 'buy milk'
  freeze new notes/list --view 'list --json' -- add milk`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			if dash != 1 {
				return usagef("freeze new takes one FAMILY/NAME, and behind -- what a user does with the program; see freeze new --help")
			}
			first.Args = args[1:]
			return a.new(args[0], first)
		},
	}
	cmd.Flags().StringVar(&first.View, "view", "", "the `ARGS` at which the program says what it keeps")
	return cmd
}

func (a *app) new(name string, first skeleton.First) error {
	if err := first.Check(); err != nil {
		return usageError{err}
	}
	p, err := a.project()
	if err != nil {
		return err
	}
	family, short, _ := strings.Cut(name, "/")
	known, ok := p.Config.Family[family]
	switch {
	case !scenario.IsName(short):
		return usagef("%q: a scenario is named FAMILY/NAME, by letters, digits, dot, - and _", name)
	case !ok:
		return fmt.Errorf("there is no family %q, there is %s; add [family.%s] with its roots to freeze.toml, or choose one of them",
			family, strings.Join(slices.Sorted(maps.Keys(p.Config.Family)), ", "), family)
	case len(first.Args) == 0 && len(p.Config.Subject.VersionArgs) == 0:
		return fmt.Errorf("say behind -- what a user does, as in freeze new %s -- ARG: %s has no version_args, so that nothing is known that it prints", name, p.Config.Subject.Name)
	}
	subject := p.Config.Subject
	reader := path.Join(p.Config.Read.Scripts, family+".txtar")
	if first.View == "" && len(first.Args) > 0 && p.Config.Read.Scripts != "" {
		// Without the view, the family's reader script would fail on it.
		if script, err := os.ReadFile(path.Join(p.Config.Dir, reader)); err == nil {
			first.View = skeleton.Asked(script, subject.Name)
		}
	}
	text := skeleton.Scenario(subject.Name, first, subject.VersionArgs, known.Roots[0])
	files := []skeleton.File{{Path: path.Join("fixtures", "scenarios", family, short+".txtar"), Text: text}}
	if err := skeleton.Free(p.Config.Dir, files); err != nil {
		return err
	}
	if first.View != "" && p.Config.Read.Scripts != "" {
		without, err := withoutView(path.Join(p.Config.Dir, "fixtures", "scenarios", family))
		if err != nil {
			return err
		}
		script := skeleton.File{Path: reader, Text: skeleton.Reader(family, subject.Name, first.View, without...)}
		if skeleton.Free(p.Config.Dir, []skeleton.File{script}) == nil { // the family may have one
			files = append(files, script)
		}
	}
	if err := skeleton.Write(p.Config.Dir, files); err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.stdout, begun{Program: subject.Name, Files: paths(files)})
	}
	for _, f := range files {
		fmt.Fprintf(a.stdout, "wrote %s\n", f.Path)
	}
	if a.quiet {
		return nil
	}
	if p.Config.Provider.Kind == config.Git {
		fmt.Fprintln(a.stdout, "next: freeze --dry-run HEAD    tries it with today's code")
	}
	if newest, ok := p.Ledger.Newest(); ok {
		fmt.Fprintf(a.stdout, "next: freeze --all             adds it to every release; it is not for those before %s, say, if a comment at its top is # since: %s\n", newest.Version, newest.Version)
	}
	return nil
}

// withoutView are the scenarios of a folder that keep no view for a reader
// script to compare.
func withoutView(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var without []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if !skeleton.HasView(text) {
			without = append(without, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		}
	}
	return without, nil
}
