package project

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// IgnoreFile has git ignore what is in its folder, by its place in the main work
// tree.
const IgnoreFile = ".stint/.gitignore"

// ignored is what stint puts into .stint: the marker, this list, the lock of
// init, what apply has on its way, and documents that were not finished.
const ignored = `project.json
.gitignore
lock
apply
.*.new
`

// Made is what Init found or made.
type Made struct {
	*Project
	Marker bool // a marker was written
	Ignore bool // a list of what git ignores was written
	Config bool // a configuration was written
	Shared bool // the marker is tracked or a symlink, so the id is that of the path
	// Others are the other projects whose sessions are of this place, looked for
	// when a marker is written: it had another one.
	Others []Other
}

// Init makes the repository that dir is in a project: marker, ignore file,
// configuration, each only where it is missing. It never commits.
func Init(ctx context.Context, env []string, dir, harness string, now time.Time) (*Made, error) {
	tree, err := mainTree(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	if err := ready(ctx, env, tree); err != nil {
		return nil, err
	}
	folder := filepath.Join(tree.Dir, ".stint")
	lock, err := document.Acquire(ctx, filepath.Join(folder, "lock"), document.Patience)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	made := new(Made)
	if made.Ignore, err = missing(filepath.Join(tree.Dir, IgnoreFile), []byte(ignored), 0o600); err != nil {
		return nil, err
	}
	fresh, err := marker(now)
	if err != nil {
		return nil, err
	}
	if made.Marker, err = missing(filepath.Join(tree.Dir, project.MarkerFile), fresh, 0o600); err != nil {
		return nil, err
	}
	if made.Config, err = missing(filepath.Join(tree.Dir, project.ConfigFile), config(harness), 0o644); err != nil {
		return nil, err
	}
	if made.Project, err = Find(ctx, env, tree.Dir); err != nil {
		return nil, err
	}
	if made.NoConfig != nil {
		return nil, made.NoConfig
	}
	made.Shared = made.ID == project.PathID(tree.Dir)
	if made.Marker {
		if made.Others, err = Others(ctx, env, made.Tree, made.ID); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// ready looks at all that init is refused for, before anything is written into
// the repository.
func ready(ctx context.Context, env []string, tree git.Tree) error {
	if err := ownFolder(filepath.Join(tree.Dir, ".stint")); err != nil {
		return err
	}
	fsys := os.DirFS(tree.Dir)
	if _, err := project.ReadMarker(fsys); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, readers.ErrNotRegular) {
		return fmt.Errorf("repository %q: project marker: %w", tree.Dir, err)
	}
	if _, err := project.ReadConfig(fsys); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("repository %q: configuration: %w", tree.Dir, err)
	}
	known, err := id(ctx, tree, fsys)
	if err == nil {
		_, err = stateDir(env, known)
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return spacious(env)
}

// spacious refuses a place for the state in which no project can have a folder.
func spacious(env []string) error {
	all, err := stateDir(env, "")
	if err != nil {
		return err
	}
	probe, err := os.MkdirTemp(all, ".init-")
	if err != nil {
		return fmt.Errorf("state folder %q: it cannot be written to: %w: name another one by STINT_STATE_DIR", all, err)
	}
	return os.Remove(probe)
}

// ownFolder refuses a folder that is elsewhere: what init writes there would
// be another project's.
func ownFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is not a folder (%s): init does not follow it; remove it and run stint init again", dir, info.Mode().Type())
	}
	return nil
}

// missing writes the file if there is nothing at all in its place.
func missing(name string, b []byte, mode fs.FileMode) (bool, error) {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, document.Write(name, b, mode)
}

func marker(now time.Time) ([]byte, error) {
	var id [16]byte
	rand.Read(id[:])
	m := project.Marker{Schema: project.Schema, ProjectID: hex.EncodeToString(id[:]), CreatedAt: now.Unix()}
	return m.Encode()
}

// config is the configuration of a new project. Its default harness is a name
// that needs no escapes.
func config(harness string) []byte {
	return fmt.Appendf(nil, `# stint.toml says how coding-agent sessions run in this repository. Commit it.
config_version = %d

[project]
# Where agents keep notes for each other: a folder in each session's worktree,
# handed to the agent as $STINT_MEMORY_DIR.
memory_dir = "docs/memory"

[session]
# What "stint session open" starts when it is not told.
harness = %q
# For how many days "stint session list --state closed" shows a closed session;
# 0 means for ever.
retention_days = 90

# NAME=value lines that every session and turn starts with, the name of this
# installation, and another tmux server than your default one. The file holds
# secrets: do not commit it.
#
# [env]
# file = ".env"
#
# [instance]
# name = "build-host"
#
# [tmux]
# socket = "/run/user/1000/agents.sock"

# An agent that stint does not know by itself, or one to be started otherwise.
# The table stands for all of it:
#
# [harness.claude]
# command = ["/opt/claude/bin/claude"]
# prompt = ["--", "{prompt}"]
# begin = ["--session-id", "{conversation}"]
# resume = ["--resume", "{conversation}"]
# run = ["--print", "--output-format", "json", "--", "{prompt}"]
# continue = ["--print", "--output-format", "json", "--resume", "{conversation}", "--", "{prompt}"]
# report = "session_id"
`, project.ConfigVersion, harness)
}
