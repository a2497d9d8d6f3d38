// Package cli is the freeze command: arguments, progress, messages and exit
// codes. What a command does is in the packages that it calls.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/internal/plain"
	"github.com/freeze-contracts/permafrost/sandbox"
)

// Exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1 // for diff: the releases differ
	exitUsage  = 2 // wrong usage or a wrong freeze.toml; for diff: any error
	exitHeld   = 3 // something could not be proved stopped, so nothing was removed
)

// Main runs freeze with the given arguments, environment and standard streams,
// and returns its exit code.
func Main(args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: env, stdin: stdin, stdout: &answer{to: stdout}, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.stdout)
	root.SetErr(stderr)
	err := a.stdout.failed(root.Execute())
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errSaid) {
		complain(stderr, err.Error())
	}
	return exitCode(err)
}

// complain says what went wrong. What programs printed is part of that.
func complain(stderr io.Writer, what string) { fmt.Fprintln(stderr, "freeze: "+plain.Lines(what)) }

// app is one call of freeze.
type app struct {
	env    []string
	stdin  io.Reader
	stdout *answer
	stderr io.Writer

	configFile  string
	json, quiet bool
}

// interruptible is a context that ends with Ctrl-C, for a command that has
// something to take down or to tell then. Any other is ended by the signal.
func interruptible() context.Context {
	// Until the end of the process: there is nothing to put back.
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return ctx
}

// usageError is a call that cannot be meant: exit 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errSaid ends a command whose report has said already what failed.
var errSaid = errors.New("said in the report")

func exitCode(err error) int {
	var held *sandbox.HeldError
	var usage usageError
	switch {
	case errors.As(err, &held):
		return exitHeld
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitFailed
}

func (a *app) root() *cobra.Command {
	root := a.freezeCommand()
	root.Version = version()
	root.SetVersionTemplate("freeze {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	flags := root.PersistentFlags()
	flags.StringVar(&a.configFile, "config", "", "use this `FILE` instead of the freeze.toml of this folder or its repository")
	flags.BoolVar(&a.json, "json", false, "print the result as JSON on standard output")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress, only what went wrong")
	root.AddCommand(a.initCommand(), a.newCommand(), a.checkCommand(), a.diffCommand(), a.readCommand(), a.mutateCommand(), a.mergeCommand(), a.reportCommand(), a.listCommand(), a.shellCommand(), a.doctorCommand(), a.reapCommand(), a.completionCommand())
	if err := root.MarkPersistentFlagFilename("config", "toml"); err != nil {
		panic(err) // there is no such flag
	}
	a.complete(root, wordsOf())
	return root
}

// version is that of the module this binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// configPath is the freeze.toml of this call.
func (a *app) configPath() (string, error) {
	if a.configFile != "" {
		return a.configFile, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return config.Find(dir)
}

// project opens the project of this call.
func (a *app) project() (*cut.Project, error) {
	file, err := a.configPath()
	if err != nil {
		return nil, err
	}
	cache, err := a.cacheDir()
	if err != nil {
		return nil, err
	}
	p, err := cut.Open(file, a.env, cache)
	var wrong *config.Error // also of a wrong ledger, which is no usage
	if errors.As(err, &wrong) && wrong.File == file {
		return nil, usageError{err}
	}
	return p, err
}

// cacheDir is where builds are kept: PERMAFROST_CACHE, or permafrost in the
// user's cache folder.
func (a *app) cacheDir() (string, error) {
	if dir := a.getenv("PERMAFROST_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := a.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "permafrost"), nil
	}
	home := a.getenv("HOME")
	if home == "" {
		return "", errors.New("neither HOME nor PERMAFROST_CACHE is set, so there is no place to keep builds; set one")
	}
	return filepath.Join(home, ".cache", "permafrost"), nil
}

// getenv returns the last value of a variable in the environment of this call.
func (a *app) getenv(name string) string {
	for _, e := range slices.Backward(a.env) {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v
		}
	}
	return ""
}
