package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

const docs = "../../../docs"

var update = flag.Bool("update", false, "write docs/cli anew")

// commands lists a command and all below it.
func commands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, commands(sub)...)
	}
	return all
}

func root() *cobra.Command {
	cmd := new(app).root()
	cmd.InitDefaultHelpCmd()
	for _, sub := range commands(cmd) {
		sub.InitDefaultHelpFlag()
		sub.InitDefaultVersionFlag()
	}
	return cmd
}

func file(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".md" }

// page is the reference page on a command.
func page(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n```\n%s\n```\n", cmd.CommandPath(), cmd.Short, cmd.UseLine())
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
	flags(cmd).VisitAll(func(f *pflag.Flag) {
		value, says := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		switch {
		case f.NoOptDefVal == everything:
			name += "[=" + value + "]"
		case value != "":
			name += " " + value
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			says += ", " + f.DefValue + " if it is not given"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.ReplaceAll(says, "|", `\|`))
	})
	b.WriteString("\n[The manual](../stint.md) tells more: exit codes, what is printed as JSON, and what is on disk.\n")
	return b.String()
}

// flags are those that a command takes, inherited ones too.
func flags(cmd *cobra.Command) *pflag.FlagSet {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.AddFlagSet(cmd.LocalFlags())
	all.AddFlagSet(cmd.InheritedFlags())
	return all
}

// The pages of docs/cli are what the commands say of themselves, one of each.
func TestReference(t *testing.T) {
	want := make(map[string]string)
	for _, cmd := range commands(root()) {
		want[file(cmd)] = page(cmd)
	}
	dir := filepath.Join(docs, "cli")
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.Mkdir(dir, 0o755))
		for name, text := range want {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		}
	}
	got := make(map[string]string)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		got[filepath.Base(name)] = string(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/cli (-want +got): go test ./internal/stint/cli -run TestReference -update\n%s", diff)
	}
}

// The manual has a section on each command, which names its flags.
func TestManualNamesAllFlags(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join(docs, "stint.md"))
	require.NoError(t, err)
	sections := strings.Split(string(manual), "\n### `")
	for _, cmd := range commands(root()) {
		if cmd.HasSubCommands() || cmd.Name() == "help" {
			continue
		}
		heading := regexp.MustCompile("^" + cmd.CommandPath() + `\b`)
		i := slices.IndexFunc(sections, heading.MatchString)
		if i < 0 {
			t.Errorf("docs/stint.md has no section on %s", cmd.CommandPath())
			continue
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !regexp.MustCompile("--"+f.Name+`\b`).MatchString(sections[i]) {
				t.Errorf("docs/stint.md: the section on %s does not name --%s", cmd.CommandPath(), f.Name)
			}
		})
	}
}

var (
	code     = regexp.MustCompile("(?ms)^```\\w*\n(.*?)^```$|`([^`\n]+)`")
	call     = regexp.MustCompile(`\bstint +([a-z-].*?)(?:&&|[;"'#]|$)`)
	flagName = regexp.MustCompile(`--[a-z][a-z-]*`)
)

// unknown lists what of a command line is not there: a command, or flags.
func unknown(of *cobra.Command, line string) []string {
	words := strings.Fields(line)
	for of.HasSubCommands() && len(words) > 0 && regexp.MustCompile(`^[a-z]+$`).MatchString(words[0]) {
		i := slices.IndexFunc(of.Commands(), func(sub *cobra.Command) bool { return sub.Name() == words[0] })
		if i < 0 {
			return words[:1]
		}
		of, words = of.Commands()[i], words[1:]
	}
	return slices.DeleteFunc(flagName.FindAllString(strings.Join(words, " "), -1), func(name string) bool {
		return flags(of).Lookup(name[2:]) != nil
	})
}

// The pages name no command and no flag that is not there.
func TestPagesNameWhatIsThere(t *testing.T) {
	cmd := root()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, sub := range commands(cmd) {
		all.AddFlagSet(flags(sub))
	}
	pages, err := filepath.Glob(filepath.Join(docs, "cli", "*.md"))
	require.NoError(t, err)
	calls, readme := 0, filepath.Join(docs, "..", "README.md")
	for _, name := range append(pages, filepath.Join(docs, "stint.md"), readme) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(m[1] + m[2]) {
				for _, found := range call.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
					calls++
					for _, what := range unknown(cmd, found[1]) {
						t.Errorf("%s: %q: there is no %s", name, strings.TrimSpace(line), what)
					}
				}
			}
			// A flag by itself is one of freeze in the README.
			if flag := flagName.FindString(m[2]); name != readme && strings.HasPrefix(m[2], "--") && all.Lookup(flag[2:]) == nil {
				t.Errorf("%s: no command has %s", name, flag)
			}
		}
	}
	require.Greater(t, calls, 100, "command lines on the pages")
}

// The test above finds what is not there.
func TestUnknown(t *testing.T) {
	for line, want := range map[string][]string{
		"session list --all":                nil,
		"session list --json --help":        nil,
		"session lost":                      {"lost"},
		"nosuch":                            {"nosuch"},
		"session close ID --force":          {"--force"},
		"session close ID --discard=KIND,…": nil,
		"continue RUN 'go on' --state x":    {"--state"},
		"--version":                         nil,
		"help session":                      nil,
	} {
		got := unknown(root(), line)
		if diff := cmp.Diff(strings.Join(want, " "), strings.Join(got, " ")); diff != "" {
			t.Errorf("unknown(%q) (-want +got)\n%s", line, diff)
		}
	}
}
