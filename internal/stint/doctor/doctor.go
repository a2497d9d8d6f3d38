// Package doctor finds what is missing or does not go together: programs,
// configuration, the project's state, and what git and tmux have of sessions.
//
// It asks and changes nothing, takes no lock for longer than a look at it, and
// shows no value of an env file.
package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/stint/project"
	"github.com/freeze-contracts/permafrost/internal/stint/runner"
	"github.com/freeze-contracts/permafrost/readers"
	config "github.com/freeze-contracts/permafrost/readers/project"
	doc "github.com/freeze-contracts/permafrost/readers/session"
)

// Finding is one thing that is not as it should be.
type Finding struct {
	What  string `json:"what"`  // what kind of thing it is, as in "env file"
	Thing string `json:"thing"` // which one: a path, an id, a name
	Why   string `json:"why"`
	Mend  string `json:"mend,omitzero"` // the command that mends it, where there is one
}

// visit is one look at a project.
type visit struct {
	*runner.Runner
	ctx      context.Context
	noTmux   bool
	sessions []*doc.Document
	skipped  []document.Skipped // documents that do not read
	unlisted bool               // there may be documents that are not known
	found    []Finding
}

func (v *visit) add(what, thing, why, mend string) {
	v.found = append(v.found, Finding{what, thing, why, mend})
}

// once adds what is not mended along with the state folder, or the repository.
func (v *visit) once(what, thing, why, mend string) {
	if mend == "" || !slices.ContainsFunc(v.found, func(f Finding) bool {
		return slices.Contains([]string{"state folder", "repository"}, f.What) && f.Mend == mend
	}) {
		v.add(what, thing, why, mend)
	}
}

// Project looks at the project that dir is in, and at what stint needs there.
func Project(ctx context.Context, env []string, dir string) ([]Finding, error) {
	v := &visit{ctx: ctx}
	v.programs(env)
	p, err := project.Locate(ctx, env, dir)
	switch {
	case errors.Is(err, git.ErrNoRepository):
		v.add("repository", dir, err.Error(), "git init # or go to a repository")
		return v.found, nil
	case errors.Is(err, project.ErrNone):
		if missing, also := v.missingMarker(env, dir); also != nil || !missing {
			v.add("project", dir, err.Error(), "stint init")
		}
		return v.found, nil
	case err != nil && len(v.found) > 0: // It may be for want of a program.
		return v.found, nil
	case err != nil:
		v.add("project", dir, err.Error(), v.locating(env, dir, err))
		return v.found, nil
	}
	v.Runner = &runner.Runner{Project: p, Env: env}
	v.marker()
	v.configuration()
	v.harnesses()
	v.envFile()
	if _, err := os.Stat(p.StateDir); errors.Is(err, fs.ErrNotExist) {
		return v.found, nil
	}
	if v.Runner, err = runner.New(p, env, time.Now); err != nil {
		v.add("state folder", p.StateDir, err.Error(), mend(p.StateDir, err))
		return v.found, nil
	}
	defer v.Close()
	v.state()
	v.documents()
	v.unsettled()
	if err := v.worktrees(); err != nil {
		return nil, err
	}
	v.panes()
	v.leftovers()
	return v.found, nil
}

// locating is the mend for a project that is not located: its marker's or its
// state folder's, and none for what git or a variable has to say.
func (v *visit) locating(env []string, dir string, err error) string {
	tree, none := git.Main(v.ctx, env, dir)
	if none != nil {
		return ""
	}
	var at *fs.PathError
	var corrupt *readers.CorruptError
	file := filepath.Join(tree.Dir, filepath.FromSlash(config.MarkerFile))
	switch {
	case errors.As(err, &at) && filepath.IsAbs(at.Path):
		return mend(at.Path, err)
	case at != nil, errors.As(err, &corrupt), errors.Is(err, readers.ErrNewer):
		return mend(file, err)
	}
	return ""
}

// busy tells whether a stint is at work on what the lock file is about, so
// that what looks half done is not left.
func (v *visit) busy(lock string) bool { return document.Busy(v.path(lock)) }
