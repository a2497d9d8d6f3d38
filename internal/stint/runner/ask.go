package runner

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/env"
	manifest "github.com/freeze-contracts/permafrost/readers/artifact"
)

// What commands find out before they make anything, for whoever only asks.

// Startable refuses a harness whose program cannot be started.
func (r *Runner) Startable(harness string) error {
	_, err := r.harness(harness)
	return err
}

// Harnesses are the names of harnesses that are known or configured, sorted.
func (r *Runner) Harnesses() []string {
	names := []string{"claude", "codex"}
	if name := r.Project.Config.Session.Harness; name != "" {
		names = append(names, name)
	}
	names = slices.AppendSeq(names, maps.Keys(r.Project.Config.Harness))
	slices.Sort(names)
	return slices.Compact(names)
}

// EnvFile is what the configured env file declares, and nothing where none is
// configured.
func (r *Runner) EnvFile() (*env.File, error) { return r.envFile() }

// Socket is that of the server that a session would be opened on.
func (r *Runner) Socket(ctx context.Context) (string, error) { return r.socket(ctx) }

// CutOff lists the turns that RecoverRuns would bring into order. What is not
// known of one leaves it out, and is an error beside the others.
func (r *Runner) CutOff() ([]*manifest.Manifest, error) {
	all, _, err := r.Runs.Manifests()
	failed := []error{err}
	var off []*manifest.Manifest
	for _, m := range all {
		if m.Kind == manifest.Checkpoint || document.Busy(r.Runs.Path(m.ID, "running.lock")) {
			continue
		}
		due, err := r.due(m)
		failed = append(failed, err)
		if due {
			off = append(off, m)
		}
	}
	return off, errors.Join(failed...)
}
