package cli

import (
	"flag"
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

	"github.com/freeze-contracts/permafrost/internal/clipage"
)

const docs = "../../../docs"

var update = flag.Bool("update", false, "write docs/cli anew")

func root() *cobra.Command {
	cmd := new(app).root()
	clipage.Commands(cmd) // with what cobra adds
	return cmd
}

const footer = "[The manual](../stint.md) tells more: exit codes, what is printed as JSON, and what is on disk."

// The pages of docs/cli are what the commands say of themselves, one of each.
func TestReference(t *testing.T) {
	clipage.Check(t, filepath.Join(docs, "cli"), root(), footer, *update)
}

// The manual has a section on each command, which names its flags.
func TestManualNamesAllFlags(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join(docs, "stint.md"))
	require.NoError(t, err)
	sections := strings.Split(string(manual), "\n### `")
	for _, cmd := range clipage.Commands(root()) {
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
		return clipage.Flags(of).Lookup(name[2:]) != nil
	})
}

// The pages name no command and no flag that is not there.
func TestPagesNameWhatIsThere(t *testing.T) {
	cmd := root()
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, sub := range clipage.Commands(cmd) {
		all.AddFlagSet(clipage.Flags(sub))
	}
	pages, err := filepath.Glob(filepath.Join(docs, "cli", "stint*.md"))
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
