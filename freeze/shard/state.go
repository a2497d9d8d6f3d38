package shard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// State is of what files a run is: those that git tracks, as they are in the
// working tree, and those that decide although it does not yet.
type State struct {
	Commit string `json:"commit"` // what is checked out; empty where nothing is
	Files  string `json:"files"`  // sha256 of their names and contents, in hex
}

// staged is what an interrupted freeze may have left in the fixtures, which
// counts for nothing.
const staged = "fixtures/.staged"

// StateOf returns the state of a project's folder. untracked are pathspecs of
// git: which files count that it does not track and does not ignore.
func StateOf(ctx context.Context, dir string, env []string, untracked ...string) (State, error) {
	git := func(args ...string) (string, error) {
		// Nothing here runs a command of the repository's configuration, so its
		// owner does not matter.
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "safe.directory=*"}, args...)...)
		cmd.Dir = dir
		// A hook's git speaks of its own repository.
		cmd.Env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
		}
		return string(out), err
	}
	var state State
	inside, err := git("rev-parse", "--is-inside-work-tree")
	if err != nil && inRepository(dir) {
		return state, err
	}
	if strings.TrimSpace(inside) != "true" {
		files, err := below(dir)
		if err != nil {
			return state, err
		}
		state.Files, err = digest(dir, files)
		return state, err
	}
	if commit, err := git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		state.Commit = strings.TrimSpace(commit)
	}
	tracked, err := git("ls-files", "-z", "--cached")
	if err != nil {
		return state, err
	}
	others, err := git(append([]string{"ls-files", "-z", "--others", "--exclude-standard", "--", "freeze.toml", "fixtures", ":(exclude)" + staged}, untracked...)...)
	if err != nil {
		return state, err
	}
	files := strings.FieldsFunc(tracked+others, func(r rune) bool { return r == 0 })
	state.Files, err = digest(dir, files)
	return state, err
}

// inRepository says whether a repository is at or above dir, of which git may
// be unable to tell anything.
func inRepository(dir string) bool {
	for dir, err := filepath.Abs(dir); err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return false
}

// below lists the files of a project in no repository.
func below(dir string) ([]string, error) {
	files := []string{"freeze.toml"}
	err := fs.WalkDir(os.DirFS(dir), "fixtures", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == "fixtures" && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			return err
		case name == staged:
			return fs.SkipDir
		case !d.IsDir():
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// digest is over the names, kinds and contents of files. One that is not there
// counts as that.
func digest(dir string, files []string) (string, error) {
	files = slices.Compact(slices.Sorted(slices.Values(files)))
	all := sha256.New()
	for _, name := range files {
		kind, content, err := look(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%q %s %x\n", name, kind, content)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

func look(file string) (kind string, content []byte, err error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "gone", nil, nil
	case err != nil:
		return "", nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(file)
		return "link", []byte(target), err
	case !info.Mode().IsRegular():
		return "other", nil, nil // a submodule: its commit is git's to hold
	}
	f, err := os.Open(file)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("file %v", info.Mode()&0o100 != 0), h.Sum(nil), err
}
