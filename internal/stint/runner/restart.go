package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
	"golang.org/x/sync/errgroup"
)

// atOnce is how many sessions are restarted at a time. Each mostly waits, for
// a program to end and for another to stay.
const atOnce = 16

// RestartOptions say which sessions to restart, by one of the first three, and
// how.
type RestartOptions struct {
	All       bool // that are not closed
	WorkItems []string
	IDs       []string

	DryRun bool // tell what would be done, and do nothing
	Force  bool // also those whose program has every value, or has ended
	Anew   bool // begin a new conversation where none can be resumed
}

// What restarting a session came to, beside Failed.
const (
	Restarted    Outcome = "restarted"     // a new program runs on every value
	WasFresh     Outcome = "fresh"         // the program has every value and was left alone
	WouldRestart Outcome = "would-restart" // but it was only asked
	Skipped      Outcome = "skipped"       // it was left as it is
	StillStale   Outcome = "stale"         // a new program runs, and not on every value
	Unverified   Outcome = "unverified"    // a new program runs, on nobody knows which values
	NotAttempted Outcome = "not-attempted" // the caller was interrupted before
)

// Refreshed is a session that was to be restarted.
type Refreshed struct {
	*doc.Document
	Outcome Outcome
	Why     string
	Drift   env.Drift // of the program that runs now; zero if none does or it was not looked at
}

// Good tells whether all is as it was asked to be.
func (s Refreshed) Good() bool {
	switch s.Outcome {
	case Restarted, WasFresh, WouldRestart:
		return true
	case Skipped:
		return s.Drift.State != env.Stale
	}
	return false
}

// Refresh is what restarting sessions came to.
type Refresh struct {
	Names    []string // that the env file declares
	Notes    []string // what is to be said of the env file
	Sessions []Refreshed
	Skipped  []document.Skipped // that do not read, so that nothing is known of their sessions
}

// Restart moves sessions onto what the env file declares now: the program of
// each is ended, proved gone, and started again in the same pane, where it
// resumes its conversation. Nothing is touched where the error is not nil.
func (r *Runner) Restart(ctx context.Context, o RestartOptions) (*Refresh, error) {
	file, err := r.declared()
	if err != nil {
		return nil, err
	}
	docs, skipped, err := r.selected(o)
	if err != nil {
		return nil, err
	}
	if err := r.reachable(ctx, docs); err != nil {
		return nil, err
	}
	all := make([]Refreshed, len(docs))
	x := &refresher{Runner: r, file: file, RestartOptions: o}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, d := range docs {
		group.Go(func() error {
			all[i] = x.session(ctx, d)
			return nil
		})
	}
	group.Wait()
	return &Refresh{file.Names(), envNotes(file), all, skipped}, nil
}

// declared is what the env file declares, of which there has to be something.
func (r *Runner) declared() (*env.File, error) {
	if err := r.configured(); err != nil {
		return nil, err
	}
	if r.Project.Config.Env.File == "" {
		return nil, fmt.Errorf("no env file to restart sessions on: name one by env.file in %s", project.ConfigFile)
	}
	file, err := r.envFile()
	if err == nil && len(file.Names()) == 0 {
		err = fmt.Errorf("env file %q: it declares only what tmux or stint sets: %s: declare what is to be new, or change env.file in %s", file.Path, strings.Join(file.Reserved(), ", "), project.ConfigFile)
	}
	return file, err
}

// selected are the sessions that o names, each once. Where it names all, those
// whose documents do not read are skipped.
func (r *Runner) selected(o RestartOptions) (docs []*doc.Document, skipped []document.Skipped, err error) {
	for _, id := range o.IDs {
		if item := strings.ToLower(id); doc.WorkItem(item) {
			return nil, nil, fmt.Errorf("%q: it is a work item, and no id: name it by --work-item %s", id, item)
		}
		d, err := r.Sessions.Get(id)
		if err != nil {
			return nil, nil, err
		}
		docs = append(docs, d)
	}
	if len(o.IDs) > 0 {
		return once(docs), nil, nil
	}
	all, skipped, err := r.Sessions.Documents()
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(d *doc.Document) bool { return d.State == doc.Closed })
	if o.All {
		return all, skipped, nil
	}
	for _, item := range o.WorkItems {
		i := slices.IndexFunc(all, func(d *doc.Document) bool { return d.WorkItem == item })
		if i < 0 {
			return nil, nil, fmt.Errorf("work item %q: no session is for it that is not closed%s: see stint session list --all", item, unless(skipped))
		}
		docs = append(docs, all[i])
	}
	return once(docs), nil, nil
}

// unless is to be said where one that does not read may be the one.
func unless(skipped []document.Skipped) string {
	if len(skipped) == 0 {
		return ""
	}
	return ", unless it is that of a document that does not read"
}

func once(docs []*doc.Document) []*doc.Document {
	seen := make(map[string]bool)
	return slices.DeleteFunc(docs, func(d *doc.Document) bool {
		again := seen[d.ID]
		seen[d.ID] = true
		return again
	})
}

// reachable refuses where tmux is of no use, or answers for none of the
// sessions. One server that does not answer is in the way of its own only.
func (r *Runner) reachable(ctx context.Context, docs []*doc.Document) error {
	if err := tmux.Supported(ctx); err != nil {
		return fmt.Errorf("tmux is needed to restart a session: %w", err)
	}
	asked := make(map[string]bool)
	var silent []error
	for _, d := range docs {
		if socket := d.Tmux.Socket; d.State == doc.Open && !asked[socket] {
			asked[socket] = true
			if _, err := r.Sessions.Panes(ctx, socket); err != nil {
				silent = append(silent, fmt.Errorf("tmux on %q does not answer, so nothing was restarted: %w", socket, err))
			}
		}
	}
	if len(silent) == len(asked) {
		return errors.Join(silent...)
	}
	return nil
}
