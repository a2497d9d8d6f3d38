// Package project finds the project that a folder is in: its main work tree,
// its id, its configuration, and where its state is kept. It makes one of a
// repository, too.
package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freeze-contracts/permafrost/internal/stint/document"
	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers/project"
	"github.com/freeze-contracts/permafrost/readers/session"
)

// Project is a repository that stint runs sessions in.
type Project struct {
	Tree     git.Tree // the main work tree
	ID       string
	StateDir string // its folder below the state root, absolute and canonical
	// Config is stint.toml, and empty where that does not read.
	Config *project.Config
	// NoConfig is why stint.toml does not read. Most of what is done with
	// sessions can do without it.
	NoConfig error
}

// ErrNone is a repository that is no project yet.
var ErrNone = errors.New("not a stint project yet")

// Find finds the project that dir is in, also from inside of a session's
// worktree, and makes the folder of its state where that is missing. env is
// where git, and the place of the state, are looked up.
func Find(ctx context.Context, env []string, dir string) (*Project, error) {
	p, err := Locate(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	p.StateDir, err = stateDir(env, p.ID)
	return p, err
}

// Locate is Find that makes nothing: the folder of the state may be missing.
func Locate(ctx context.Context, env []string, dir string) (*Project, error) {
	tree, err := mainTree(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(tree.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &Project{Tree: tree}
	if p.ID, err = id(ctx, tree, root.FS()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("repository %q: %w: run stint init there", tree.Dir, ErrNone)
	} else if err != nil {
		return nil, fmt.Errorf("repository %q: project marker: %w", tree.Dir, err)
	}
	if p.Config, err = project.ReadConfig(root.FS()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("repository %q: %w: it has a marker and no %s; run stint init to write one", tree.Dir, ErrNone, project.ConfigFile)
	} else if err != nil {
		p.Config, p.NoConfig = new(project.Config), fmt.Errorf("repository %q: configuration: %w", tree.Dir, err)
	}
	if p.StateDir, err = statePlace(env, p.ID); err != nil {
		return nil, err
	}
	if dir, err := canonical(p.StateDir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		p.StateDir = dir
		return p, err
	}
	return p, nil
}

// Place is what the documents of the project are held against.
func (p *Project) Place() session.Place {
	return session.Place{ProjectID: p.ID, StateDir: p.StateDir, Repository: p.Tree.Dir}
}

func mainTree(ctx context.Context, env []string, dir string) (git.Tree, error) {
	tree, err := git.Main(ctx, env, dir)
	if err != nil {
		return tree, err
	}
	return tree, plain("repository", tree.Dir)
}

// plain refuses what neither a document nor a line of output can hold as it
// is.
func plain(what, path string) error {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Errorf("%s %q: its path has a control character or is not UTF-8: move it", what, path)
	}
	return nil
}

// id asks git whether the marker is tracked, which decides whose it is.
func id(ctx context.Context, tree git.Tree, fsys fs.FS) (string, error) {
	tracked, err := tree.Tracks(ctx, project.MarkerFile)
	if err != nil {
		return "", err
	}
	return project.ID(fsys, tracked, tree.Dir)
}

// stateDir is the folder of all projects, or that of the one with an id. It is
// canonical, so that a home behind a symlink gives one path and not two. The
// folder is made.
func stateDir(env []string, id string) (string, error) {
	dir, err := statePlace(env, id)
	if err != nil {
		return "", err
	}
	if err := document.MakeDir(dir); err != nil {
		return "", fmt.Errorf("state folder %q: it cannot be made: %w: name another one by STINT_STATE_DIR", dir, err)
	}
	return canonical(dir)
}

func canonical(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", &fs.PathError{Op: "state folder", Path: dir, Err: err}
	}
	return real, plain("state folder", real)
}

// statePlace is in $STINT_STATE_DIR, else $XDG_STATE_HOME/stint, else
// ~/.local/state/stint.
func statePlace(env []string, id string) (string, error) {
	root, from := lookup(env, "STINT_STATE_DIR"), "STINT_STATE_DIR"
	if root == "" {
		// The XDG specification has a relative path ignored.
		if xdg := lookup(env, "XDG_STATE_HOME"); filepath.IsAbs(xdg) {
			root = filepath.Join(xdg, "stint")
		} else if home := lookup(env, "HOME"); home != "" {
			root = filepath.Join(home, ".local", "state", "stint")
		}
		from = "HOME"
	}
	if !filepath.IsAbs(root) {
		return "", fmt.Errorf("no place for the state: %s is %q, which is no absolute path: set it to one", from, root)
	}
	return filepath.Join(root, "projects", id), nil
}

func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}
