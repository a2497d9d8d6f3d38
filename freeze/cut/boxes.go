package cut

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freeze-contracts/permafrost/freeze/binding"
	"github.com/freeze-contracts/permafrost/freeze/config"
	"github.com/freeze-contracts/permafrost/freeze/scenario"
	"github.com/freeze-contracts/permafrost/sandbox"
)

const (
	// apart is how long after the first box of a scenario the second one
	// starts: more than the coarsest unit of time that programs write, so
	// that a time never passes for a constant.
	apart = 1100 * time.Millisecond
	// pidStep is by how much the numbering of processes differs between the
	// boxes of one scenario.
	pidStep = 5000
)

// turn is one box of a scenario.
type turn struct {
	nth     int    // which of the scenario's boxes
	root    string // empty makes a fresh one
	started chan<- struct{}
	after   <-chan struct{} // run only when the box that closes this has been up for a while
}

// box describes a box for a release's programs.
func (p *Project) box(version, cli string, t turn) sandbox.Config {
	root := t.root
	if root == "" {
		root = sandbox.FreshRoot(8 + 3*t.nth)
	}
	places := config.Places{
		Bin:     filepath.Join(root, "bin"),
		Home:    filepath.Join(root, "home"),
		Project: filepath.Join(root, "project"),
		Version: strings.TrimPrefix(version, "v"),
	}
	env := make(map[string]string)
	for name, value := range p.Config.Box.Env {
		env[name] = places.Expand(value)
	}
	standIns := make(map[string]string)
	for name, s := range p.Config.StandIn {
		standIns[name] = filepath.Join(p.Config.Dir, s.File)
	}
	return sandbox.Config{
		Root: root, CLI: cli, Tools: p.Config.Box.Tools, StandIns: standIns,
		Tmux: p.Config.Box.Tmux, Env: env, FirstPID: (t.nth + 1) * pidStep,
	}
}

// Box describes a box at a fresh root for the programs in the folder cli.
func (p *Project) Box(version, cli string) sandbox.Config { return p.box(version, cli, turn{}) }

// runBox runs a job's scenario in one box, when there is room for it.
func (f *freezer) runBox(ctx context.Context, j *job, t turn) (*scenario.Result, error) {
	if err := t.wait(ctx); err != nil {
		return nil, err
	}
	if err := f.slots.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	defer f.slots.Release(1)
	if t.started != nil {
		close(t.started)
	}
	return scenario.Run(ctx, scenario.Spec{
		Scenario: j.sc,
		Version:  j.version(),
		Roots:    f.Roots(j.sc.Family),
		Builds:   j.dirs(),
		Box:      f.box(j.version(), j.t.build.Dir, t),
	})
}

// wait waits until the turn has come.
func (t turn) wait(ctx context.Context) error {
	if t.after == nil {
		return nil
	}
	select {
	case <-t.after:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-time.After(apart):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Roots are the folders of a family as paths in the box.
func (p *Project) Roots(family string) []string {
	places := config.Places{Home: "home", Project: "project"}
	var roots []string
	for _, r := range p.Config.Family[family].Roots {
		roots = append(roots, places.Expand(r))
	}
	return roots
}

// dirs are the folders of the programs that a job may run, by version.
func (j *job) dirs() map[string]string {
	all := map[string]string{j.version(): j.t.build.Dir}
	for version, b := range j.used {
		all[version] = b.Dir
	}
	return all
}

// cutScenario runs a scenario in three boxes: two side by side under different
// roots, and a third under the first one's, after it. What differs between the
// first two must be explained; what the third repeats is no id.
func (f *freezer) cutScenario(ctx context.Context, j *job) error {
	return twice("two boxes of "+j.sc.File, func() ([]binding.Difference, error) {
		first, second, third, err := f.runThree(ctx, j)
		if err != nil {
			return nil, err
		}
		j.outcome.Boxes += 3
		bindings, differences := binding.Find(&first.Run, &second.Run, &third.Run, f.rules(j.sc.Family))
		if len(differences) > 0 {
			return differences, nil
		}
		if err := f.thaws(ctx, j, first, bindings); err != nil {
			return nil, err
		}
		f.keep(j, first, bindings)
		return nil, nil
	})
}

// thaws requires that what was found can be bound to another place: every
// declared derivation gives the value that the release wrote.
func (f *freezer) thaws(ctx context.Context, j *job, r *scenario.Result, bindings []binding.Binding) error {
	_, err := binding.Rebind(ctx, r.Run.Entries, bindings, sandbox.FreshRoot(9), f.Derive(j.version()))
	if err != nil {
		return fmt.Errorf("%s: what it left would not thaw: %w", j.sc.File, err)
	}
	return nil
}

// freezeAgain runs a scenario in one box and compares it with its fixture.
func (f *freezer) freezeAgain(ctx context.Context, j *job) error {
	if j.frozen.ScriptDigest != j.sc.Digest(j.version()) {
		return &scriptChangedError{file: j.sc.File, version: j.version()}
	}
	return twice(j.sc.File+" and its fixture", func() ([]binding.Difference, error) {
		fresh, err := f.runBox(ctx, j, turn{nth: 1})
		if err != nil {
			return nil, err
		}
		j.outcome.Boxes++
		j.outcome.Status, j.outcome.Notes = Identical, fresh.Notes
		j.outcome.Entries, j.outcome.Bindings = len(fresh.Run.Entries), len(j.frozen.Bindings)
		differences := binding.Again(j.frozen.Run(), j.frozen.Bindings, &fresh.Run, f.rules(j.sc.Family))
		return append(differences, otherStory(j.frozen, fresh)...), nil
	})
}

// twice makes a comparison, and once more where all that it found is what two
// clean runs show now and then.
func twice(what string, compare func() ([]binding.Difference, error)) error {
	for try := 1; ; try++ {
		differences, err := compare()
		if err != nil || len(differences) == 0 {
			return err
		}
		chance := !slices.ContainsFunc(differences, func(d binding.Difference) bool { return !d.Chance })
		if !chance || try == 2 {
			return &DifferentError{What: what, Differences: differences}
		}
	}
}

// runThree runs the boxes of a cut: the third, which follows the first, while
// the second waits for its time. When one fails the others are ended, with the
// same proof.
func (f *freezer) runThree(ctx context.Context, j *job) (first, second, third *scenario.Result, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	started := make(chan struct{})
	var firstErr, secondErr error
	var wg sync.WaitGroup
	wg.Go(func() {
		first, firstErr = f.runBox(ctx, j, turn{nth: 0, started: started})
		if firstErr == nil {
			third, firstErr = f.runBox(ctx, j, turn{nth: 2, root: first.Run.Root})
		}
		if firstErr != nil {
			cancel(firstErr)
		}
	})
	wg.Go(func() {
		second, secondErr = f.runBox(ctx, j, turn{nth: 1, after: started})
		if secondErr != nil {
			cancel(secondErr)
		}
	})
	wg.Wait()
	return first, second, third, worst(context.Cause(ctx), firstErr, secondErr)
}

// worst is the first failure of a cut's boxes, and beside it every box that could not
// be proved empty: that must never be lost behind another error.
func worst(cause error, errs ...error) error {
	all := []error{cause}
	for _, err := range errs {
		var held *sandbox.HeldError
		if errors.As(err, &held) && !errors.Is(cause, err) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
