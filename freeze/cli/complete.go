package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/cut"
	"github.com/freeze-contracts/permafrost/freeze/read"
)

// source lists what a word can be, each with a tab and what it is behind it, or
// without. Outside of a project p is nil.
type source func(p *cut.Project) []string

// words are those that a command or a flag takes, of one source: a command at
// most so many.
type words struct {
	most int
	of   source
	more cobra.ShellCompDirective
}

const (
	many = 1 << 10
	head = "HEAD\ttoday's code"
	this = read.This + "\ttoday's program"
)

// wordsOf are the words of commands and of flags. What has none completes to
// nothing, and to no file either.
func wordsOf() map[string]words {
	formats := words{many, one("text", "json", "markdown"), 0}
	return map[string]words{
		"freeze":                 {many, versions("tag, to be cut"), 0},
		"freeze --dry-run":       {many, one(head), 0},
		"freeze diff":            {2, versions(""), 0},
		"freeze diff --format":   formats,
		"freeze read --with":     {many, both(one(this), versions("")), 0},
		"freeze read --format":   formats,
		"freeze report --format": {many, one("html", "json", "markdown"), 0},
		"freeze shell":           {1, both(versions("tag"), one(head)), 0},
		"freeze new":             {1, families, cobra.ShellCompDirectiveNoSpace},
	}
}

func one(words ...string) source { return func(*cut.Project) []string { return words } }

func both(a, b source) source {
	return func(p *cut.Project) []string { return slices.Concat(a(p), b(p)) }
}

// versions are the releases of the ledger, the newest first, and where tag says
// what they are, the tags that are none yet.
func versions(tag string) source {
	return func(p *cut.Project) []string {
		if p == nil {
			return nil
		}
		all := map[string]string{}
		if tag != "" && p.Config.Provider.Kind == config.Git {
			for _, t := range tags(p.Config.Dir) {
				all[t] = tag
			}
		}
		for _, r := range p.Ledger.Releases {
			all[r.Version] = "frozen " + r.Date
		}
		var list []string
		for _, v := range slices.Backward(slices.SortedFunc(maps.Keys(all), semver.Compare)) {
			list = append(list, v+"\t"+all[v])
		}
		return list
	}
}

func families(p *cut.Project) []string {
	if p == nil {
		return nil
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.Config.Family)) {
		list = append(list, name+"/\tits roots are "+strings.Join(p.Config.Family[name].Roots, ", "))
	}
	return list
}

// complete has a shell complete the words of cmd and of the commands below it.
func (a *app) complete(cmd *cobra.Command, all map[string]words) {
	name := cmd.CommandPath()
	if cmd.ValidArgs == nil && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = a.offer(all[name])
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" {
			return // it takes no value
		}
		if _, file := f.Annotations[cobra.BashCompFilenameExt]; file {
			return // it takes a file
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, a.offer(all[name+" --"+f.Name])); err != nil {
			panic(err) // only a flag that has a function already
		}
	})
	for _, sub := range cmd.Commands() {
		a.complete(sub, all)
	}
}

func (a *app) offer(w words) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		if w.of == nil || len(given) >= w.most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		p, err := a.project()
		if err != nil {
			p = nil // nobody is there to be told why
		}
		var list []string
		for _, word := range w.of(p) {
			text, _, _ := strings.Cut(word, "\t")
			if strings.HasPrefix(text, begun) && !slices.Contains(given, text) {
				list = append(list, word)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder | w.more
	}
}
