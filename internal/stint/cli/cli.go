// Package cli is stint's command line: arguments, output as text and as JSON,
// and exit codes. What a command does is in package runner.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/spf13/cobra"
)

// Version is what stint --version says.
const Version = "v0.4.0-dev"

// Exit codes.
const (
	done   = 0
	failed = 1 // refused or failed, with one line on standard error
	usage  = 2 // the command line makes no sense
)

// Main runs one command and returns its exit code.
func Main(args, env []string, stdin *os.File, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{env: env, stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.unknown
	}
	var wrong *usageError
	switch {
	case err == nil:
		return done
	case errors.As(err, &wrong):
		a.note("%s (see stint %s)", text.Error(err), strings.TrimSpace(wrong.command+" --help"))
		return usage
	default:
		a.note("%s", text.Error(err))
		return failed
	}
}

type app struct {
	env            []string
	stdin          *os.File
	stdout, stderr io.Writer
	json           bool
	unknown        error // a command that help was asked of, and that is not there
}

// usageError is a command line that makes no sense.
type usageError struct {
	command string // without the program's name
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }

func misuse(cmd *cobra.Command, err error) error {
	return &usageError{strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "stint"), " "), err}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "stint",
		Short: "Run coding-agent sessions, each in its own git worktree and tmux session",
		Long: `stint runs coding-agent sessions. Each gets a branch, a git worktree and a tmux
session of its own. Its work can be saved as an artifact at any moment, to be
looked at, applied or discarded later, and it is closed without losing any.`,
		Example: `  stint init                       make this repository a project
  stint session open sh            open a session; detach from it by C-b d
  stint session checkpoint ID      save its work as an artifact
  stint session close ID
  stint runs apply RUN             the work, in the main work tree
  stint tui                        all of this on a screen, by keys`,
		Version:           Version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs,
		RunE:              needsCommand,
	}
	root.SetVersionTemplate("stint {{.Version}}\n")
	root.SetFlagErrorFunc(misuse)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON on standard output")
	root.AddCommand(a.init(), a.status(), a.doctor(), a.completion(), a.tui(), a.session(), a.run(), a.continues(), a.runs(), a.conversations())
	root.SetHelpCommand(help(root))
	// Where the name of a command is mistyped, what is above it has the flag.
	helps := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
			a.unknown = needsCommand(cmd, cmd.Flags().Args())
			return
		}
		helps(cmd, args)
	})
	a.complete(root, sources())
	return root
}

// needsCommand is for a command that only has others below it.
func needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misuse(cmd, fmt.Errorf("%s has no command %q", cmd.CommandPath(), args[0]))
	}
	return misuse(cmd, fmt.Errorf("%s needs a command", cmd.CommandPath()))
}

// takes wants arguments of these names, of which those in brackets may be
// missing, and no more.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names) && !strings.HasPrefix(names[len(args)], "["):
			return misuse(cmd, fmt.Errorf("%s needs %s", cmd.CommandPath(), names[len(args)]))
		case len(args) <= len(names):
			return nil
		case cmd.Flags().Changed("discard"):
			return misuse(cmd, fmt.Errorf("%q is one argument too many: kinds follow at once, as in --discard=%[1]s", args[len(names)]))
		}
		return misuse(cmd, fmt.Errorf("%q is one argument too many for %s", args[len(names)], cmd.CommandPath()))
	}
}

// help is cobra's, but for a command that is not there.
func help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, cmd := range of.Commands() {
				if cmd.IsAvailableCommand() {
					names = append(names, cmd.Name()+"\t"+cmd.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return misuse(of, fmt.Errorf("%s has no command %q", of.CommandPath(), rest[0]))
			}
			return of.Help()
		},
	}
}

// list names values that are to choose from.
func list[T ~string](values []T) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return strings.Join(names, ", ")
}

// with runs a command on the project of the current folder.
func (a *app) with(do func(ctx context.Context, r *runner.Runner, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dir, err := here()
		if err != nil {
			return err
		}
		p, err := project.Find(cmd.Context(), a.env, dir)
		if err != nil {
			return err
		}
		// To start an agent is the one thing that is refused without it.
		if p.NoConfig != nil && !slices.Contains([]string{"open", "run", "continue", "restart"}, cmd.Name()) {
			a.note("%s; this is done without it", text.Error(p.NoConfig))
		}
		for _, key := range p.Config.Unknown {
			a.note("%s: key %q means nothing to stint %s and is left alone", "stint.toml", key, Version)
		}
		r, err := runner.New(p, a.env, time.Now)
		if err != nil {
			return err
		}
		defer r.Close()
		return do(cmd.Context(), r, cmd, args)
	}
}

// here is the current folder, which may be one that was removed.
func here() (string, error) {
	dir, err := os.Getwd()
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the current folder is gone: go to the repository and run it again")
	}
	return dir, err
}

// print prints the answer: v as JSON if that was asked for, else text.
func (a *app) print(v any, text func(w io.Writer)) error {
	var answer bytes.Buffer
	if a.json {
		b, err := readers.Encode(v)
		if err != nil {
			return err
		}
		answer.Write(b)
	} else {
		text(&answer)
	}
	_, err := answer.WriteTo(a.stdout)
	return err
}

// note is one line that is not the answer.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.stderr, "stint: "+format+"\n", args...)
}
