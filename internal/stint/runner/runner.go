// Package runner opens, checkpoints, attaches to and closes sessions: it is
// where documents, git and tmux meet.
//
// A document is written before the thing that it speaks of is made, and again
// before anything is removed, so that whatever a killed command left behind
// is found by the next one. Work that is nowhere else is never removed without
// being told to.
package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/artifact"
	"github.com/freeze-contracts/permafrost/internal/stint/conversation"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
)

// Runner runs the sessions of one project.
type Runner struct {
	Project       *project.Project
	Sessions      *session.Store
	Runs          *artifact.Store
	Conversations *conversation.Store
	Env           []string // of the caller
	Now           func() time.Time

	state *os.Root // the project's state folder
}

// New returns the runner of a project. It is to be closed.
func New(p *project.Project, env []string, now func() time.Time) (*Runner, error) {
	state, err := os.OpenRoot(p.StateDir)
	if err != nil {
		return nil, err
	}
	r := &Runner{Project: p, Env: env, Now: now, state: state}
	r.Sessions = &session.Store{Place: p.Place(), Docs: state.FS(), Now: now, Panes: r.panes, Fingerprint: p.Fingerprint}
	r.Runs = &artifact.Store{ProjectID: p.ID, StateDir: p.StateDir, Docs: state.FS(), Now: now}
	r.Conversations = &conversation.Store{ProjectID: p.ID, StateDir: p.StateDir, Docs: state.FS(), Now: now}
	return r, nil
}

// Close lets go of the project's state folder.
func (r *Runner) Close() error { return r.state.Close() }

// server is the tmux server on a recorded socket. What runs in it gets no
// variable by which its git would work in another repository.
func (r *Runner) server(socket string) tmux.User {
	return tmux.User{Socket: socket, Env: git.Environ(r.Env)}
}

// panes asks up to three times: a server that is just ending, since its last
// session has, answers neither with panes nor that it is not there.
func (r *Runner) panes(ctx context.Context, socket string) ([]tmux.Marked, error) {
	for try := 1; ; try++ {
		panes, err := r.server(socket).ListMarked(ctx, session.Mark)
		switch {
		case errors.Is(err, tmux.ErrAbsent):
			return nil, nil
		case err == nil, try == 3, errors.Is(err, tmux.ErrMissing), errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil:
			return panes, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// newID has 48 bits, in hexadecimal: a form that programs other than stint
// take for an id.
func newID() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
