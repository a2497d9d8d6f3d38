package skeleton

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// attributes keep frozen bytes what they are in every clone.
const attributes = "*/v*/** -text -filter -ident -working-tree-encoding\n"

func (d *Draft) toml() string {
	var b strings.Builder
	b.WriteString("[subject]\nname = " + quote(d.Name) + "\n")
	if len(d.VersionArgs) == 0 {
		fmt.Fprintf(&b, "# The arguments at which %s prints its version, so that no other is frozen under\n# a release's name. None were found.\n", d.Name)
	}
	b.WriteString("version_args = " + array(d.VersionArgs) + "\n\n")
	b.WriteString("[provider]\nkind = \"git\"\n")
	if len(d.Toolchain) > 0 {
		b.WriteString("toolchain = " + array(d.Toolchain) + "\n")
	}
	b.WriteString("build = " + array(d.Build) + "\n")
	if len(d.BuildEnv) > 0 {
		b.WriteString("env = " + table(d.BuildEnv) + "\n")
	}
	b.WriteString("\n[box]\n# Programs of this machine that " + d.Name + " or a scenario runs.\ntools = " + array(d.Tools) + "\n")
	if len(d.BoxEnv) > 0 {
		b.WriteString("env = " + table(d.BoxEnv) + "\n")
	}
	b.WriteString("\n# All that is written below HOME, the XDG folders and the project. Name the\n# folders that hold state where that is too much.\n[family." + Family + "]\nroots = [\"{home}\", \"{project}\"]\n")
	b.WriteString("\n[read]\nscripts = " + quote(readers) + "\n")
	return b.String()
}

// Scenario is a scenario of what a user does first. Where nobody knows, what
// the program says at the arguments said is kept in a file of root, a folder
// that is captured, as freeze.toml has it.
func Scenario(program string, first First, said []string, root string) string {
	var b strings.Builder
	if len(first.Args) > 0 {
		fmt.Fprintf(&b, "# What a user does with %s, and what it leaves behind.\nexec %s\n", program, words(append([]string{program}, first.Args...)))
	} else {
		fmt.Fprintf(&b, `# Nobody said yet what a user does with %s: write it in place of these lines,
# one command a line.
exec %s
%s
`, program, words(append([]string{program}, said...)), keepIn(root))
	}
	if first.View != "" {
		fmt.Fprintf(&b, "# What it says about that, for reader scripts to compare with.\nview %s %s %s\n", Family, program, first.View)
	}
	return b.String()
}

// keepIn are the commands that keep what was printed in a folder.
func keepIn(root string) string {
	if root == "{project}" {
		return "cp stdout said.txt"
	}
	place, rest, _ := strings.Cut(root, "/")
	folder := map[string]string{"{home}": "$HOME", "{project}": "."}[place]
	if rest != "" {
		folder += "/" + words([]string{rest})
	}
	return fmt.Sprintf("mkdir %s\ncp stdout %s/said.txt", folder, folder)
}

// Reader is a reader script that compares the view of Scenario, for all
// scenarios of a family but those without it.
func Reader(family, program, view string, without ...string) string {
	header := "# family: " + family + "\n"
	if len(without) > 0 {
		header += "# scenario: !" + strings.Join(without, " !") + "\n"
	}
	return fmt.Sprintf("%s# What every release left is read back.\nread %s %s %s\n", header, Family, program, view)
}

// Asked are the arguments at which a reader script, of those that Reader
// writes, asks the program for the view of Scenario.
func Asked(script []byte, program string) string {
	m := regexp.MustCompile(`(?m)^read ` + Family + ` ` + regexp.QuoteMeta(program) + ` (.+)$`).FindSubmatch(script)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// HasView tells whether the text of a scenario has the view of Scenario.
func HasView(text []byte) bool {
	return regexp.MustCompile(`(?m)^(?:\[[^]]*\] *)?view ` + Family + ` `).Match(text)
}

func (d *Draft) job(first First, freeze string) string {
	read := ""
	if first.View != "" {
		read = "      - run: freeze read\n"
	}
	return `name: freeze
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  freeze:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # releases are built from their commits
      - uses: actions/setup-go@v5
        with:
          go-version: stable
` + d.Setup + `      - run: go install github.com/freeze-contracts/permafrost/cmd/freeze@` + freeze + `
      - run: freeze check
      - run: freeze --all
      - run: freeze --dry-run HEAD
` + read
}

// words are the words of a command as a script has them.
func words(args []string) string {
	var all []string
	for _, a := range args {
		if a == "" || regexp.MustCompile(`[^A-Za-z0-9_./:=@%+,-]`).MatchString(a) {
			a = "'" + strings.ReplaceAll(a, "'", "''") + "'"
		}
		all = append(all, a)
	}
	return strings.Join(all, " ")
}

// control is what no string of TOML holds as it is.
var control = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)

// quote writes a string of TOML: several lines as they are, where that can be.
func quote(s string) string {
	if strings.Contains(s, "\n") && !strings.Contains(s, "'''") && !control.MatchString(s) {
		return "'''\n" + s + "'''"
	}
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err) // what is no UTF-8 was refused
	}
	return strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)
}

func array(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, quote(w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func table(m map[string]string) string {
	var pairs []string
	for _, name := range sorted(m) {
		pairs = append(pairs, name+" = "+quote(m[name]))
	}
	return "{ " + strings.Join(pairs, ", ") + " }"
}
