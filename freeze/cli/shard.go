package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/shard"
)

// Commands as parts name them.
const (
	partFreeze    = "freeze"
	partRead      = "read"
	partMutate    = "mutate"
	partGenerated = "mutate --generated"
)

// shardOptions are about doing one part of a run. Without --shard it is all.
type shardOptions struct {
	shard.Shard
	text, file string
	asked      string
}

func (o *shardOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.text, "shard", "", "do this part, `I/N` with I from 0, and leave the rest to others; freeze merge joins them")
	flags.StringVar(&o.file, "part", "", "with --shard: write what was done into `FILE` (default COMMAND-I-of-N.json in this folder)")
	if err := cmd.MarkFlagFilename("part", "json"); err != nil {
		panic(err) // there is no such flag
	}
}

// free are the flags that do not decide what is done.
var free = []string{"shard", "part", "jobs", "json", "quiet", "config"}

// take reads the flags of a call, and refuses what cannot be meant.
func (o *shardOptions) take(cmd *cobra.Command, args []string) (err error) {
	if o.text == "" {
		if o.file != "" || cmd.Flags().Changed("shard") {
			return usagef("--part is what one of several has done; it goes with --shard I/N")
		}
		return nil
	}
	if o.Shard, err = shard.Parse(o.text); err != nil {
		return usagef("--shard %w", err)
	}
	if o.file == "" {
		o.file = fmt.Sprintf("%s-%d-of-%d.json", cmd.Name(), o.I, o.N)
	}
	words := slices.Clone(args)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(free, f.Name) {
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	o.asked = strings.Join(words, " ")
	return nil
}

// state is of what files this run is. What an interrupted run has left in the
// fixtures is finished or taken back first.
func (a *app) state(ctx context.Context, cfg *config.Config) (shard.State, error) {
	note, err := fixture.Recover(filepath.Join(cfg.Dir, "fixtures"))
	if err != nil {
		return shard.State{}, err
	}
	if note != "" && !a.quiet {
		fmt.Fprintln(a.stderr, note)
	}
	untracked := []string{"*.go"}
	for _, dir := range []string{cfg.Read.Scripts, cfg.Mutate.Regressions} {
		if dir != "" {
			untracked = append(untracked, dir)
		}
	}
	return shard.StateOf(ctx, cfg.Dir, a.env, untracked...)
}

// write writes what was done of a plan, in the state that was found before.
// Bytes that a program printed and that are no UTF-8 are replaced.
func (a *app) write(o shardOptions, command string, state shard.State, tools map[string]string, plan []string, done any) error {
	result, err := json.Marshal(done, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return err
	}
	all := map[string]string{"freeze": version()}
	maps.Copy(all, tools)
	part := shard.Part{Command: command, Asked: o.asked, Shard: o.Shard, State: state, Tools: all, Plan: plan, Result: result}
	if err := part.Write(o.file); err != nil {
		return fmt.Errorf("part %s: %w", o.Shard, err)
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "part %s: %d of %d, in %s\n", o.Shard, len(o.Take(plan)), len(plan), filepath.ToSlash(o.file))
	}
	return nil
}

// results are what the parts of a run say they have done.
func results[T any](parts []*shard.Part) ([]*T, error) {
	var all []*T
	for _, p := range parts {
		r := new(T)
		if err := json.Unmarshal(p.Result, r, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("part %s: %w", p.File, err)
		}
		all = append(all, r)
	}
	return all, nil
}
