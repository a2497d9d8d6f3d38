package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

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

// marker looks whether the marker is the project's own: untracked, ignored,
// and no link to another's.
func (v *visit) marker() {
	file := v.file(project.MarkerFile)
	info, err := os.Lstat(file)
	if err == nil && !info.Mode().IsRegular() {
		why := "it is " + kind(info.Mode()) + ", so the project's id is that of the path, and its sessions are not found once the repository is moved"
		fix := away(file)
		if fix != "" {
			fix += " && stint init # once all sessions are closed"
		}
		v.add("marker", file, why, fix)
	}
	tree, in := v.Project.Tree, "git -C "+quote(v.Project.Tree.Dir)
	tracked, err := tree.Tracks(v.ctx, project.MarkerFile)
	exposed, also := tree.Exposed(v.ctx, project.MarkerFile)
	switch err := errors.Join(err, also); {
	case err != nil:
		v.add("marker", file, err.Error(), "")
	case tracked:
		v.add("marker", file, "git tracks it, so every clone would share it, and the project's id is that of the path", in+" rm --cached "+project.MarkerFile+" # once all sessions are closed")
	case exposed:
		v.add("marker", file, "git does not ignore it, so that it is soon committed", "echo project.json >>"+quote(v.file(".stint/.gitignore")))
	}
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
	f, err := v.EnvFile()
	if err != nil {
		why := err.Error()
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			why += ": it is " + kind(info.Mode())
		}
		v.add("env file", name, why, mend(name, err))
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
