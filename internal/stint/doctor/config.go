package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	v.config(file, c, err)
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
		v.add("configuration", file, err.Error(), edit(file))
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
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		v.add("marker", file, "it is a symlink, so the project's id is that of the path, and its sessions are not found once the repository is moved", "rm "+quote(file)+" && stint init # once all sessions are closed")
	}
	tree, in := v.Project.Tree, "git -C "+quote(v.Project.Tree.Dir)
	tracked, err := tree.Tracks(v.ctx, project.MarkerFile)
	exposed, also := tree.Exposed(v.ctx, project.MarkerFile)
	switch err := errors.Join(err, also); {
	case err != nil:
		v.add("marker", file, err.Error(), in+" status")
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
		v.add("env file", name, err.Error(), edit(name))
		return
	}
	for _, w := range f.Warnings {
		mend := edit(name)
		if w.Line == 0 {
			mend = "chmod 600 " + quote(name)
		}
		v.add("env file", name, w.String(), mend)
	}
	for _, reserved := range f.Reserved() {
		v.add("env file", name, reserved+" is set by tmux or stint, whatever the file says", edit(name))
	}
}
