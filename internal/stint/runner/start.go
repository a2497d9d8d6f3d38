package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/env"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/session"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// launch is how the program of a session is to be started.
type launch struct {
	argv     []string
	file     *env.File
	provider string // name that the program is told to give its conversation; empty: it is not told one
}

// prepare finds out all that can be without making anything. It names the
// configured harness in o where that names none.
func (r *Runner) prepare(o *OpenOptions) (*launch, error) {
	if err := r.configured(); err != nil {
		return nil, err
	}
	if err := r.Sessions.Moved(); err != nil {
		return nil, err
	}
	if o.Harness == "" {
		o.Harness = r.Project.Config.Session.Harness
	}
	if o.Harness == "" {
		return nil, errors.New("no harness: name one, as in stint session open sh, or set session.harness in stint.toml")
	}
	h, err := r.harness(o.Harness)
	if err != nil {
		return nil, err
	}
	l := new(launch)
	if len(h.Begin) > 0 {
		l.provider = newUUID()
	}
	if l.argv, err = interactive(o.Harness, h, l.provider, o.Prompt); err != nil {
		return nil, err
	}
	l.file, err = r.envFile()
	return l, err
}

// configured refuses to start anything as long as the configuration does not
// read.
func (r *Runner) configured() error {
	err := r.Project.NoConfig
	if err == nil || errors.Is(err, readers.ErrNewer) {
		return err // Its own remedy is told.
	}
	return fmt.Errorf("%w: mend that: stint doctor names the command", err)
}

// envFile is what the configured env file declares, and nothing where none is
// configured.
func (r *Runner) envFile() (*env.File, error) {
	name := r.Project.Config.Env.File
	if name == "" {
		return new(env.File), nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.Project.Tree.Dir, name)
	}
	f, err := env.Read(name)
	if err != nil {
		return nil, fmt.Errorf("%w; mend that, or change env.file in %s", err, project.ConfigFile)
	}
	return f, nil
}

// envNotes are what is to be said of an env file that was read.
func envNotes(f *env.File) []string {
	var notes []string
	for _, w := range f.Warnings {
		notes = append(notes, fmt.Sprintf("env file %q: %s", f.Path, w))
	}
	if names := f.Reserved(); len(names) > 0 {
		notes = append(notes, fmt.Sprintf("env file %q: %s: set by tmux or stint, whatever the file says", f.Path, strings.Join(names, ", ")))
	}
	return notes
}

// envNames is the variable that has the names which the env file declared, for
// whoever starts the program again: to know what is gone from the file then.
const envNames = "STINT_ENV_NAMES"

// variable is one that stint itself sets for an agent; empty: it is to have
// none of that name.
type variable struct{ name, value string }

// variables are those of a session. They win over those of the env file f.
func (r *Runner) variables(d *doc.Document, f *env.File) []variable {
	return append(r.common(d.Paths),
		variable{"STINT_SESSION_ID", d.ID}, variable{"STINT_WORK_ITEM", d.WorkItem}, variable{"STINT_INSTANCE", d.Instance},
		variable{envNames, strings.Join(f.Names(), " ")})
}

// common are those of every agent.
func (r *Runner) common(at doc.Paths) []variable {
	memory, config := r.Project.Config.Project.MemoryDir, filepath.Join(r.Project.Tree.Dir, project.ConfigFile)
	if memory != "" {
		memory = path.Join(at.Worktree, memory)
	}
	if _, err := os.Stat(config); err != nil {
		config = ""
	}
	return []variable{{"STINT_RUN_DIR", at.RunRoot}, {"STINT_MEMORY_DIR", memory}, {"STINT_CONFIG", config}}
}

// split tells those that are to be set, as NAME=value, from the names that are
// to be hidden.
func split(all []variable) (set, hide []string) {
	for _, v := range all {
		if v.value == "" {
			hide = append(hide, v.name)
		} else {
			set = append(set, v.name+"="+v.value)
		}
	}
	return set, hide
}

// start starts the harness in its pane and looks that there is one.
func (r *Runner) start(ctx context.Context, d *doc.Document, l *launch) error {
	n := tmux.NewSession{
		Name: d.Tmux.Session, Dir: d.Paths.Worktree, Env: l.file.Environ(), Argv: l.argv,
		Options: []tmux.Option{{Name: session.Mark, Value: d.ID}},
	}
	server := r.server(d.Tmux.Socket)
	// A server that is started by this has the environment of its client for
	// all sessions that will ever be on it.
	own := r.variables(d, l.file)
	private := l.file.Names()
	for _, v := range own {
		private = append(private, v.name)
	}
	set, hide := split(own)
	n.Env, n.Hide = append(n.Env, set...), hide
	server.Env = slices.DeleteFunc(git.Environ(r.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(private, name)
	})
	if err := server.NewSession(ctx, n); err != nil {
		return fmt.Errorf("tmux on %q: %w", d.Tmux.Socket, err)
	}
	return r.awaitStart(ctx, d)
}

// awaitStart waits for the pane that was made for the worktree. What runs in
// it has started there, and may be elsewhere by now.
func (r *Runner) awaitStart(ctx context.Context, d *doc.Document) error {
	for end := time.Now().Add(5 * time.Second); ; {
		_, live, why := r.Sessions.Pane(ctx, d)
		switch {
		case live == session.Unknown:
			return fmt.Errorf("tmux on %q does not answer: %s", d.Tmux.Socket, why)
		case live == session.Live, live == session.Dead:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("tmux on %q made no pane for the session: %s", d.Tmux.Socket, why)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
