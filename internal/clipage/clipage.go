// Package clipage writes the reference pages on the commands of a program from
// the commands themselves. It knows no program.
package clipage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// Commands lists a command and all below it, the help command and the flags
// that cobra adds among them.
func Commands(root *cobra.Command) []*cobra.Command {
	root.InitDefaultHelpCmd()
	all := commands(root)
	for _, cmd := range all {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
	}
	return all
}

func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, commands(sub)...)
	}
	return all
}

// pages are those on a command and all below it, by the names of their files.
// Each ends with a footer.
func pages(root *cobra.Command, footer string) map[string]string {
	all := make(map[string]string)
	for _, cmd := range Commands(root) {
		all[file(cmd)] = page(cmd, footer)
	}
	return all
}

// Check holds the pages on a program in a folder against those that its commands
// make, in both directions, or writes them anew.
func Check(t *testing.T, dir string, root *cobra.Command, footer string, update bool) {
	t.Helper()
	want := pages(root, footer)
	names, err := filepath.Glob(filepath.Join(dir, root.Name()+"*.md"))
	require.NoError(t, err)
	if update {
		for _, name := range names {
			require.NoError(t, os.Remove(name))
		}
		names = nil
		for name, text := range want {
			names = append(names, filepath.Join(dir, name))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
	}
	got := make(map[string]string)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		got[filepath.Base(name)] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got): go test -run TestReference -update writes it\n%s", dir, diff)
	}
}

func file(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".md" }

func page(cmd *cobra.Command, footer string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n```\n%s\n```\n", cmd.CommandPath(), strings.ToUpper(cmd.Short[:1])+cmd.Short[1:], cmd.UseLine())
	if cmd.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(cmd.Long))
	}
	if cmd.Example != "" {
		b.WriteString("\n## Examples\n\n```sh\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		b.WriteString("\n```\n")
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n## Commands\n\n| command | what it does |\n| --- | --- |\n")
		for _, sub := range cmd.Commands() {
			fmt.Fprintf(&b, "| [%s](%s) | %s |\n", sub.Name(), file(sub), sub.Short)
		}
	}
	b.WriteString("\n## Flags\n\n| flag | what it does |\n| --- | --- |\n")
	Flags(cmd).VisitAll(func(f *pflag.Flag) { b.WriteString(row(f)) })
	return b.String() + "\n" + footer + "\n"
}

func row(f *pflag.Flag) string {
	value, says := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	switch {
	case value != "" && f.NoOptDefVal != "":
		name += "[=" + value + "]"
	case value != "":
		name += " " + value
	}
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch f.DefValue {
	case "", "false", "[]", "0", "0s": // what 0 is says the flag itself
	default:
		says += ", " + f.DefValue + " if it is not given"
	}
	return fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(says, "|", `\|`))
}

// Flags are those that a command takes, inherited ones too.
func Flags(cmd *cobra.Command) *pflag.FlagSet {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.AddFlagSet(cmd.LocalFlags())
	all.AddFlagSet(cmd.InheritedFlags())
	return all
}
