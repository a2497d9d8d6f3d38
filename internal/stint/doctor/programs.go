package doctor

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"github.com/freeze-contracts/permafrost/internal/stint/git"
	"github.com/freeze-contracts/permafrost/internal/tmux"
	"github.com/freeze-contracts/permafrost/readers/project"
)

func (v *visit) programs(env []string) {
	if err := v.git(env); err != nil {
		v.add("git", "git", err.Error(), install("git"))
	}
	if err := tmux.Supported(v.ctx); err != nil {
		v.noTmux = true
		v.add("tmux", "tmux", err.Error(), install("tmux"))
	}
}

func install(program string) string {
	if runtime.GOOS == "darwin" {
		return "brew install " + program
	}
	return "sudo apt-get install " + program + " # or as your system installs programs"
}

var gitVersion = regexp.MustCompile(`(\d+)\.(\d+)`)

// git refuses one without --path-format and worktree list -z.
func (v *visit) git(env []string) error {
	cmd := exec.CommandContext(v.ctx, "git", "version")
	cmd.Env = git.Environ(env)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git version: %w", err)
	}
	m := gitVersion.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("git version says %q, which holds no version", out)
	}
	major, _ := strconv.Atoi(string(m[1]))
	minor, _ := strconv.Atoi(string(m[2]))
	if major < 2 || major == 2 && minor < 36 {
		return fmt.Errorf("it is %s, and 2.36 or newer is needed", m[0])
	}
	return nil
}

// harnesses looks for the programs of those that the configuration names.
func (v *visit) harnesses() {
	names := []string{}
	for name := range v.Project.Config.Harness {
		names = append(names, name)
	}
	if name := v.Project.Config.Session.Harness; name != "" && !slices.Contains(names, name) {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := v.Startable(name); err != nil {
			v.add("harness", name, err.Error(), edit(v.file(project.ConfigFile)))
		}
	}
}
