package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the path of the freeze.toml for dir: the one in dir itself, or
// in the nearest parent up to the top of dir's git work tree. Beyond that it
// never looks, since what lies there belongs to something else. Outside of a
// work tree only dir itself is looked at.
func Find(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	// The parents of a folder reached through a link are those it really has.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	top := workTree(dir)
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, Name)
		// A broken link is found too, so that Load names it.
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if at == top {
			return "", fmt.Errorf("%s is neither in %q nor in a folder above it, up to %q: %w; freeze init writes one, or name another with --config",
				Name, dir, top, fs.ErrNotExist)
		}
	}
}

// workTree returns the top of the git work tree that holds dir, or dir.
func workTree(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if isTop(at) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// isTop tells a work tree as git does: an empty .git makes none, and that of a
// linked work tree or a submodule is a file.
func isTop(dir string) bool {
	git := filepath.Join(dir, ".git")
	if info, err := os.Stat(git); err == nil && info.Mode().IsRegular() {
		return true
	}
	_, err := os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}
