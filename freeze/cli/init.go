package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/freeze/skeleton"
)

type initOptions struct {
	name, command string
	first         skeleton.First
}

func (a *app) initCommand() *cobra.Command {
	var opts initOptions
	cmd := &cobra.Command{
		Use:   "init [--name PROGRAM] [--command CMD] [--view ARGS] [-- ARG...]",
		Short: "write a freeze.toml, a first scenario and a CI job for the project in this folder",
		Long: `init recognises a Go module with commands, a Cargo package, a Python project or
an npm package with programs, or takes a command that builds the program. It
builds the program from HEAD, asks it in a box how it says its version, and does
there what a user does first: the words after --. It then writes freeze.toml, a
scenario that keeps all that the program leaves below HOME, the XDG folders and
the project, a reader script by --view, git's attributes of the fixtures, and a
CI job. Without --view it tries list, show, status and the like, and takes one
that answers because of what was done. It overwrites nothing.`,
		Example: `  freeze init -- add 'buy milk'                    the first scenario: what a user does first
  freeze init --view 'list --json' -- add milk     and how the program says what it keeps
  freeze init --name note --command 'install note.sh "{bin}/note"' -- add milk`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
				return usagef("%q: what a user does with the program goes behind --, as in freeze init -- %s", args[0], strings.Join(args, " "))
			}
			opts.first.Args = args
			return a.init(interruptible(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.name, "name", "", "the `PROGRAM`, where the project has several")
	flags.StringVar(&opts.command, "command", "", "the shell `CMD` that builds the program and leaves it in \"{bin}\"")
	flags.StringVar(&opts.first.View, "view", "", "the `ARGS` at which the program says what it keeps, for a reader script")
	return cmd
}

func (a *app) init(ctx context.Context, opts initOptions) error {
	if a.configFile != "" {
		return usagef("--config names a freeze.toml that is there; init writes one in this folder")
	}
	if opts.first.View != "" && len(opts.first.Args) == 0 {
		return usagef("--view says what the program keeps: say behind -- what a user does before")
	}
	if err := opts.first.Check(); err != nil {
		return usageError{err}
	}
	dir, err := workTree()
	if err != nil {
		return err
	}
	draft, err := opts.draft(dir)
	if err != nil {
		return err
	}
	free := opts.first
	free.View = "unknown yet" // the reader script may come to be written
	if err := skeleton.Free(dir, draft.Files(free, "")); err != nil {
		return err
	}
	cache, err := a.cacheDir()
	if err != nil {
		return err
	}
	a.tell("%s with the program %s: building HEAD, to try it in a box", draft.What, draft.Name)
	if err := draft.Try(ctx, dir, &opts.first, a.env, cache, io.Discard); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	files := draft.Files(opts.first, installed())
	if err := skeleton.Write(dir, files); err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.stdout, begun{Program: draft.Name, Version: draft.Version, Files: paths(files)})
	}
	for _, f := range files {
		fmt.Fprintf(a.stdout, "wrote %s\n", f.Path)
	}
	a.next(dir, draft, opts.first, files)
	return nil
}

// begun is the shape of freeze init --json and freeze new --json.
type begun struct {
	Program string   `json:"program"`
	Version string   `json:"version,omitempty"` // that HEAD says
	Files   []string `json:"files"`
}

func paths(files []skeleton.File) []string {
	var all []string
	for _, f := range files {
		all = append(all, f.Path)
	}
	return all
}

func (o initOptions) draft(dir string) (*skeleton.Draft, error) {
	if o.command == "" {
		return skeleton.Recognise(dir, o.name)
	}
	name := o.name
	if name == "" {
		name = filepath.Base(dir)
	}
	return skeleton.Command(name, o.command)
}

// tell says on standard error what is being done.
func (a *app) tell(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

// next says what there is to do now.
func (a *app) next(dir string, d *skeleton.Draft, first skeleton.First, files []skeleton.File) {
	if a.quiet {
		return
	}
	scenario := "fixtures/scenarios/" + skeleton.Family + "/first.txtar"
	if d.Version == "" {
		fmt.Fprintf(a.stdout, "%s said its version at none of --version, version, -version, -V: if it can, say how in version_args\n", d.Name)
	}
	if len(first.Args) == 0 {
		fmt.Fprintf(a.stdout, "nobody said what a user does with %s, so that little is kept yet: write it into %s first; freeze new %s/NAME --view ARGS -- ARG writes a scenario and a reader script\n", d.Name, scenario, skeleton.Family)
	}
	if len(first.Args) > 0 && first.View == "" {
		fmt.Fprintf(a.stdout, "there is no reader script, since %s said at no usual word what it keeps: init --view ARGS writes one\n", d.Name)
	}
	tag := newestTag(dir)
	fmt.Fprintln(a.stdout, "next:")
	switch {
	case tag != "":
		fmt.Fprintf(a.stdout, "  freeze %-20s freezes the release; a value that differs from box to box is named, to be declared\n", tag)
	case d.Version != "":
		fmt.Fprintf(a.stdout, "  git tag %s && freeze %s    freezes a release: its commit has a tag\n", d.Version, d.Version)
	default:
		fmt.Fprintln(a.stdout, "  git tag v0.1.0 && freeze v0.1.0    freezes a release: its commit has a tag")
	}
	var tops []string
	for _, path := range paths(files) {
		top, _, _ := strings.Cut(path, "/")
		tops = append(tops, top)
	}
	slices.Sort(tops)
	fmt.Fprintf(a.stdout, "  git add %s && git commit    keeps it\n", strings.Join(slices.Compact(tops), " "))
}

// workTree is this folder, which has to be the top of a git work tree: commits
// are what releases are built from.
func workTree() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	top, err := git(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("releases are built from commits, and git sees no work tree in %q: %w; where there is none, git init, and commit the project", dir, err)
	}
	here, err := filepath.EvalSymlinks(dir)
	if err == nil && here != top {
		err = fmt.Errorf("%q is not the top of its git work tree: go to %q", dir, top)
	}
	if err != nil {
		return "", err
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return "", errors.New("there is no commit yet, and the program is built from one; commit the project first")
	}
	return dir, nil
}

// newestTag is the newest version that is a tag of what leads to HEAD.
func newestTag(dir string) string {
	all := tags(dir, "--merged", "HEAD")
	if len(all) == 0 {
		return ""
	}
	return slices.MaxFunc(all, semver.Compare)
}

// tags are the tags of a repository that are versions.
func tags(dir string, which ...string) []string {
	list, err := git(dir, append([]string{"tag", "--list", "v*"}, which...)...)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(list), func(tag string) bool { return semver.Canonical(tag) != tag })
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		err = errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	// No more: a folder may end in a blank.
	return strings.TrimSuffix(string(out), "\n"), err
}

// installed is the version of freeze that a CI job installs: this one, if it
// is a release.
func installed() string {
	if v := version(); semver.IsValid(v) && semver.Prerelease(v) == "" {
		return v
	}
	return "latest"
}
