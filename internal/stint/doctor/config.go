package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/readers"
	"github.com/freeze-contracts/permafrost/readers/project"
)

// Config looks at a configuration alone, wherever it lies.
func Config(file string) []Finding {
	v := new(visit)
	b, err := readers.File(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	var c *project.Config
	if err == nil {
		c, err = project.ParseConfig(file, b)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		v.add("configuration", file, "there is no such file", "")
	case errors.Is(err, readers.ErrNotRegular):
		v.add("configuration", file, err.Error(), "")
	default:
		v.config(file, c, err)
	}
	return v.found
}

func (v *visit) configuration() {
	v.config(v.file(project.ConfigFile), v.Project.Config, v.Project.NoConfig)
	if v.Project.Config.Tmux.Socket == "" {
		return
	}
	if _, err := v.Socket(v.ctx); err != nil {
		v.add("tmux socket", v.Project.Config.Tmux.Socket, err.Error(), edit(v.file(project.ConfigFile)))
	}
}

func (v *visit) config(file string, c *project.Config, err error) {
	if err != nil {
		v.add("configuration", file, err.Error(), mend(file, err))
		return
	}
	for _, key := range c.Unknown {
		v.add("configuration", file, fmt.Sprintf("key %q means nothing to this stint", key), edit(file))
	}
}

// file is the path of a file of the main work tree.
func (v *visit) file(name string) string {
	return filepath.Join(v.Project.Tree.Dir, filepath.FromSlash(name))
}

// envFile names bad lines by their numbers.
func (v *visit) envFile() {
	name := v.Project.Config.Env.File
	if name == "" {
		return
	}
	if !filepath.IsAbs(name) {
		name = v.file(name)
	}
	v.exposed(name)
	f, err := v.EnvFile()
	if err != nil {
		why, fix := err.Error(), mend(name, err)
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			why += ": it is " + kind(info.Mode())
			// A folder with something in it is somebody's, as the repository is.
			if inside, err := os.ReadDir(name); info.IsDir() && (err != nil || len(inside) > 0) {
				fix = edit(v.file(project.ConfigFile))
			}
		}
		v.add("env file", name, why, fix)
		return
	}
	for _, w := range f.Warnings {
		fix := edit(name)
		if w.Line == 0 {
			fix = "chmod 600 " + quote(name)
		}
		v.add("env file", name, w.String(), fix)
	}
	for _, reserved := range f.Reserved() {
		v.add("env file", name, reserved+" is set by tmux or stint, whatever the file says", edit(name))
	}
}

// exposed looks whether git is to have an env file that lies in the repository,
// or has it: its secrets are for nobody else.
func (v *visit) exposed(file string) {
	real, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		real = file // Git may have it all the same.
	}
	name, err := filepath.Rel(v.Project.Tree.Dir, real)
	info, none := os.Stat(real)
	if err != nil || !filepath.IsLocal(name) || none == nil && !info.Mode().IsRegular() || strings.HasPrefix(name, ".git"+string(filepath.Separator)) {
		return
	}
	// A repository in the repository has its own index and its own lists.
	tree := git.Tree{Dir: filepath.Dir(real), Env: v.Env}
	if _, err := os.Stat(tree.Dir); err != nil {
		tree.Dir = v.Project.Tree.Dir
	} else {
		name = filepath.Base(real)
	}
	ignored := v.ignored(tree, name)
	tracked, err := tree.Tracks(v.ctx, name)
	open, also := tree.Exposed(v.ctx, name)
	switch err := errors.Join(err, also); {
	case err != nil:
		v.add("env file", real, err.Error(), "")
	case tracked:
		v.add("env file", real, "git tracks it, so that its secrets are committed", "git -C "+quote(tree.Dir)+" rm -f --cached -- "+quote(literal(name))+" && "+ignored+" # and have the secrets that were committed replaced: history keeps them")
	case open:
		v.add("env file", real, "git does not ignore it, so that its secrets are soon committed", ignored)
	}
}

// ignored is the command that has git ignore a file of a folder. Git follows no
// link in the place of a list.
func (v *visit) ignored(tree git.Tree, name string) string {
	list, line := filepath.Join(tree.Dir, ".gitignore"), "/"+pattern(filepath.ToSlash(name))
	if info, err := os.Lstat(list); err == nil && !info.Mode().IsRegular() {
		exclude, err := tree.Line(v.ctx, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
		prefix, also := tree.Line(v.ctx, "rev-parse", "--show-prefix")
		if errors.Join(err, also) == nil {
			list, line = exclude, "/"+pattern(prefix+filepath.ToSlash(name))
		}
	}
	return appendLine(line, list)
}

// literal is a path as git takes it for this path alone.
func literal(name string) string {
	if pattern(name) == name && !strings.HasPrefix(name, ":") {
		return name
	}
	return ":(literal)" + name
}

// pattern is a path as a line of .gitignore that matches it alone, as far as a
// line can.
func pattern(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		switch {
		case c == '\n' || c == '\r': // They end a line, whatever is before them.
			c = '?'
		case strings.IndexByte(`*?[\`, c) >= 0 || c == ' ' && i == len(name)-1:
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
