package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/fixture"
	"github.com/freeze-contracts/permafrost/freeze/tree"
	"github.com/freeze-contracts/permafrost/sandbox"
	"github.com/freeze-contracts/permafrost/sandbox/script"
	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/txtar"
)

// limit is how long a script may take where Spec does not say.
const limit = 2 * time.Minute

// Spec is one run to make.
type Spec struct {
	Scenario *Scenario
	// Version is the release to freeze, or Head.
	Version string
	// Roots are the family's folders, relative to the box: home/.local/state/x.
	Roots []string
	// Builds are folders with the programs of a release, by version: Version
	// itself and every one of Scenario.UsesFor(Version).
	Builds map[string]string
	// Box is the box but for its CLI, which is Builds[Version].
	Box sandbox.Config
	// Limit ends a script that does not end by itself. 0 means 2 minutes.
	Limit time.Duration
}

// Result is what a run left behind.
type Result struct {
	Run       binding.Run // its entries: the roots, what was kept, and the views
	Faults    []fixture.FaultRecord
	Witnesses []fixture.Witness // they hold in Run
	Views     []fixture.View
	// Tripwires are sockets of tmux servers that were started around the box's
	// own tmux: the subject called it by its absolute path.
	Tripwires []string
	// Notes say what a maintainer should know: the tripwires, what was written
	// outside of the roots, where it is not part of what is frozen, and that
	// the box's pids could not be told from another box's.
	Notes []string
}

// Run plays a scenario in a box of its own, proves the box empty, captures
// what is there, and removes the box. The box is proved and removed also when
// the script fails; where the proof fails nothing is removed, and the error
// holds the *sandbox.HeldError.
func Run(ctx context.Context, spec Spec) (*Result, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	cfg := spec.Box
	cfg.CLI = spec.Builds[spec.Version]
	from := time.Now()
	box, err := sandbox.Start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Scenario.File, err)
	}
	played, err := spec.play(ctx, box)
	// The proof is owed also where ctx has ended.
	if held := box.Stop(context.WithoutCancel(ctx)); held != nil {
		return nil, errors.Join(err, held)
	}
	to := time.Now()
	var res *Result
	if err == nil {
		res, err = spec.collect(box, played)
	}
	if err := errors.Join(err, box.Remove()); err != nil {
		return nil, err
	}
	res.Run.From, res.Run.To = from, to
	return res, nil
}

func (spec Spec) check() error {
	s := spec.Scenario
	if !s.For(spec.Version) {
		return fmt.Errorf("%s: is not for %s (since %q, until %q)", s.File, spec.Version, s.Since, s.Until)
	}
	if len(spec.Roots) == 0 {
		return fmt.Errorf("%s: the family %q has no roots", s.File, s.Family)
	}
	for _, l := range s.inEffect(spec.Version) {
		if v, ok := otherRelease(l); ok && Compare(v, spec.Version) > 0 {
			return s.at(l.N, "use %s: is newer than %s, which is being frozen", v, spec.Version)
		}
	}
	for _, v := range append(s.UsesFor(spec.Version), spec.Version) {
		if spec.Builds[v] == "" {
			return fmt.Errorf("%s: no build of %s", s.File, v)
		}
	}
	return nil
}

func (spec Spec) play(ctx context.Context, box *sandbox.Box) (*script.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(spec.Limit, limit))
	defer cancel()
	in, err := json.Marshal(orders{Version: spec.Version, Tmux: spec.Box.Tmux, Builds: spec.Builds})
	if err != nil {
		return nil, err
	}
	s := spec.Scenario
	return script.Run(ctx, box, roleName, s.File, txtar.Format(s.Archive), string(in))
}

// collect reads what the box holds now that nothing runs in it any more.
func (spec Spec) collect(box *sandbox.Box, played *script.Result) (*Result, error) {
	var rec record
	if err := json.Unmarshal(played.Record, &rec); err != nil {
		return nil, fmt.Errorf("%s: the runner's record: %w", spec.Scenario.File, err)
	}
	roots := outermost(append(slices.Clone(spec.Roots), rec.Keeps...))
	notes, err := spec.effect(box, rec.Before, roots)
	if err != nil {
		return nil, err
	}
	entries, err := tree.Walk(box.Root(), roots)
	if err != nil {
		return nil, err
	}
	entries = append(entries, rec.Kept...)
	slices.SortFunc(entries, func(a, b tree.Entry) int { return cmp.Compare(a.Path, b.Path) })
	if err := spec.witnessed(rec.Witnesses, entries); err != nil {
		return nil, err
	}
	faults, err := faultRecords(box, played.Faults)
	if err != nil {
		return nil, err
	}
	wires, err := box.Tripwires()
	if err != nil {
		return nil, err
	}
	for _, w := range wires {
		notes = append(notes, fmt.Sprintf("%s: the machine's tmux was called around the box's own", w))
	}
	// Without a namespace the pids are the machine's, and apart by themselves.
	if spec.Box.FirstPID != box.FirstPID() && box.Namespace() != "" {
		notes = append(notes, "pids: this machine numbers the processes of every box alike, so that one that is persisted passes for a constant")
	}
	return &Result{
		Run:       binding.Run{Root: box.Root(), Entries: entries, Known: known()},
		Faults:    faults,
		Witnesses: rec.Witnesses,
		Views:     rec.Views,
		Tripwires: wires,
		Notes:     notes,
	}, nil
}

// effect requires that something changed below the roots since the archive was
// unpacked, and notes what did elsewhere.
func (spec Spec) effect(box *sandbox.Box, before snapshot, roots []string) (notes []string, err error) {
	after, err := look(box.Root())
	if err != nil {
		return nil, err
	}
	changed := false
	var crumbs []string
	for _, p := range before.changed(after) {
		switch {
		case within(p, roots):
			changed = true
		case !leadsTo(p, roots) && !within(p, crumbs):
			crumbs = append(crumbs, p)
			notes = append(notes, p+": was written, and is outside of what is frozen")
		}
	}
	if !changed {
		return nil, fmt.Errorf("%s: has no effect: nothing changed below %s", spec.Scenario.File, strings.Join(roots, ", "))
	}
	return notes, nil
}

// witnessed checks each witness, and tells the line of one that does not hold.
func (spec Spec) witnessed(ws []fixture.Witness, entries []tree.Entry) error {
	var at []script.Line
	for _, l := range spec.Scenario.lines {
		if l.Command() == "witness" && spec.plays(l) {
			at = append(at, l)
		}
	}
	for i, w := range ws {
		if err := w.Check(entries); err != nil {
			return spec.Scenario.at(at[i].N, "%s: %w", at[i].Text, err)
		}
	}
	return nil
}

// plays reports whether the runner inside played the line.
func (spec Spec) plays(l script.Line) bool {
	for _, c := range l.Conds {
		if ok, err := (where{spec.Version, spec.Box.Tmux}).holds(c.Name); err != nil || ok == c.Neg {
			return false
		}
	}
	return true
}

// faultRecords joins the declared faults with what the box says about them.
func faultRecords(box *sandbox.Box, declared []sandbox.Fault) ([]fixture.FaultRecord, error) {
	firings, err := box.Firings()
	if err != nil {
		return nil, err
	}
	var recs []fixture.FaultRecord
	for _, f := range declared {
		r := fixture.FaultRecord{Program: f.Program, Stdin: f.Stdin, Pattern: f.Pattern, Action: string(f.Action), Count: f.Count}
		for _, g := range firings {
			if g.Fault == f.ID {
				command := strings.ReplaceAll(g.Command, box.Root()+"/", "") // bin/jot, wherever the box was
				r.Fired = append(r.Fired, fixture.Firing{PID: g.PID, Command: command, Signal: g.Signal})
			}
		}
		recs = append(recs, r)
	}
	return recs, nil
}
