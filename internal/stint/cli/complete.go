package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/internal/stint/text"
	"github.com/freeze-contracts/permafrost/readers/artifact"
	talk "github.com/freeze-contracts/permafrost/readers/conversation"
	config "github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"github.com/spf13/cobra"
)

// source lists what a word can be, each with a tab and what it is about behind
// it, or without. Outside of a project there is no runner.
type source func(r *runner.Runner) []string

// sources are what can stand behind a command, and behind a flag of it.
func sources() map[string]source {
	open, unclosed := sessions(doc.Open), sessions(slices.DeleteFunc(doc.States(), func(s doc.State) bool { return s == doc.Closed })...)
	decidable := runs(artifact.Pending, artifact.Interrupted)
	return map[string]source{
		"init --harness":              harnesses,
		"session open":                harnesses,
		"session open --work-item":    purposes(func(d *doc.Document) string { return d.WorkItem }, doc.States()...),
		"session open --standing":     purposes(func(d *doc.Document) string { return d.Standing }, doc.States()...),
		"session list --state":        some(doc.States()),
		"session show":                sessions(doc.States()...),
		"session attach":              open,
		"session checkpoint":          unclosed,
		"session close":               unclosed,
		"session close --discard":     some(runner.Kinds()),
		"session recover":             sessions(doc.Creating, doc.Closing, doc.RecoveryRequired),
		"session restart":             open,
		"session restart --work-item": purposes(func(d *doc.Document) string { return d.WorkItem }, doc.Open),
		"run":                         harnesses,
		"run --discard":               some(runner.Kinds()),
		"continue":                    conversations(true, talk.Open),
		"continue --discard":          some(runner.Kinds()),
		"runs list --state":           some(artifact.States()),
		"runs list --session":         sessions(doc.States()...),
		"runs show":                   runs(artifact.States()...),
		"runs diff":                   runs(artifact.States()...),
		"runs apply":                  decidable,
		"runs discard":                decidable,
		"runs recover":                runs(artifact.Running, artifact.Interrupted),
		"runs recover --discard":      some(runner.Kinds()),
		"conversations show":          conversations(false, talk.Open, talk.Closed),
		"conversations close":         conversations(false, talk.Open),
	}
}

// complete has a shell complete the words of cmd and of the commands below it.
// Where there is no source there is nothing to be completed, and no file.
func (a *app) complete(cmd *cobra.Command, all map[string]source) {
	name := strings.TrimPrefix(cmd.CommandPath(), "stint ")
	if cmd.ValidArgs == nil && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 && name != "session restart" {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.offer(all[name], begun, args)
		}
	}
	for key, of := range all {
		flag, ok := strings.CutPrefix(key, name+" --")
		if !ok {
			continue
		}
		err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return a.offer(of, begun, nil)
		})
		if err != nil {
			panic(err) // There is no such flag.
		}
	}
	for _, sub := range cmd.Commands() {
		a.complete(sub, all)
	}
}

// offer is what a word that was begun can be, the last one of a list with
// commas, without those that were given.
func (a *app) offer(of source, begun string, given []string) ([]string, cobra.ShellCompDirective) {
	if of == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	r, err := a.look()
	if err == nil {
		defer r.Close()
	}
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	given = append(given, strings.Split(before, ",")...)
	var words []string
	for _, word := range of(r) {
		id, _, _ := strings.Cut(word, "\t")
		if strings.HasPrefix(before+id, begun) && !slices.Contains(given, id) {
			words = append(words, before+word)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// look is the project of the current folder, for reading, and nil outside of
// one.
func (a *app) look() (*runner.Runner, error) {
	dir, err := here()
	if err != nil {
		return nil, err
	}
	p, err := project.Locate(context.Background(), a.env, dir)
	if err != nil {
		return nil, err
	}
	return runner.New(p, a.env, time.Now)
}

func some[T ~string](values []T) source {
	return func(*runner.Runner) []string {
		var words []string
		for _, v := range values {
			words = append(words, string(v))
		}
		return words
	}
}

func harnesses(r *runner.Runner) []string {
	if r == nil {
		r = &runner.Runner{Project: &project.Project{Config: new(config.Config)}}
	}
	return r.Harnesses()
}

// each is a word for each document, but for those of which it is empty.
func each[T any](list func(r *runner.Runner) ([]T, []document.Skipped, error), word func(T) string) source {
	return func(r *runner.Runner) []string {
		if r == nil {
			return nil
		}
		all, _, _ := list(r) // There is nobody to be told what does not read.
		var words []string
		for _, one := range all {
			if w := word(one); w != "" && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
		return words
	}
}

func sessionsOf(r *runner.Runner) ([]*doc.Document, []document.Skipped, error) {
	return r.Sessions.Documents()
}

func sessions(states ...doc.State) source {
	return each(sessionsOf, func(d *doc.Document) string {
		if !slices.Contains(states, d.State) {
			return ""
		}
		return d.ID + "\t" + strings.TrimSuffix(text.Plain(d.Harness)+", "+string(d.State)+", "+text.Purpose(d), ", -")
	})
}

// purposes lists what sessions in these states are for.
func purposes(of func(d *doc.Document) string, states ...doc.State) source {
	return each(sessionsOf, func(d *doc.Document) string {
		if !slices.Contains(states, d.State) {
			return ""
		}
		return of(d)
	})
}

func runs(states ...artifact.State) source {
	list := func(r *runner.Runner) ([]*artifact.Manifest, []document.Skipped, error) { return r.Runs.Manifests() }
	return each(list, func(m *artifact.Manifest) string {
		if !slices.Contains(states, m.State) {
			return ""
		}
		return m.ID + "\t" + string(m.Kind) + ", " + string(m.State) + ", " + text.Count(len(m.Files), "file")
	})
}

// conversations lists those in these states, and only those that can go on
// without a terminal where that is asked for.
func conversations(continuable bool, states ...talk.State) source {
	list := func(r *runner.Runner) ([]*talk.Document, []document.Skipped, error) {
		return r.Conversations.Documents()
	}
	return each(list, func(c *talk.Document) string {
		if !slices.Contains(states, c.State) || continuable && c.ProviderSession == "" {
			return ""
		}
		return c.ID + "\t" + text.Plain(c.Harness) + ", " + string(c.State) + ", " + text.Count(len(c.Runs), "run")
	})
}
